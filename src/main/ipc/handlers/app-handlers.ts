import { lstat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { app, dialog, nativeTheme, type OpenDialogOptions, type SaveDialogOptions, shell } from 'electron';
import { isAutoCompactionForcedOff } from '../../agent/session-context';
import { isDevelopmentRuntime } from '../../runtime';
import { batchSender, type OnUnsendable } from '../batch-sender';
import { openExternalLink } from '../external-links';
import type { AppParts } from './types';
import type { RequestHandlers } from '@shared/ipc/contract';
import { type BatchPart, CHANNELS } from '@shared/ipc/names';

type AppHandlers = Pick<
  RequestHandlers,
  Extract<keyof RequestHandlers, `app.${string}` | `settings.${string}` | `tour.${string}`>
>;

/** The window itself: its start, links, folders, settings. */
export function appHandlers(parts: AppParts): AppHandlers {
  let isLooking = false;
  /** Loading what is known of models stops this thread for 40 ms: the first screen has its answer then, and is drawn meanwhile. */
  const findModelsLater = (): void => {
    if (isLooking) return;
    isLooking = true;
    setTimeout(() => {
      parts.offerTrust().catch((error: unknown) => parts.log.error('Known folders could not be looked at', error));
      parts.registry
        .load()
        .then(() => parts.registry.discover())
        .catch((error: unknown) => parts.log.error('The list of models could not be loaded', error));
    });
  };
  return {
    'app.bootstrap': async () => {
      await parts.tour.begin();
      const sessions = await parts.host.list();
      const lastShown = await parts.shown.last();
      const former = await formerOf(parts.paths);
      findModelsLater();
      // From here on nothing waits: all that the batches before this one told stands in the answer.
      const nextBatch = parts.channel.flush();
      return {
        version: app.getVersion(),
        platform: process.platform,
        home: homedir(),
        scratchDir: parts.paths.scratch,
        settings: parts.settings.current(),
        settingsProblems: [...parts.settings.problems],
        sessions,
        providers: parts.registry.providers(),
        keyring: parts.keyring(),
        systemDark: nativeTheme.shouldUseDarkColors,
        notices: [...parts.notices, ...parts.sync.unreadConflicts()],
        paths: {
          ...{ data: parts.paths.data, logs: parts.paths.logs },
          ...{ next: parts.mover.next, former, isFixed: parts.mover.isFixed },
        },
        afterBlank: parts.drawing.take(),
        lastShown,
        autoCompactionForcedOff: isAutoCompactionForcedOff(),
        developmentRuntime: isDevelopmentRuntime(process.versions.electron ?? ''),
        desktop: parts.attention.support(),
        tourSeen: [...parts.tour.seen],
        attend: parts.attention.take(),
        nextBatch,
      };
    },
    'app.ready': () => {
      // The page's first request: what it asks for afterwards, the comparison of the database too, and the events that
      // follow leave no gap between them.
      const onUnsendable: OnUnsendable = (error, { type }) =>
        parts.log.error(`The event ${type} could not be sent`, error);
      if (parts.window()) parts.channel.connect(batchSender((message) => sendTo(parts, message), onUnsendable));
    },
    'app.written': () => parts.lastWrites.written(),
    'app.openExternal': async ({ url }) => ({ opened: await openExternalLink(url, parts.window(), parts.patiently) }),
    'app.drawing': ({ sessionId, state }) => {
      if (state === 'begins') {
        parts.drawing.drawing(sessionId);
        parts.shown.shows(sessionId);
      } else if (state === 'none') parts.drawing.rested();
      else if (state === 'rests') parts.drawing.rested(sessionId);
      else parts.drawing.blank(sessionId);
    },
    'app.reportFault': ({ where, text }) => logFault(parts.log, where, text),
    'app.showInFolder': async ({ what }) => {
      const folder = what === 'former' ? parts.paths.former.at(-1) : parts.paths[what];
      if (folder !== undefined && parts.folders.mayOpen()) await shell.openPath(folder);
    },
    'app.moveData': async () => {
      const title = 'Move your files to';
      const [picked] = await choose(parts, { title, buttonLabel: 'Choose', properties: ['openDirectory', 'createDirectory'] }); // prettier-ignore
      if (picked !== undefined) await parts.mover.move(picked);
      return { next: parts.mover.next };
    },
    'app.cancelMove': () => parts.mover.cancel(),
    'app.restart': () => {
      if (parts.mover.next === null) return;
      app.relaunch();
      app.quit();
    },
    'tour.open': () => parts.tour.again(),
    'tour.seen': ({ marks }) => parts.tour.markSeen(marks),
    'settings.set': ({ key, value }) => parts.settingsGuard.set(key, value),
    'settings.reset': ({ key }) => parts.settingsGuard.reset(key),
  };
}

/** Where the files were before, if that is still there. */
async function formerOf({ former }: AppParts['paths']): Promise<string | null> {
  const last = former.at(-1);
  const there = last === undefined ? null : await lstat(last).catch(() => null);
  return last !== undefined && there !== null ? last : null;
}

/** Lines of the log that a page may write in one run of the app: a page that fails in each frame must not fill it. */
const MAX_FAULTS = 200;
let faults = 0;

function logFault(log: AppParts['log'], where: string, text: string): void {
  faults += 1;
  if (faults > MAX_FAULTS) return;
  const plain = `${where}: ${text}`.replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g, ' ');
  log.warn(`The window reports a failure. ${plain.split('\n').join('\n  | ')}`);
}

let isChoosing = false;

/**
 * What a dialog for files answers, if no other is open: a page must not pile them up, nor open it again each time it was closed.
 * @param show resolves to null where the person closed it
 */
async function oneDialog<T>(
  { patiently }: Pick<AppParts, 'patiently'>,
  show: () => Promise<T | null>,
): Promise<T | null> {
  if (isChoosing) return null;
  isChoosing = true;
  try {
    return await patiently('files', show);
  } finally {
    isChoosing = false;
  }
}

type DialogParts = Pick<AppParts, 'patiently' | 'window'>;

/**
 * Whether the person agrees to what the page may not decide. It can neither see nor answer this. `action`: the button's words; `isHarmless`: what
 * it does can be taken back.
 */
export async function confirm(
  parts: DialogParts,
  {
    action,
    message,
    detail,
    isHarmless = false,
  }: { action: string; message: string; detail: string; isHarmless?: boolean },
): Promise<boolean> {
  const window = parts.window();
  const options = {
    ...{
      type: isHarmless ? ('question' as const) : ('warning' as const),
      title: action,
      message,
      detail,
      buttons: [action, 'Cancel'],
    },
    ...{ defaultId: isHarmless ? 0 : 1, cancelId: 1, noLink: true },
  };
  const answer = await oneDialog(parts, async () => {
    const { response } = window ? await dialog.showMessageBox(window, options) : await dialog.showMessageBox(options);
    return response === 0 ? true : null;
  });
  return answer === true;
}

/** Paths that the person chose; none if they closed the dialog. */
export async function choose(parts: DialogParts, options: OpenDialogOptions): Promise<string[]> {
  const window = parts.window();
  const chosen = await oneDialog(parts, async () => {
    const { filePaths } = await (window ? dialog.showOpenDialog(window, options) : dialog.showOpenDialog(options));
    return filePaths.length > 0 ? filePaths : null;
  });
  return chosen ?? [];
}

/** Where the person wants a file to be; null if they closed the dialog. */
export async function chooseTarget(parts: DialogParts, options: SaveDialogOptions): Promise<string | null> {
  const window = parts.window();
  if (!window) return null;
  return oneDialog(parts, async () => {
    const { canceled, filePath } = await dialog.showSaveDialog(window, options);
    return canceled || filePath === '' ? null : filePath;
  });
}

function sendTo(parts: AppParts, message: string | BatchPart): void {
  const contents = parts.window()?.webContents;
  if (contents && !contents.isDestroyed() && !contents.isCrashed()) contents.send(CHANNELS.events, message);
}

type ModelHandlers = Pick<
  RequestHandlers,
  Extract<keyof RequestHandlers, `models.${string}` | `providers.${string}` | `endpoints.${string}`>
>;

/** Providers, keys and endpoints. */
export function modelHandlers({ registry, endpoints, credentials, keyGuard }: AppParts): ModelHandlers {
  return {
    'models.list': async () => {
      await registry.load();
      return { providers: registry.providers() };
    },
    'models.discover': async () => {
      await registry.load();
      await registry.discover();
      return { providers: registry.providers() };
    },
    'models.forgetWindow': (ref) => registry.forgetWindow(ref),
    'providers.setKey': ({ provider, key, keep }) => keyGuard.setKey(provider, key, keep),
    'providers.testKey': ({ provider, key }) => keyGuard.testKey(provider, key),
    'providers.stopKeyTest': () => keyGuard.stopKeyTest(),
    'providers.removeKey': ({ provider }) => registry.removeKey(provider),
    'providers.keySource': ({ provider }) => ({ source: credentials.source(provider) }),
    'endpoints.save': ({ endpoint, key }) => keyGuard.saveEndpoint(endpoint, key),
    'endpoints.remove': ({ endpointId }) => registry.removeEndpoint(endpointId),
    'endpoints.get': ({ endpointId }) => ({ endpoint: endpoints.get(endpointId) ?? null }),
    'endpoints.test': ({ endpoint, key }) => keyGuard.testEndpoint(endpoint, key),
  };
}
