import { join } from 'node:path';
import { app, nativeTheme } from 'electron';
import { serveBulk } from '../ipc/bulk';
import { serveDroppedFiles } from '../ipc/chosen-files';
import { appHandlers, modelHandlers } from '../ipc/handlers/app-handlers';
import { extensionHandlers } from '../ipc/handlers/extension-handlers';
import { importHandlers } from '../ipc/handlers/import-handlers';
import { mcpHandlers } from '../ipc/handlers/mcp-handlers';
import { wordHandlers } from '../ipc/handlers/word-handlers';
import { searchHandlers, sessionHandlers, trustHandlers } from '../ipc/handlers/session-handlers';
import type { AppParts } from '../ipc/handlers/types';
import { serveRequests } from '../ipc/server';
import { offspringEnded } from '../commands/offspring';
import { commandGroups } from '../commands/command-group';
import { reapOrphans } from '../commands/orphans';
import { sweepGitCopies } from '../project/git-copy';
import { readPath } from '../session/branches/read-path';
import { setMenu } from './menu';
import { createParts, type Surroundings } from './parts';

/** After the start has come to rest. */
const PROBE_DELAY_MS = 5_000;
/** Its thread takes as much of the processor as all of the start; a search does not wait for it (SE3). */
const INDEX_DELAY_MS = 30_000;
export interface Services {
  /** Stops runs and records that they were stopped. */
  stop(): Promise<void>;
  /** Closes files and threads; nothing is served afterwards. */
  close(): Promise<void>;
}

/**
 * Everything behind the window: sessions, models, tools, their requests. Loaded while the page's own code starts; what it
 * asks for waits at the gate. Rejects where a file of the app's own can't be opened.
 */
export async function startServices(around: Surroundings): Promise<Services> {
  const { log, gate, window } = around;
  const parts = await createParts(around);
  followTheme(parts);
  followShortcuts(parts);
  const ipc = { windowId: () => window()?.webContents.id, log, handle: gate.serve };
  serveRequests(
    {
      ...appHandlers(parts),
      ...modelHandlers(parts),
      ...wordHandlers(parts),
      ...sessionHandlers(parts),
      ...searchHandlers(parts),
      ...trustHandlers(parts),
      ...extensionHandlers(parts),
      ...mcpHandlers(parts),
      ...importHandlers(parts),
    },
    ipc,
  );
  serveBulk(
    {
      'session.rows': ({ sessionId, before }) => rowChunks(parts, sessionId, before),
      'session.path': ({ sessionId, entryId, endId }) => pathChunks(parts, sessionId, entryId, endId),
      'session.graph': ({ sessionId, fromSeq }) => graphChunks(parts, sessionId, fromSeq),
      'session.context': ({ sessionId, entryId }) => parts.host.context(sessionId, entryId),
      'sync.lines': ({ sessionId, fromSeq }) => parts.sync.lines(sessionId, fromSeq),
    },
    ipc,
  );
  serveDroppedFiles(parts.chosenFiles, ipc);
  // Not now: the first command and the first look at a folder are some way off.
  setTimeout(() => {
    void commandGroups();
    void sweepGitCopies();
  }, PROBE_DELAY_MS).unref();
  setTimeout(() => parts.search.begin(), INDEX_DELAY_MS).unref();
  reapOrphans(join(parts.paths.data, 'running')).then(
    (ended) => ended > 0 && log.warn(`${ended} commands of an earlier run were still going and were ended.`),
    (error: unknown) => log.error('Commands of an earlier run could not be looked for', error),
  );
  return {
    stop: async () => {
      parts.attention.close();
      parts.extensionDesk.close();
      parts.looks.close();
      await Promise.all([parts.imports.end(), parts.host.dispose()]);
    },
    async close() {
      // After the sessions: they told extensions that they end.
      parts.closeExtensions();
      await parts.store.close();
      await parts.shown.written();
      const { transport, serializer, files, search, mcp } = parts;
      const workers = [transport, serializer, files, search, mcp].map((worker) => worker.close());
      await Promise.all([...workers, offspringEnded()]);
    },
  };
}
async function* rowChunks(parts: AppParts, sessionId: string, before: number) {
  for (const rows of (await parts.host.session(sessionId)).rows(before)) yield { rows };
}

async function* pathChunks(parts: AppParts, sessionId: string, entryId: string, endId?: string) {
  yield* readPath((await parts.host.session(sessionId)).log, entryId, endId);
}

async function* graphChunks(parts: AppParts, sessionId: string, fromSeq: number) {
  for (const rows of (await parts.host.session(sessionId)).graph(fromSeq)) yield { rows };
}

function followTheme(parts: AppParts): void {
  const apply = (): void => {
    nativeTheme.themeSource = parts.settings.current()['appearance.theme'];
  };
  apply();
  parts.settings.onChange(apply);
}

/** The application menu says the keys that actions have now (WN15). */
function followShortcuts({ settings, channel }: AppParts): void {
  let shown = '{}';
  const apply = (): void => {
    const chosen = settings.current()['shortcuts.keys'];
    if (JSON.stringify(chosen) === shown) return;
    shown = JSON.stringify(chosen);
    setMenu((command) => channel.emit({ type: 'command', command }), !app.isPackaged, chosen);
  };
  apply();
  settings.onChange(apply);
}
