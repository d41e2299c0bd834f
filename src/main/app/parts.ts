import { join } from 'node:path';
import { app, type BrowserWindow, session } from 'electron';
import { testKey } from '../agent/key-test';
import { logFailures } from '../agent/log-failures';
import { createWorkerTransport } from '../agent/stream/worker-transport';
import createProviderWorker from '../agent/stream/worker?nodeWorker';
import { PendingCalls } from '../approvals/pending-calls';
import { createSerializer } from '../compaction/serializer';
import createSerializerWorker from '../compaction/serializer-worker?nodeWorker';
import { limitQuestions, type Patiently, RESTING } from '../consent/ask-limit';
import type { AskConsent } from '../consent/consent';
import { consentWindows } from '../consent/consent-window';
import { environmentSecrets, environmentWithKeys } from '../environment/keys';
import { ExtensionDesk } from '../extensions/ui/extension-desk';
import { ToolSources } from '../extensions/tool-source';
import { createFileWorkers } from '../files/file-workers';
import { WorkerLooks } from '../files/looks';
import { pickedFiles } from '../files/picked-files';
import { ChosenFiles } from '../ipc/chosen-files';
import type { EventChannel, LastWrites } from '../ipc/event-channel';
import type { AppParts } from '../ipc/handlers/types';
import { openExternalLink } from '../ipc/external-links';
import { OutwardDoor } from '../ipc/outward-door';
import type { RequestGate } from '../ipc/request-gate';
import { createSessionStore } from '../journal/session-store';
import { openCredentials } from '../models/credentials';
import { openEndpoints } from '../models/endpoints';
import { KeyGuard } from '../models/key-guard';
import { defaultLocalAddresses } from '../models/local-servers';
import { Registry } from '../models/registry';
import { createMcp } from '../mcp/mcp-parts';
import { McpVault } from '../mcp/vault';
import { createRoutes, proxySecrets } from '../network/proxy-route';
import type { DrawingMarker } from '../own-files/drawing-marker';
import { problemsNotice } from '../own-files/own-file';
import { ShownSession } from '../own-files/shown-session';
import { StorageLook } from '../own-files/storage-sizes';
import { makeOwnFolder } from '../own-files/write-own';
import { DataMover } from '../data-folder/data-mover';
import type { DataLocation } from '../data-folder/location';
import { type AppPaths, sinceMoved } from '../paths';
import type { Log } from '../ports';
import type { DatabaseNote } from '../profile/broken-database';
import { randomHex } from '../random-hex';
import { createReadable } from '../readable/readable';
import createReadableThread from '../readable/readable-thread?nodeWorker';
import { InstructionBook } from '../project/instruction-book';
import { SearchService } from '../search/search-service';
import createSearchThread from '../search/search-thread?nodeWorker';
import { SessionHost } from '../session/host/session-host';
import { SettingsGuard } from '../settings/settings-guard';
import { onSetting } from '../settings/on-setting';
import { openSettings } from '../settings/settings-store';
import { SlashCommands } from '../slash/slash-commands';
import { skillSource } from '../slash/skill-source';
import { templateSource } from '../slash/template-source';
import { SyncService } from '../sync/sync-service';
import { Tour } from '../tour/tour';
import { Project } from '../trust/project-door';
import { TrustBook } from '../trust/trust-book';
import { TrustDesk } from '../trust/trust-desk';
import { startAttention } from './desktop';
import { openImports } from './open-imports';
import { openApprovals } from './open-approvals';
import { withExtensionStreams } from '../extensions/host/stream-transport';
import { openExtensions } from './extensions';
import { toolHosts } from './tool-hosts';
import { startFileProcess, startMcpProcess, systemKeyVault } from './electron-ports';
import type { Notice } from '@shared/types';
import { cutExport, TRUST_NOTICE, unnoted } from './part-notices';

/** What the services find there: made before the window, and small. */
export interface Surroundings {
  paths: AppPaths;
  /** What says where they are (SY13); null: `ESPALIER_HOME` does. */
  locationFile: string | null;
  location: DataLocation;
  log: Log;
  channel: EventChannel;
  lastWrites: LastWrites;
  drawing: DrawingMarker;
  databaseNote: DatabaseNote;
  /** What was wrong with the app's own files before there was a window, for the person. */
  problems: readonly string[];
  /** There is no trace of an earlier start, and nobody switched the tour off. */
  wantsTour: boolean;
  gate: RequestGate;
  knownSecrets: Set<string>;
  window: () => BrowserWindow | null;
  /** Opens the window, or brings it to the front. */
  showWindow: () => void;
  /** The folder of the built app: `main`, `preload` and `renderer` lie in it. */
  built: string;
  devServer: string | undefined;
  patiently: Patiently;
}

/** Threads that end with the app. */
interface Workers {
  transport: { close(): Promise<void> };
  serializer: { close(): Promise<void> };
  looks: { close(): void };
}

/** Makes all that the services are made of. Rejects where a file of the app's own can't be opened. */
export async function createParts(around: Surroundings): Promise<AppParts & Workers> {
  const { paths, log, channel, lastWrites, knownSecrets } = around;
  const notices: Notice[] = [];
  await Promise.all(
    [
      ...[paths.sessions, paths.trash, paths.outputs, paths.scratch, paths.search],
      ...[paths.prompts, paths.skills, paths.extensions],
    ].map(makeOwnFolder),
  );
  const vault = systemKeyVault();
  // At once: the window's first question waits for them.
  const openingSettings = openSettings(paths.settings);
  const files = createFileWorkers(startFileProcess);
  const looks = new WorkerLooks(files, () => channel.emit({ type: 'trust_changed' }));
  const [settings, credentials, instructions, asked, store, trust] = await Promise.all([
    openingSettings,
    openCredentials(paths.credentials, vault),
    InstructionBook.open(paths.instructions),
    PendingCalls.open(paths.asked, log),
    createSessionStore({
      dir: paths.sessions,
      trashDir: paths.trash,
      outputsDir: paths.outputs,
      exportsFile: paths.exports,
      importsFile: paths.imports,
      unsaidFile: paths.unsaid,
      clock: Date.now,
      randomHex,
      log: { warn: (message) => log.warn(message) },
      picked: pickedFiles(files),
      onApart: (sessionId) => host.wentApart(sessionId),
      onStrayed: (sessionId, entries) => sync.strayed(sessionId, entries),
      onOther: (sessionId) => sync.foundOther(sessionId),
      onUnnoted: (sessionId, why) => notify(unnoted(store.meta(sessionId)?.title ?? '', why)),
      whileLetGo: (sessionId, work) => host.whileLetGo(sessionId, work),
    }),
    openingSettings.then(({ isUnknown }) =>
      TrustBook.open({ file: paths.trust, scratchRoot: join(paths.data, 'workspaces'), isSuspended: isUnknown, looks }),
    ),
  ]);
  const search = new SearchService({
    createWorker: createSearchThread,
    file: join(paths.search, 'search.db'),
    sessionsDir: paths.sessions,
    warn: (message) => log.warn(message),
  });
  const attention = startAttention(around, () => settings.current());
  const endpoints = await openEndpoints(join(paths.data, 'endpoints.json'), credentials);
  const rememberSecrets = (): void => credentials.secrets.forEach((secret) => knownSecrets.add(secret));
  rememberSecrets();
  [...environmentSecrets(), ...proxySecrets(process.env)].forEach((secret) => knownSecrets.add(secret));
  const project = new Project({
    isTrusted: (folder) => trust.isTrusted(folder),
    isScratch: async (folder) => trust.isScratch((await looks.identify(folder))?.path ?? folder),
    looks,
    dataDir: paths.data,
    formerDirs: paths.former,
    profileDir: app.getPath('userData'),
    deniedPaths: () => settings.current()['tools.deniedPaths'],
    skillsOff: () => settings.current()['skills.off'],
    instructions: (folder) => instructions.of(folder),
  });
  const modelListeners = new Set<() => void>();
  const registry = new Registry({
    credentials,
    endpoints,
    settings: () => settings.current(),
    localAddresses: defaultLocalAddresses(process.env),
    environment: process.env,
    findRoute: createRoutes({
      settings: () => settings.current(),
      environment: process.env,
      askSystem: (url) => session.defaultSession.resolveProxy(url),
    }),
    onChange: (providers) => {
      rememberSecrets();
      environmentSecrets().forEach((secret) => knownSecrets.add(secret));
      channel.emit({ type: 'models_changed', providers });
      for (const listener of modelListeners) listener();
      host.limitsChanged();
    },
  });
  settings.onChange((current) => channel.emit({ type: 'settings_changed', settings: current }));

  const { show, toFront: showQuestion } = consentWindows({ ...around, parent: around.window });
  const askPicked: AskConsent = async (question) => (await show(question)) ?? null;
  const ask = limitQuestions(show, () => channel.emit({ type: 'notice', notice: RESTING }));
  const worker = createWorkerTransport({
    // Cloud credentials are looked for in the environment, by the thread itself.
    createWorker: (options) => createProviderWorker({ ...options, env: environmentWithKeys() }),
  });
  const transport = withExtensionStreams(logFailures(worker, log), (provider, sessionId) =>
    extensions.runner.streamOf(provider, sessionId),
  );
  const serializer = createSerializer(createSerializerWorker);
  const approvals = await openApprovals(paths, ask, looks, () => host);
  const mcp = await createMcp({
    startProcess: () => startMcpProcess(app.getVersion()),
    ...{ paths, files, ask, warn: (message) => log.warn(message) },
    profileDir: app.getPath('userData'),
    vault: new McpVault(credentials, () => vault.available()),
    openLink: (url) => openExternalLink(url, around.window(), around.patiently),
    deniedPaths: () => settings.current()['tools.deniedPaths'],
    isTrusted: (folder) => trust.isTrusted(folder),
    workspaceOf: (sessionId) => host.workspaceOf(sessionId),
    onChange: () => {
      channel.emit({ type: 'mcp_changed' });
      slash.changed(null);
    },
  });
  const damaged = problemsNotice(
    [around, settings, credentials, endpoints, instructions, approvals, asked, trust, store, mcp].flatMap(
      (part) => part.problems,
    ),
  );
  if (damaged) notices.push(damaged);
  const emit: typeof channel.emit = (event) => {
    search.hear(event);
    attention.hear(event);
    channel.emit(event);
  };
  const slash = new SlashCommands((sessionId) =>
    channel.emit({ type: 'commands_changed', ...(sessionId === null ? {} : { sessionId }) }),
  );
  const extensionDesk = new ExtensionDesk({
    tell: (sessionId, change) => host.tellExtension(sessionId, change),
    emit: channel.emit,
    now: Date.now,
  });
  // What else the model can call: sources come and go with extensions and servers.
  const toolSources = new ToolSources();
  const extensions = await openExtensions({
    ...{ paths, log, slash, toolSources, uis: extensionDesk, registry, transport, looks, trust, settings },
  });
  toolSources.add(mcp.tools);
  slash.add(mcp.prompts);
  modelListeners.add(() => extensions.runner.modelsChanged());

  const host: SessionHost = new SessionHost({
    store,
    onApart: (sessionId) => sync.wentApart(sessionId),
    sessionsDir: paths.sessions,
    scratchDir: paths.scratch,
    sinceMoved: (folder) => sinceMoved(paths, folder),
    models: registry,
    transport,
    serializer,
    ...{ extensions: extensions.bus, resources: extensions.resources },
    slash,
    shownByExtensions: (sessionId) => extensionDesk.shownIn(sessionId),
    extensionHost: extensions.runner,
    isNeeded: (sessionId) => approvals.hasSessionRules(sessionId),
    onClose: (sessionId) => {
      extensionDesk.closeSession(sessionId);
      mcp.leave(sessionId);
    },
    settings: () => settings.current(),
    emit,
    // A snapshot holds what came so far: what still waits for its frame must not come after it a second time.
    flushEvents: () => channel.flush(),
    now: Date.now,
    firstUnbegun: (reply) => asked.firstUnbegun(reply),
    project,
    createTools: toolHosts({
      ...{ paths, files, looks, approvals, asked, trust, project, toolSources, settings },
      profileDir: app.getPath('userData'),
      // Of a session that was not opened in the window, or has another folder now.
      onCreate: (sessionId) => mcp.join(sessionId),
    }),
  });
  const { resources } = extensions;
  const words = { project, resources, folderOf: (sessionId: string) => host.workspaceOf(sessionId) };
  slash.add(skillSource({ ...words, isOff: (name) => settings.current()['skills.off'].includes(name) }));
  slash.add(templateSource(words));
  onSetting(settings, 'skills.off', () => slash.changed(null));
  settings.onChange(() => host.limitsChanged());
  // Kept as well: a window that is not listening yet, or is loaded again, finds it in its bootstrap.
  const notify = (notice: Notice): void => {
    // A conflict is told at every start until it was read.
    if (!notice.conflict) notices.push(notice);
    channel.emit({ type: 'notice', notice });
  };
  // Not waited for: it may lie where nothing answers.
  void store.clearCutExports().then((cut) => {
    for (const path of cut) notify(cutExport(path));
  });
  const sync: SyncService = new SyncService(
    store,
    (recovered, from) => host.reload(recovered, from),
    log,
    notify,
    emit,
  );
  const trustDesk = new TrustDesk({
    ask,
    askPicked,
    book: trust,
    project,
    looks,
    dataDir: paths.data,
    rules: () => approvals.rules(),
    workspaces: async () => (await host.list()).map(({ workspace }) => workspace),
  });
  const offerTrust = async (): Promise<void> => {
    if (await trustDesk.hasOffer()) notify(TRUST_NOTICE);
  };
  trust.onChange((folders) => {
    approvals.forgetSessionRules(folders);
    channel.emit({ type: 'trust_changed' });
    host.trustChanged();
    void approvals.decideAnew();
    void mcp.servers.refresh();
  });
  const tour = await Tour.open(paths, { isWanted: around.wantsTour, host, store, sync, log });
  const hasSessions = async (): Promise<boolean> =>
    (await host.list()).some(({ demo, entryCount }) => !demo && entryCount > 0);
  return {
    paths,
    log,
    channel,
    lastWrites,
    drawing: around.drawing,
    shown: new ShownSession(paths.shown),
    settings,
    settingsGuard: new SettingsGuard({ settings, credentials, ask }),
    credentials,
    endpoints,
    registry,
    keyGuard: new KeyGuard({
      registry,
      endpoints,
      credentials,
      ask,
      hasSessions,
      sendTest: (test) => testKey(test, transport),
    }),
    store,
    readable: createReadable(createReadableThread),
    host,
    approvals,
    slash,
    extensionDesk,
    extensionHost: extensions.runner,
    closeExtensions: extensions.close,
    mcp,
    project,
    instructions,
    sync,
    search,
    attention,
    trust,
    trustDesk,
    tour,
    imports: openImports({ files, store, host, trustDesk, emit, log }),
    storage: new StorageLook(paths),
    mover: new DataMover({ data: paths.data, file: around.locationFile, location: around.location, ask, log }),
    offerTrust,
    transport,
    serializer,
    files,
    looks,
    chosenFiles: new ChosenFiles(),
    folders: new OutwardDoor(),
    window: around.window,
    ask,
    showQuestion,
    patiently: around.patiently,
    keyring: () => (vault.available() ? 'available' : 'unavailable'),
    onDatabaseState: (state, detail) => {
      log.warn(`The window's database: ${state}. ${detail}`);
      if (state === 'ok' || state === 'broken') void around.databaseNote.set(state === 'broken');
    },
    notices,
  };
}
