import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { app, ipcMain, nativeTheme, type BrowserWindow } from 'electron';
import type { Notice } from '@shared/ipc/types';
import createProviderWorker from '../agent/stream/worker?nodeWorker';
import createSerializerWorker from '../compaction/serializer-worker?nodeWorker';
import { createSerializer } from '../compaction/serializer';
import { createWorkerTransport } from '../agent/stream/worker-transport';
import { ExtensionBus } from '../extensions/bus';
import { logTextOf } from '../extensions/describe-thrown';
import { serveBulk } from '../ipc/bulk';
import { EventChannel } from '../ipc/event-channel';
import { appHandlers } from '../ipc/handlers/app-handlers';
import { graphHandlers } from '../ipc/handlers/graph-handlers';
import { modelHandlers } from '../ipc/handlers/model-handlers';
import { branchHandlers } from '../ipc/handlers/branch-handlers';
import { sessionHandlers } from '../ipc/handlers/session-handlers';
import type { AppParts } from '../ipc/handlers/types';
import { toApprovalView } from '../ipc/approval-view';
import { serveRequests } from '../ipc/server';
import { createSessionStore } from '../journal/session-store';
import { openCredentials } from '../models/credentials';
import { openEndpoints } from '../models/endpoints';
import { defaultLocalAddresses } from '../models/local-servers';
import { Registry } from '../models/registry';
import { repairIndexedDbTails } from '../profile/leveldb-tail';
import { randomHex } from '../session/random-hex';
import { SessionHost } from '../session/session-host';
import { openSettings } from '../settings/settings-store';
import { SyncService } from '../sync/sync-service';
import { Approvals } from '../tools/approvals';
import { reapOrphans } from '../tools/orphans';
import { createToolHost } from '../tools/tool-host';
import { openExternalLink } from './external-links';
import { systemKeyVault } from './key-vault';
import { LastWrites } from './last-writes';
import { startLogging, type Log } from './logging';
import { setMenu } from './menu';
import { resolvePaths, type AppPaths } from './paths';
import { registerAppScheme, serveApp } from './protocol';
import { blockForeignRequests, denyPermissions, guardWebContents } from './security';
import { openWindow } from './window';

/**
 * Starts the app: what must come before `ready`, then the parts of main in the order of their dependencies, then the
 * window. Nothing here waits for models or the network.
 */
export async function start(): Promise<void> {
  const paths = resolvePaths(process.env);
  if (paths.profile) app.setPath('userData', paths.profile);
  if (!app.requestSingleInstanceLock()) {
    app.quit();
    return;
  }
  // As root on Linux Chromium has no sandbox at all: the set-up scripts pass the switch there, nobody else does.
  if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox();
  // New databases on SQLite where the runtime has it; LevelDB was wiped 7 times in 220 kills (quality.md B2).
  app.commandLine.appendSwitch('enable-features', 'IdbSqliteBackingStore');
  registerAppScheme();

  const knownSecrets = new Set<string>();
  const log = startLogging(paths.logs, knownSecrets);
  process.on('uncaughtException', (error) => log.error('Uncaught exception', error));
  process.on('unhandledRejection', (reason) => log.error('Unhandled rejection', reason));
  log.info(`Espalier ${app.getVersion()} starts on Electron ${process.versions.electron}.`);

  await Promise.all([paths.sessions, paths.outputs, paths.scratch].map((folder) => mkdir(folder, { recursive: true })));
  const notices: Notice[] = [];
  const channel = new EventChannel();
  let window: BrowserWindow | null = null;
  const onLink = (url: string): void => void openExternalLink(url, window);

  const parts = await createParts(paths, { log, notices, channel, knownSecrets, window: () => window });
  await repairDatabase(log);
  await app.whenReady();
  const devServer = app.isPackaged ? undefined : process.env.ELECTRON_RENDERER_URL;
  denyPermissions();
  guardWebContents(onLink);
  blockForeignRequests(devServer);
  serveApp(join(__dirname, '../renderer'), devServer);
  followTheme(parts);
  setMenu((command) => channel.emit({ type: 'command', command }), !app.isPackaged);

  const ipc = { windowId: () => window?.webContents.id, log };
  serveRequests(
    {
      ...appHandlers(parts),
      ...modelHandlers(parts),
      ...sessionHandlers(parts),
      ...branchHandlers(parts),
      ...graphHandlers(parts),
    },
    {
      ...ipc,
      handle: (name, listener) => ipcMain.handle(name, (event, params: unknown) => listener(event as never, params)),
    },
  );
  serveBulk(
    {
      'session.rows': ({ sessionId, before }) => rowChunks(parts, sessionId, before),
      'session.graph': ({ sessionId, fromSeq }) => graphChunks(parts, sessionId, fromSeq),
      'session.context': ({ sessionId, entryId }) => later(parts.host.context(sessionId, entryId)),
      'sync.lines': ({ sessionId, fromSeq }) => parts.sync.lines(sessionId, fromSeq),
    },
    ipc,
  );

  const show = (): void => {
    if (window && !window.isDestroyed()) {
      if (window.isMinimized()) window.restore();
      window.focus();
      return;
    }
    window = openWindow({ stateFile: paths.windowState, log, beforeClose: () => parts.lastWrites.wait() });
    window.webContents.on(
      'did-start-navigation',
      (event) => event.isMainFrame && !event.isSameDocument && channel.disconnect(),
    );
    window.webContents.on('render-process-gone', () => channel.disconnect());
    window.on('closed', () => {
      channel.disconnect();
      window = null;
    });
  };
  show();
  app.on('second-instance', show);
  app.on('activate', show);
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit();
  });
  closeCleanly(parts, log);
  reapOrphans(join(paths.data, 'running')).then(
    (ended) => ended > 0 && log.warn(`${ended} commands of an earlier run were still going and were ended.`),
    (error: unknown) => log.error('Commands of an earlier run could not be looked for', error),
  );
}

interface Surroundings {
  log: Log;
  notices: Notice[];
  channel: EventChannel;
  knownSecrets: Set<string>;
  window: () => BrowserWindow | null;
}

/** Threads that end with the app. */
interface Workers {
  transport: { close(): Promise<void> };
  serializer: { close(): Promise<void> };
}

async function createParts(paths: AppPaths, around: Surroundings): Promise<AppParts & Workers> {
  const { log, notices, channel, knownSecrets } = around;
  const settings = await openSettings(paths.settings);
  await app.whenReady();
  const vault = systemKeyVault();
  const credentials = await openCredentials(paths.credentials, vault);
  const endpoints = await openEndpoints(join(paths.data, 'endpoints.json'), credentials);
  const rememberSecrets = (): void => credentials.secrets.forEach((secret) => knownSecrets.add(secret));
  rememberSecrets();
  for (const text of [...credentials.problems, ...endpoints.problems])
    notices.push({ level: 'warning', code: 'models', text });
  const registry = new Registry({
    credentials,
    endpoints,
    settings: () => settings.current(),
    localAddresses: defaultLocalAddresses(process.env),
    onChange: (providers) => {
      rememberSecrets();
      channel.emit({ type: 'models_changed', providers });
    },
  });
  settings.onChange((current) => channel.emit({ type: 'settings_changed', settings: current }));

  const store = await createSessionStore({
    dir: paths.sessions,
    trashDir: paths.trash,
    clock: Date.now,
    randomHex,
    log: { warn: (message) => log.warn(message) },
  });
  const transport = createWorkerTransport({ createWorker: createProviderWorker });
  const serializer = createSerializer(createSerializerWorker);
  const approvals = await openApprovals(paths, channel, () => host);
  const host: SessionHost = new SessionHost({
    store,
    sessionsDir: paths.sessions,
    scratchDir: paths.scratch,
    models: registry,
    transport,
    serializer,
    extensions: new ExtensionBus({ onError: (error) => log.warn(logTextOf(error)) }),
    settings: () => settings.current(),
    emit: channel.emit,
    // A snapshot holds what came so far: what still waits for its frame must not come after it a second time.
    flushEvents: () => channel.flush(),
    now: Date.now,
    pendingApprovals: (sessionId) => approvals.pending(sessionId).map(toApprovalView),
    createTools: ({ sessionId, workspaceDir, onOutput }) =>
      createToolHost({
        sessionId,
        workspaceDir,
        dataDir: paths.data,
        outputsDir: paths.outputs,
        approvals,
        onOutput,
        settings: () => {
          const current = settings.current();
          return {
            policy: { write: current['tools.write'], edit: current['tools.write'], bash: current['tools.bash'] },
            deniedPaths: current['tools.deniedPaths'],
          };
        },
      }),
  });
  settings.onChange(() => host.settingsChanged());
  // Kept as well: a window that is not listening yet, or is loaded again, finds it in its bootstrap.
  const notify = (notice: Notice): void => {
    notices.push(notice);
    channel.emit({ type: 'notice', notice });
  };
  const sync = new SyncService(store, (recovered) => host.reload(recovered), log, notify);
  return {
    paths,
    channel,
    lastWrites: new LastWrites(channel),
    settings,
    credentials,
    endpoints,
    registry,
    store,
    host,
    approvals,
    sync,
    transport,
    serializer,
    window: around.window,
    keyring: () => (vault.available() ? 'available' : 'unavailable'),
    onDatabaseState: (state, detail) => log.warn(`The window's database: ${state}. ${detail}`),
    notices,
  };
}

async function openApprovals(paths: AppPaths, channel: EventChannel, host: () => SessionHost): Promise<Approvals> {
  return Approvals.open({
    file: paths.approvals,
    onChange: (event) => {
      if (event.type === 'requested')
        channel.emit({ type: 'approval_requested', request: toApprovalView(event.request) });
      if (event.type === 'settled') {
        const { sessionId, id, outcome } = event;
        channel.emit({
          type: 'approval_resolved',
          sessionId,
          approvalId: id,
          decision: outcome === 'allowed' ? 'once' : 'deny',
        });
      }
      if (event.type !== 'rules_changed')
        host().approvalsChanged(event.type === 'requested' ? event.request.sessionId : event.sessionId);
    },
  });
}

/** Cuts torn tails before any page can open the database. `ESPALIER_SKIP_TAIL_REPAIR` is for the fault tests. */
async function repairDatabase(log: Log): Promise<void> {
  if (process.env.ESPALIER_SKIP_TAIL_REPAIR === '1') return;
  try {
    for (const { file, cutBytes } of await repairIndexedDbTails(app.getPath('userData'))) {
      log.warn(`Cut ${cutBytes} torn bytes from ${file}.`);
    }
  } catch (error) {
    log.error('The database could not be looked over before the start', error);
  }
}

async function* later<T>(opening: Promise<AsyncIterable<T>>): AsyncGenerator<T> {
  yield* await opening;
}

async function* rowChunks(parts: AppParts, sessionId: string, before: number) {
  for (const rows of await parts.host.rows(sessionId, before)) yield { rows };
}

async function* graphChunks(parts: AppParts, sessionId: string, fromSeq: number) {
  for (const entries of await parts.host.graph(sessionId, fromSeq)) yield { entries };
}

function followTheme(parts: AppParts): void {
  const apply = (): void => {
    nativeTheme.themeSource = parts.settings.current()['appearance.theme'];
  };
  apply();
  parts.settings.onChange(apply);
}

/** Quits when runs are stopped and recorded, the window has written and files are closed; in seconds, whatever hangs. */
function closeCleanly(parts: AppParts & Workers, log: Log): void {
  let state: 'open' | 'closing' | 'closed' = 'open';
  app.on('before-quit', (event) => {
    if (state === 'closed') return;
    event.preventDefault();
    // The closing window asks for it a second time.
    if (state === 'closing') return;
    state = 'closing';
    const limit = new Promise((resolve) => setTimeout(resolve, 5000));
    const close = async (): Promise<void> => {
      await parts.host.dispose();
      parts.channel.flush();
      await closeWindow(parts.window());
      await parts.store.close();
      await Promise.all([parts.transport.close(), parts.serializer.close()]);
    };
    void Promise.race([close(), limit])
      .catch((error: unknown) => log.error('Closing failed', error))
      .finally(() => {
        state = 'closed';
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
