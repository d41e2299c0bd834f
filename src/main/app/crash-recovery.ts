import { dialog, type BrowserWindow } from 'electron';
import { mayReload, WITHIN_MS } from './crash-recovery-policy';
import type { DrawingMarker } from '../own-files/drawing-marker';
import type { Log } from '../ports';

const HANG_MS = 30_000;

/**
 * Runs live in main and go on when the window's process dies: the page is loaded again and asks for what it missed.
 * When it keeps dying, the person is asked instead, because a page that crashes at once would crash for ever.
 */
export function recoverRenderer(window: BrowserWindow, log: Log, drawing: DrawingMarker): void {
  let crashes: number[] = [];
  let hang: NodeJS.Timeout | undefined;
  let isHung = false;

  window.webContents.on('render-process-gone', (_event, details) => {
    if (details.reason === 'clean-exit' || window.isDestroyed()) return;
    log.warn(`The window's process ended (${details.reason}, code ${details.exitCode}).`);
    // What was ended from outside says nothing about what was drawn; on macOS our own end of a hung one is told as such too.
    if (isHung || details.reason !== 'killed') drawing.failed(isHung ? 'hang' : 'gone');
    isHung = false;
    const now = Date.now();
    const again = mayReload(crashes, now);
    crashes = [...crashes.filter((at) => now - at < WITHIN_MS), now];
    if (again) {
      window.webContents.reload();
      return;
    }
    void askAfterCrashes(window).then((reload) => {
      if (!reload || window.isDestroyed()) return;
      crashes = [];
      window.webContents.reload();
    });
  });

  window.on('unresponsive', () => {
    hang = setTimeout(() => {
      if (window.isDestroyed()) return;
      log.warn('The window did not answer for 30 seconds; its process is ended and the page loaded again.');
      isHung = true;
      window.webContents.forcefullyCrashRenderer();
    }, HANG_MS);
  });
  window.on('responsive', () => clearTimeout(hang));
  window.on('closed', () => clearTimeout(hang));
}

async function askAfterCrashes(window: BrowserWindow): Promise<boolean> {
  const { response } = await dialog.showMessageBox(window, {
    type: 'error',
    title: 'Espalier',
    message: 'The window keeps crashing',
    detail: 'Your sessions are safe: another process keeps them, and running answers continue. You can try again now.',
    buttons: ['Try again', 'Close the window'],
    defaultId: 0,
    cancelId: 1,
    noLink: true,
  });
  if (response === 1) window.close();
  return response === 0;
}
