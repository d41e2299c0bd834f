import { shell } from 'electron';
import { isSafeSessionId, SessionFiles } from '../../journal/file/session-files';
import { readOutput } from '../../session/read-output';
import { type ReadLines, readLinesOf } from '../../search/standing';
import type { SessionHost } from '../../session/host/session-host';
import { toRuleView } from '../approval-view';
import { AppError } from '../failure';
import { boundSession, type SessionHandlers } from '../server';
import { choose, chooseTarget, confirm } from './app-handlers';
import type { AppParts } from './types';
import type { InGroup, RequestHandlers } from '@shared/ipc/contract';
import type { ExportForm } from '@shared/ipc/request-spec';
import type { BRANCH_REQUESTS } from '@shared/ipc/tree-requests';
import { visibleString } from '@shared/policy/visible-text';

/** Branches of a session: going to them, naming, pinning, hiding, summarising, forking them (BR1, HF1, HF3). */
function branchRequests(host: SessionHost): Pick<SessionHandlers<'session'>, keyof typeof BRANCH_REQUESTS> {
  return {
    go: (session, params) => session.branches.go(params),
    branchPreview: (session, { targetId, ...how }) => session.branches.branchPreview(targetId, how),
    bringOverPreview: (session, { sourceId, targetId }) => session.branches.bringOverPreview(sourceId, targetId),
    bringOver: (session, params) => session.branches.bringOver(params),
    handoff: (session, { goal, model }) => host.handoff(session.sessionId, goal, model),
    label: (session, { entryId, label }) => session.branches.label(entryId, label),
    pin: (session, { entryIds, pinned }) => session.pins.set(entryIds, pinned),
    pins: (session) => session.pins.list(),
    setBranchArchived: (session, { entryId, archived }) => session.branches.setArchived(entryId, archived),
    clear: (session) => session.branches.clear(),
    fork: (session, { entryId }) => host.fork(session.sessionId, entryId),
    versions: (session, { entryId }) => ({ versions: session.branches.versions(entryId) }),
    search: (session, { query }) => host.search(session.sessionId, query),
  };
}

type AnswersOfSessions = Pick<
  RequestHandlers,
  | Extract<
      keyof RequestHandlers,
      `sessions.${string}` | `session.${string}` | `queue.${string}` | `approvals.${string}` | `sync.${string}`
    >
  | `entries.${InGroup<'entries'>}`
  | 'workspace.completePath'
>;

/** After that a person has typed the path. */
const COMPLETION_MS = 5_000;
/** The session is drawn first. Milliseconds. */
const JOIN_AFTER_MS = 200;

/** What each form of an export is called in the dialog. */
const EXPORTED: Record<ExportForm, { filter: string; extension: string }> = {
  session: { filter: 'Session files', extension: 'jsonl' },
  original: { filter: 'Session files', extension: 'jsonl' },
  markdown: { filter: 'Markdown', extension: 'md' },
  page: { filter: 'Web pages', extension: 'html' },
};

/** Sessions, their runs, their approvals, and the copy in the window's database. */
export function sessionHandlers(parts: AppParts): AnswersOfSessions {
  const { host, store, approvals, sync, trustDesk } = parts;
  const complete = latestCompletion(parts.files);
  return {
    'sessions.create': async ({ beside, again }) => {
      const folder = beside && host.workspaceOf(beside);
      // A folder that is gone, or was on another computer, is no place to begin in (WN14).
      const isHere = folder && !(await trustDesk.isMissing(folder));
      return host.create({ workspace: isHere ? folder : undefined, id: again });
    },
    'sessions.rename': ({ sessionId, title }) => host.rename(sessionId, title),
    'sessions.setPinned': ({ sessionId, pinned }) => host.setPinned(sessionId, pinned),
    'sessions.setArchived': ({ sessionId, archived }) => host.setArchived(sessionId, archived),
    'sessions.chooseWorkspace': async ({ sessionId }) => {
      const { suggestion } = await parts.trustDesk.status(
        host.workspaceOf(sessionId),
        host.suggestedWorkspace(sessionId),
      );
      const [chosen] = await choose(parts, {
        title: 'Choose the workspace',
        properties: ['openDirectory', 'createDirectory'],
        ...(suggestion === null ? {} : { defaultPath: suggestion }),
      });
      const path = chosen === undefined ? null : await parts.trustDesk.picked(chosen);
      if (path !== null) await host.setWorkspace(sessionId, path);
      return { path };
    },
    'sessions.delete': ({ sessionId }) => host.remove(sessionId),
    'sessions.restore': ({ sessionId }) => host.restore(sessionId),
    'sessions.storage': () => parts.storage.sizes(),
    'sessions.deleted': async () => ({ sessions: await store.deletedSessions() }),
    'sessions.deleteForGood': async ({ sessionId }) => {
      const session = (await store.deletedSessions()).find(({ id }) => id === sessionId);
      if (!session) return { deleted: true };
      const deleted = await confirm(parts, {
        action: 'Delete for good',
        message: `Delete “${visibleString(session.title || 'New session')}” for good?`,
        detail: 'It leaves “Recently deleted” and can’t be restored.',
      });
      if (deleted) await store.deleteForGood(sessionId);
      return { deleted };
    },
    'sessions.showInFolder': ({ sessionId }) => {
      if (isSafeSessionId(sessionId) && parts.folders.mayOpen())
        shell.showItemInFolder(new SessionFiles(parts.paths.sessions).journal(sessionId));
    },
    'sessions.import': ({ file }) => host.importFile(parts.chosenFiles.take(file)),
    'sessions.chooseImport': async () => ({
      files: parts.chosenFiles.offer(
        await choose(parts, {
          title: 'Import sessions',
          properties: ['openFile', 'multiSelections'],
          filters: [
            { name: 'Session files', extensions: ['jsonl'] },
            { name: 'All files', extensions: ['*'] },
          ],
        }),
      ),
    }),
    'sessions.export': async ({ sessionId, as, of, leafId }) => {
      const title = store.meta(sessionId)?.title || 'Session';
      const { filter, extension } = EXPORTED[as];
      const path = await chooseTarget(parts, {
        title: 'Export the session',
        defaultPath: `${fileNameOf(title)}.${extension}`,
        filters: [{ name: filter, extensions: [extension] }],
      });
      if (path === null) return { path };
      if (as === 'session' || as === 'original') await store.exportTo(sessionId, path, as === 'original');
      else {
        const asked = {
          ...{ title, form: as === 'page' ? ('html' as const) : ('markdown' as const) },
          of: of === 'tree' ? ('tree' as const) : { leafId: leafId ?? null },
        };
        const place = { folder: host.workspaceOf(sessionId), date: new Date().toLocaleDateString('sv-SE') };
        await store.exportTo(sessionId, path, (journal, signal) =>
          parts.readable({ journal, name: sessionId, asked, place }, signal),
        );
      }
      return { path };
    },

    ...boundSession(host, 'session', sessionRequests(parts)),
    ...boundSession(host, 'queue', {
      send: (session, { itemId }) => session.sendQueued(itemId),
      remove: (session, { itemId }) => session.removeQueued(itemId),
    }),
    'workspace.completePath': async ({ sessionId, query }) => {
      const folder = host.workspaceOf(sessionId);
      return { paths: (await parts.trust.isTrusted(folder)) ? await complete(folder, query) : [] };
    },
    'entries.readOutput': ({ sessionId, entryId, offset }) =>
      readOutput(store, parts.paths.outputs, { sessionId, entryId, offset }),

    'entries.find': async ({ sessionId, entryId }) => ({ found: await host.findEntry(sessionId, entryId) }),

    'approvals.answer': async ({ approvalId, contentHash, decision, why }) => {
      const answer = await approvals.answer(approvalId, contentHash, decision, why?.trim() || undefined);
      if (!answer.ok) throw new AppError('refused', answer.reason);
    },
    'approvals.edit': async ({ approvalId, contentHash, command }) => {
      const answer = await approvals.edit(approvalId, contentHash, command);
      if (!answer.ok) throw new AppError('refused', answer.reason);
    },
    'approvals.showQuestion': () => parts.showQuestion(),
    'approvals.rules': async () => {
      const rules = approvals.rules();
      const rests = await trustDesk.rests(rules.map(({ scope }) => scope));
      return { rules: rules.map((rule, index) => toRuleView(rule, rests[index] ?? null)) };
    },
    'approvals.removeRule': async ({ ruleId }) => {
      await approvals.removeRule(ruleId);
    },
    'approvals.sessionRules': async () => {
      const found = approvals.rulesOfSessions();
      const rests = await trustDesk.rests(found.map(({ rule }) => rule.scope));
      return {
        rules: found.map(({ sessionId, rule }, index) => ({ ...toRuleView(rule, rests[index] ?? null), sessionId })),
      };
    },
    'approvals.removeSessionRule': ({ sessionId, ruleId }) => approvals.removeSessionRule(sessionId, ruleId),

    'sessions.conflictRead': async ({ sessionId }) => {
      const conflict = store.meta(sessionId)?.conflict;
      if (conflict) await store.setMeta(sessionId, { conflict: { ...conflict, isRead: true } });
    },

    'sync.hello': async ({ marks, reset }) => {
      // The session of the tour is not compared while it is being made.
      await parts.tour.begin();
      return sync.hello(marks, reset);
    },
    'sync.ack': ({ marks }) => sync.acknowledge(marks),
    'sync.upload': ({ sessionId, lines, first, last }) => sync.upload(sessionId, lines, first, last),
    'sync.storageState': ({ state, detail }) => parts.onDatabaseState(state, detail),
  };
}

/** What is asked of one live session. */
function sessionRequests({
  host,
  drawing,
  slash,
  sync,
  mcp,
  registry,
  extensionDesk,
}: Pick<
  AppParts,
  'host' | 'drawing' | 'slash' | 'sync' | 'mcp' | 'registry' | 'extensionDesk'
>): SessionHandlers<'session'> {
  return {
    open: async (session) => {
      // It may take seconds, and nobody waits for it.
      setTimeout(() => mcp.join(session.sessionId, () => registry.effectiveWindow(session.model)), JOIN_AFTER_MS);
      const told = sync.whenTold(session.sessionId);
      if (!told) return session.snapshot();
      await told;
      // Its file may be another one by now.
      return (await host.session(session.sessionId)).snapshot();
    },
    entries: async (session, { ids }) => ({ lines: await session.entries(ids) }),
    prompt: (session, prompt) => {
      // Whoever sends a message in it sees it (docs/specs/safety.md A4).
      drawing.rested(session.sessionId);
      return session.prompt(prompt);
    },
    commands: async ({ sessionId }) => ({ commands: await slash.list(sessionId) }),
    stop: (session) => {
      extensionDesk.cancelQuestions(session.sessionId);
      return session.stop();
    },
    retry: (session, how) => session.retry(how),
    skipRetryWait: (session) => session.skipRetryWait(),
    dismissFailure: (session, { of }) => session.dismissFailure(of),
    setModel: (session, { provider, modelId }) => session.setModel({ provider, modelId }),
    setThinking: (session, { level }) => session.setThinking(level),
    compact: (session, how) => session.compact(how),
    compactPreview: (session) => session.compactPreview(),
    answerReview: (session, { answer, text }) =>
      session.answerReview(answer === 'accept' ? text : null, answer === 'anew'),
    cancelJob: (session) => session.cancelJob(),
    undoPreview: (session, { entryId }) => session.undoPreview(entryId),
    undoCompaction: (session, { entryId }) => session.rewriter.undo(entryId),
    redoCompaction: (session, { entryId }) => session.rewriter.redo(entryId),
    compactAgain: (session, { entryId, ...asked }) => session.compactAgain(entryId, asked),
    editSummary: (session, { entryId, summary }) => session.rewriter.editSummary(entryId, summary),
    restorePruned: (session, { entryId }) => session.rewriter.restorePruned(entryId),
    ...branchRequests(host),
  };
}

/** One at a time, and of those that came meanwhile only the newest: it is what the person has typed. */
function latestCompletion(files: AppParts['files']): (folder: string, query: string) => Promise<string[]> {
  let newest = 0;
  let running: Promise<string[]> | undefined;
  return async (folder, query) => {
    const own = (newest += 1);
    while (running) await running;
    if (own !== newest) return [];
    const job = files.run('complete', { folder, query }, { timeoutMs: COMPLETION_MS, lane: 'window' });
    // A folder that takes too long offers nothing; it is no failure to bother anybody with.
    running = job.catch(() => []).finally(() => (running = undefined));
    return running;
  };
}

/** A title as a file name that every system takes. */
function fileNameOf(title: string): string {
  const clean = title
    .replace(/[^\p{L}\p{N} ._-]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 60);
  return clean.replace(/^\.+/, '') || 'session';
}

type TrustHandlers = Pick<
  RequestHandlers,
  Exclude<Extract<keyof RequestHandlers, `workspace.${string}` | `trust.${string}`>, 'workspace.completePath'>
>;

/** Folders and whether the person trusts them. Nothing here raises trust but by main's own question. */
export function trustHandlers({ host, trustDesk, approvals }: AppParts): TrustHandlers {
  return {
    'workspace.status': ({ sessionId }) =>
      trustDesk.status(
        host.workspaceOf(sessionId),
        host.suggestedWorkspace(sessionId),
        (session) => approvals.remembered(sessionId, { session }) === 'session',
      ),
    'workspace.review': async ({ sessionId }) => ({ trusted: await trustDesk.review(host.workspaceOf(sessionId)) }),
    'trust.list': () => trustDesk.list(),
    'trust.trustKnown': async ({ ids }) => ({ count: await trustDesk.trustKnown(ids) }),
    'trust.withdraw': ({ folderId }) => trustDesk.withdraw(folderId),
    'trust.dismissOffer': () => trustDesk.dismissOffer(),
  };
}

/** Hits of each session that are listed at first, and that a press on the rest brings. */
const FIRST_HITS = 4;
const MORE_HITS = 25;

/** The lines of a path that is read, worked out anew only where the session has more of them: it is asked for with each key. */
function latestLines(host: SessionHost): (sessionId: string, leafId: string) => Promise<ReadLines> {
  let latest: { key: string; lines: ReadLines } | null = null;
  return async (sessionId, leafId) => {
    const { tree } = (await host.session(sessionId)).log;
    const key = `${sessionId} ${leafId} ${tree.lastSeq}`;
    if (latest?.key !== key) latest = { key, lines: readLinesOf(tree, leafId) };
    return latest.lines;
  };
}

/** What is looked for in all sessions, and in one. */
export function searchHandlers({
  search,
  host,
}: AppParts): Pick<RequestHandlers, Extract<keyof RequestHandlers, `search.${string}`>> {
  const lines = latestLines(host);
  return {
    'search.all': async ({ place = null, skip = 0, beside, ...asked }) => {
      const all = beside === undefined ? [] : await host.list();
      const folder = all.find(({ id }) => id === beside)?.workspace;
      const sessionIds =
        beside === undefined
          ? {}
          : { sessionIds: all.flatMap(({ id, workspace }) => (workspace === folder ? id : [])) };
      return search.all({ ...asked, ...sessionIds, place, skip, most: skip === 0 ? FIRST_HITS : MORE_HITS });
    },
    'search.session': async ({ sessionId, leafId, ...asked }) =>
      search.inSession(sessionId, asked, leafId === undefined ? undefined : await lines(sessionId, leafId)),
    'search.tree': ({ sessionId, query }) => search.inTree(sessionId, query),
    'search.excerpts': async ({ sessionId, query, hits }) => ({
      excerpts: await search.excerpts(sessionId, query, hits),
    }),
  };
}
