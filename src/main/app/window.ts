import { join } from 'node:path';
import { BrowserWindow, dialog, Menu, nativeTheme, screen } from 'electron';
import type { DrawingMarker } from '../own-files/drawing-marker';
import { APP_PAGE, windowPreferences } from '../pages';
import type { Log } from '../ports';
import { fieldMenu } from './field-menu';
import {
  boundZoom,
  loadWindowState,
  mayReload,
  placeWindow,
  saveWindowState,
  SMALLEST_WINDOW,
  WITHIN_MS,
} from './window-rules';

const HANG_MS = 30_000;

/**
 * Runs live in main and go on when the window's process dies: the page is loaded again and asks for what it missed.
 * When it keeps dying, the person is asked instead, because a page that crashes at once would crash for ever.
 */
function recoverRenderer(window: BrowserWindow, log: Log, drawing: DrawingMarker): void {
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

const PAPER = { light: '#faf8f4', dark: '#1c1b18' };

/** Opens the one window, shown when it has something to show, so that no white frame flashes. */
export function openWindow(options: {
  stateFile: string;
  log: Log;
  drawing: DrawingMarker;
  preload?: string;
  /** Awaited before the window closes; false when the page gave no answer. */
  beforeClose: () => Promise<boolean>;
}): BrowserWindow {
  const place = placeWindow(
    loadWindowState(options.stateFile),
    screen.getAllDisplays().map((display) => display.workArea),
  );
  const window = new BrowserWindow({
    x: place.x,
    y: place.y,
    width: place.width,
    height: place.height,
    minWidth: SMALLEST_WINDOW.width,
    minHeight: SMALLEST_WINDOW.height,
    show: false,
    title: 'Espalier',
    icon: join(__dirname, '../../resources/icon.png'),
    backgroundColor: paperNow(),
    autoHideMenuBar: true,
    webPreferences: windowPreferences(options.preload ?? join(__dirname, '../preload/index.js')),
  });
  if (place.maximized) window.maximize();
  window.once('ready-to-show', () => window.show());
  const savePlace = keepState(window, options.stateFile, options.log);
  closeAfter(window, async () => (await Promise.all([options.beforeClose(), savePlace()]))[0]);
  keepPaper(window);
  recoverRenderer(window, options.log, options.drawing);
  boundZoom(window);
  offerFieldMenu(window);
  // No page may hold its window: what has to be kept is kept by `closeAfter`, and a page of ours asks for nothing.
  window.webContents.on('will-prevent-unload', (event) => event.preventDefault());
  // A window that is closed meanwhile is told as a failure, too.
  window
    .loadURL(APP_PAGE)
    .catch((error: unknown) => options.log.warn(`The page was not loaded to its end: ${String(error)}`));
  return window;
}

const paperNow = (): string => (nativeTheme.shouldUseDarkColors ? PAPER.dark : PAPER.light);

/** What is seen where no page is, as after a crash, has the colors of the theme of now. */
function keepPaper(window: BrowserWindow): void {
  const paint = (): void => window.setBackgroundColor(paperNow());
  nativeTheme.on('updated', paint);
  window.once('closed', () => nativeTheme.off('updated', paint));
}

/**
 * Lets the window close only when the task is over, however it ends. A page that gave no answer to it would give none to
 * `close` either, and the window would stay.
 */
function closeAfter(window: BrowserWindow, task: () => Promise<boolean>): void {
  let state: 'open' | 'closing' | 'done' = 'open';
  window.on('close', (event) => {
    if (state === 'done') return;
    event.preventDefault();
    if (state === 'closing') return;
    state = 'closing';
    void task()
      .catch(() => true)
      .then((answers) => {
        state = 'done';
        if (window.isDestroyed()) return;
        if (answers) window.close();
        else window.destroy();
      });
  });
}

/** Saves place and size half a second after the last change. Returns what saves them at once; it never rejects. */
function keepState(window: BrowserWindow, file: string, log: Log): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const save = async (): Promise<void> => {
    clearTimeout(timer);
    if (window.isDestroyed()) return;
    await saveWindowState(file, { ...window.getNormalBounds(), maximized: window.isMaximized() }).catch(
      (error: unknown) => log.warn(`The window's place could not be saved: ${String(error)}`),
    );
  };
  const soon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void save(), 500);
  };
  window.on('resize', soon);
  window.on('move', soon);
  return save;
}

/** The system's menu for fields, wherever the page has none of its own. */
function offerFieldMenu(window: BrowserWindow): void {
  const { webContents } = window;
  webContents.on('context-menu', (_event, pressed) => {
    const items = fieldMenu(pressed, {
      replace: (word) => webContents.replaceMisspelling(word),
      learn: (word) => void webContents.session.addWordToSpellCheckerDictionary(word),
    });
    if (items.length > 0) Menu.buildFromTemplate(items).popup({ window });
  });
}
