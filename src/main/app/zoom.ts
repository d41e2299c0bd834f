import type { BaseWindow, BrowserWindow } from 'electron';

/** CSS pixels that the window keeps however far it is zoomed: in them what is asked can be read and answered. */
const LEAST = { width: 480, height: 320 };
/** Chromium's: each level is a fifth more. */
const FACTOR = 1.2;
const STEP = 0.5;

/** The largest zoom level of a window of that size; 0 at least. */
export function largestZoom({ width, height }: { width: number; height: number }): number {
  const factor = Math.max(1, Math.min(width / LEAST.width, height / LEAST.height));
  return Math.floor(Math.log(factor) / Math.log(FACTOR) / STEP + 1e-6) * STEP;
}

/** Zooms a window by steps, no further than it has room. */
export function zoomBy(window: BaseWindow | undefined, steps: number): void {
  if (!window || !('webContents' in window)) return;
  const { webContents } = window as BrowserWindow;
  webContents.zoomLevel = Math.min(webContents.zoomLevel + steps * STEP, boundOf(window as BrowserWindow));
}

/** Keeps the zoom of a window within its room: it is remembered, and the window may be a smaller one by then. */
export function boundZoom(window: BrowserWindow): void {
  const keep = (): void => {
    const bound = boundOf(window);
    if (window.webContents.zoomLevel > bound) window.webContents.zoomLevel = bound;
  };
  window.webContents.on('did-finish-load', keep);
  window.on('resize', keep);
}

/** A question of main's own scrolls as a whole. */
function boundOf(window: BrowserWindow): number {
  if (window.getParentWindow()) return Number.POSITIVE_INFINITY;
  const [width = 0, height = 0] = window.getContentSize();
  return largestZoom({ width, height });
}
