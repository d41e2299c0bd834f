import type { BaseWindow, BrowserWindow } from 'electron';
import { readRegular, readRegularSync, UnfitFile } from '../own-files/read-regular';
import { writeOwnFile } from '../own-files/write-own';

interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}
interface WindowState extends Rectangle {
  maximized: boolean;
}

export const SMALLEST_WINDOW = { width: 720, height: 520 };
/** Of a file with five numbers. */
const MAX_BYTES = 64 * 1024;
const FIRST_WINDOW = { width: 1280, height: 800 };

/**
 * Where the window opens: as it was left, moved and shrunk onto a display that exists now; centred on the first
 * display when nothing (or nonsense) is stored.
 */
export function placeWindow(stored: unknown, displays: readonly Rectangle[]): WindowState {
  const first = displays[0] ?? { x: 0, y: 0, ...FIRST_WINDOW };
  const state = readState(stored);
  if (!state) {
    const width = Math.min(FIRST_WINDOW.width, first.width);
    const height = Math.min(FIRST_WINDOW.height, first.height);
    return {
      width,
      height,
      x: first.x + Math.floor((first.width - width) / 2),
      y: first.y + Math.floor((first.height - height) / 2),
      maximized: false,
    };
  }
  const home = displays.find((display) => overlaps(display, state)) ?? first;
  const width = Math.min(Math.max(state.width, SMALLEST_WINDOW.width), home.width);
  const height = Math.min(Math.max(state.height, SMALLEST_WINDOW.height), home.height);
  return {
    width,
    height,
    x: clamp(state.x, home.x, home.x + home.width - width),
    y: clamp(state.y, home.y, home.y + home.height - height),
    maximized: state.maximized,
  };
}

/** The stored state, or undefined if there is none that can be read. A lost window place is no reason for a message. */
export function loadWindowState(file: string): unknown {
  try {
    return JSON.parse(readRegularSync(file, MAX_BYTES) ?? 'null');
  } catch {
    return undefined;
  }
}

/** Rejects where the file can't be read: what can't be read is not replaced (docs/specs/safety.md A5). */
export async function saveWindowState(file: string, state: WindowState): Promise<void> {
  await readRegular(file, MAX_BYTES).catch((error: unknown) => {
    if (!(error instanceof UnfitFile)) throw error;
  });
  await writeOwnFile(file, JSON.stringify(state), { givesWay: true });
}

function readState(stored: unknown): WindowState | undefined {
  if (typeof stored !== 'object' || stored === null) return undefined;
  const { x, y, width, height, maximized } = stored as Record<string, unknown>;
  if (![x, y, width, height].every((value) => typeof value === 'number' && Number.isFinite(value))) return undefined;
  return { x, y, width, height, maximized: maximized === true } as WindowState;
}

function overlaps(a: Rectangle, b: Rectangle): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

function clamp(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(value, Math.max(low, high)));
}

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

/**
 * The theme that the person chose, before the settings are open: the window's first paper has the right colour. Whatever is
 * wrong with the file is told by who opens the settings.
 */
export async function storedTheme(file: string): Promise<'light' | 'dark' | 'system'> {
  try {
    const stored = JSON.parse((await readRegular(file)) ?? 'null') as Record<string, unknown> | null;
    const theme = stored?.['appearance.theme'];
    return theme === 'light' || theme === 'dark' ? theme : 'system';
  } catch {
    return 'system';
  }
}

const RELOADS = 3;
export const WITHIN_MS = 60_000;

/** Whether a crash now may be answered with a reload: at most three in a minute (QB4). Pure. */
export function mayReload(crashes: readonly number[], now: number): boolean {
  return crashes.filter((at) => now - at < WITHIN_MS).length < RELOADS;
}
