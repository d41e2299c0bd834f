import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { app, dialog, ipcMain, nativeTheme, type BrowserWindow } from 'electron';
import { CHANNELS } from '@shared/ipc/names';
import type { AppFailure } from '@shared/types';
import { EventChannel, LastWrites } from '../ipc/event-channel';
import { type GateOptions, isTrustedSender, RequestGate } from '../ipc/request-gate';
import { TextParts } from '../text-parts';
import { DatabaseNote, setAsideBroken, setAsideText } from '../profile/broken-database';
import { repairIndexedDbTails } from '../profile/leveldb-tail';
import { APP_ID } from '../pages';
import { keepPrivate, takeDataFolder, whyUnusable } from './data-folder';
import { AskLimit, DIALOG_PATIENCE, patience, RESTING } from '../consent/ask-limit';
import { DrawingMarker } from '../own-files/drawing-marker';
import { openExternalLink } from '../ipc/external-links';
import type { LogFile } from './log-file';
import type { Log } from '../ports';
import { startLogging } from './logging';
import { setMenu } from './menu';
import { blockForeignRequests, cutChromiumOff, denyPermissions, guardWebContents } from './security';
import { readLocation, UNMOVED } from '../data-folder/location';
import { type AppPaths, resolvePaths } from '../paths';
import { registerAppScheme, serveApp } from './protocol';
import { guardQuit } from './quit-guard';
import type { Services } from './services';
import { storedTheme } from './window-rules';
import { openWindow } from './window';

/**
 * Starts the app: what must come before `ready`, then the window. Everything behind it (services.ts) is loaded when the page
 * asks for the first time, which it does before its own code runs: loading it stops this thread for some 70 ms, in which no page
 * would get its files. Nothing here waits for models or the network, and nothing large is imported: it would stand between
 * a person and the window (QP13).
 */
export async function start(): Promise<void> {
  let paths = resolvePaths(process.env);
  if (paths.profile) app.setPath('userData', paths.profile);
  const locationFile = paths.profile ? null : join(app.getPath('userData'), 'location.json');
  let location = UNMOVED;
  try {
    if (locationFile !== null) location = readLocation(locationFile);
  } catch (error) {
    return endWith('Espalier can’t find your files', (error as Error).message);
  }
  paths = resolvePaths(process.env, location);
  // Windows shows notifications and flashes only for an app that it knows by this name; elsewhere it does nothing.
  app.setAppUserModelId(APP_ID);
  keepPrivate([app.getPath('userData'), ...ownFolders(paths)]);
  if (!app.requestSingleInstanceLock()) {
    const problem = whyUnusable(app.getPath('userData'));
    if (problem === null) app.quit();
    else await endWith('Espalier can’t start', `${problem} Nothing was changed.`);
    return;
  }
  // As root on Linux Chromium has no sandbox at all: the set-up scripts pass the switch there, nobody else does.
  if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox();
  // New databases on SQLite where the runtime has it; LevelDB was wiped 7 times in 220 kills (QB2).
  // And the page that draws diagrams in a process of its own, as newer ones have it by default: its program alone would stop the
  // window for a third of a second.
  app.commandLine.appendSwitch('enable-features', 'IdbSqliteBackingStore,IsolateSandboxedIframes');
  const devServer = app.isPackaged ? undefined : process.env.ELECTRON_RENDERER_URL;
  if (!devServer) cutChromiumOff();
  registerAppScheme();

  const problems: string[] = [];
  // Before anything of it is opened, and by whom has it to themselves.
  if (locationFile !== null && location.next) {
    const holder = await takeDataFolder(paths.instance);
    if (holder !== null) return endWith(...stillClosing(holder));
    const { finishMove } = await import('../data-folder/finish-move');
    const ended = await finishMove(locationFile, location, paths.data);
    ({ location } = ended);
    if (ended.problem !== null) problems.push(ended.problem);
    paths = resolvePaths(process.env, location);
    keepPrivate(ownFolders(paths));
  }
  const knownSecrets = new Set<string>();
  const log = startLogging(paths.logs, knownSecrets);
  process.on('uncaughtException', (error) => log.error('Uncaught exception', error));
  process.on('unhandledRejection', (reason) => log.error('Unhandled rejection', reason));
  log.info(`Espalier ${app.getVersion()} starts on Electron ${process.versions.electron}.`);

  const channel = new EventChannel();
  const lastWrites = new LastWrites(channel);
  const drawing = new DrawingMarker(paths.drawing);
  const databaseNote = new DatabaseNote(paths.database);
  // Before any page opens its database.
  const isFirstStart = !existsSync(join(app.getPath('userData'), 'IndexedDB'));
  const wantsTour = isFirstStart && process.env.ESPALIER_NO_TOUR !== '1';
  const built = join(__dirname, '..');
  let window: BrowserWindow | null = null;
  const patiently = patience(() => channel.emit({ type: 'notice', notice: RESTING }), new AskLimit(DIALOG_PATIENCE));
  let services: Promise<Services> | undefined;
  const ready = (): Promise<Services> => {
    services ??= import('./services')
      .then(({ startServices }) =>
        startServices({
          paths,
          locationFile,
          location,
          log,
          channel,
          lastWrites,
          drawing,
          databaseNote,
          problems,
          wantsTour,
          gate,
          knownSecrets,
          window: () => window,
          showWindow: () => show(),
          patiently,
          built,
          devServer,
        }),
      )
      .catch((error: unknown) => {
        log.error('The services could not start', error);
        services = undefined;
        throw error;
      });
    return services;
  };
  const textParts = new TextParts();
  ipcMain.handle(CHANNELS.part, (event, part) => {
    if (isTrustedSender(event, window?.webContents.id)) textParts.take(part);
  });
  const gate = new RequestGate({ handle: handleWithText(textParts), ready, failureOf });
  const onLink = (url: string): void => {
    openExternalLink(url, window, patiently).catch((error: unknown) => log.error('A link could not be opened', error));
  };

  const holder = await takeDataFolder(paths.instance);
  if (holder !== null) {
    log.warn(`Process ${holder}, which was quit, has the data folder still: this start ends.`);
    return endWith(...stillClosing(holder));
  }
  // Not after the window: with its page the database is opened.
  const [theme] = await Promise.all([
    storedTheme(paths.settings),
    repairDatabase(log, databaseNote, problems),
    drawing.read(),
    app.whenReady(),
  ]);
  nativeTheme.themeSource = theme;
  denyPermissions();
  guardWebContents(onLink);
  blockForeignRequests(devServer);
  serveApp(join(built, 'renderer'), devServer);
  setMenu((command) => channel.emit({ type: 'command', command }), !app.isPackaged);

  const disconnect = (): void => {
    channel.disconnect();
    textParts.clear();
  };
  const beforeClose = async (): Promise<boolean> => {
    const hasAnswered = await lastWrites.wait();
    // Whoever sees a dead window closes it.
    if (!hasAnswered) drawing.failed('hang');
    return hasAnswered;
  };
  const show = (): void => {
    if (window && !window.isDestroyed()) {
      if (window.isMinimized()) window.restore();
      window.focus();
      return;
    }
    window = openWindow({ stateFile: paths.windowState, log, drawing, beforeClose });
    window.webContents.on(
      'did-start-navigation',
      (event) => event.isMainFrame && !event.isSameDocument && disconnect(),
    );
    window.webContents.on('render-process-gone', disconnect);
    window.on('closed', () => {
      disconnect();
      window = null;
    });
  };
  show();
  app.on('second-instance', show);
  app.on('activate', show);
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit();
  });
  closeCleanly({ services: () => services, channel, window: () => window, log, drawing, logFile: log.file });
}

const ownFolders = ({ data, sessions, trash, outputs, logs }: AppPaths): string[] => [
  data,
  sessions,
  trash,
  outputs,
  logs,
];

function stillClosing(holder: number): [title: string, text: string] {
  return [
    'Espalier is still closing',
    `The previous instance (process ${holder}) hasn’t finished closing. Nothing was changed. Try again in a minute, or end that process first.`,
  ];
}

/** A start that can't go on says so, in a window of the system's, and ends the process. */
async function endWith(title: string, text: string): Promise<void> {
  await app.whenReady();
  dialog.showErrorBox(title, text);
  app.exit(1);
}

/** Long texts of requests come in parts, answers cross to the page as text (`EspalierBridge`). */
function handleWithText(parts: TextParts): GateOptions['handle'] {
  return (channel, listener) =>
    ipcMain.handle(channel, async (event, params, places) =>
      JSON.stringify(await listener(event, parts.putBack(params, places))),
    );
}

/** One of the app's own files or folders, almost always. */
function failureOf(error: unknown): AppFailure {
  const reason = error instanceof Error ? error.message : String(error);
  // Its words say what to do. By name: its module comes with the services.
  if (error instanceof Error && error.name === 'OwnFolderError') return { code: 'storage', message: reason };
  return { code: 'storage', message: `Espalier’s own files could not be opened (${reason}). Fix this and try again.` };
}

/**
 * Before any page can open the database: sets aside one that can't be opened, and cuts torn tails. What is to be told goes to `problems`.
 * `ESPALIER_SKIP_TAIL_REPAIR` is for the fault tests.
 */
async function repairDatabase(log: Log, note: DatabaseNote, problems: string[]): Promise<void> {
  if (process.env.ESPALIER_SKIP_TAIL_REPAIR === '1') return;
  const profile = app.getPath('userData');
  try {
    const whole = await note.obey(profile);
    const aside = whole === null ? await setAsideBroken(profile) : [whole];
    if (aside.length > 0) {
      problems.push(setAsideText(aside));
      log.warn(`The window's database could not be used and was set aside: ${aside.join(', ')}.`);
    }
  } catch (error) {
    log.error('A database that could not be used could not be set aside', error);
  }
  try {
    for (const { file, cutBytes } of await repairIndexedDbTails(profile)) {
      log.warn(`Cut ${cutBytes} torn bytes from ${file}.`);
    }
  } catch (error) {
    log.error('The database could not be looked over before the start', error);
  }
}

/** Quits when runs are stopped and recorded, the window has written and files are closed; in seconds, whatever hangs; what can't be waited for is ended from outside. */
function closeCleanly(parts: {
  services: () => Promise<Services> | undefined;
  channel: EventChannel;
  window: () => BrowserWindow | null;
  log: Log;
  logFile: LogFile;
  drawing: DrawingMarker;
}): void {
  let state: 'open' | 'closing' | 'closed' = 'open';
  // Chromium's own handlers begin a quit as well, but a second signal ends the process at once: Ctrl+C in a terminal may send two. Not before
  // `ready`, when Chromium sets its own. Windows has no such signals.
  if (process.platform !== 'win32')
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => app.quit());
  app.on('before-quit', (event) => {
    if (state === 'closed') return;
    event.preventDefault();
    // The closing window asks for it a second time.
    if (state === 'closing') return;
    state = 'closing';
    const guard = guardQuit(parts.logFile);
    const limit = new Promise((resolve) => setTimeout(resolve, 5000));
    const close = async (): Promise<void> => {
      guard.at('stopping the sessions');
      const services = await parts.services()?.catch(() => undefined);
      await services?.stop();
      parts.channel.flush();
      guard.at('closing the window');
      await closeWindow(parts.window());
      guard.at('closing the files');
      await services?.close();
      await parts.drawing.close();
    };
    void Promise.race([close(), limit])
      .catch((error: unknown) => parts.log.error('Closing failed', error))
      .finally(() => {
        state = 'closed';
        guard.at('ending the process');
        // Normally gone by now. One that hangs would hold up the quit once more, and on macOS for good.
        parts.window()?.destroy();
        app.quit();
      });
  });
}

function closeWindow(window: BrowserWindow | null): Promise<void> {
  if (!window || window.isDestroyed()) return Promise.resolve();
  return new Promise((resolve) => {
    window.once('closed', () => resolve());
    window.close();
  });
}
