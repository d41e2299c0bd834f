import type { RequestHandlers } from '@shared/ipc/contract';
import type { TREE_REQUESTS } from '@shared/ipc/tree-requests';
import type { AppParts } from './types';

/** `session.search` reads the text of all branches and is served with the graph. */
type BranchHandlers = Pick<RequestHandlers, Exclude<keyof typeof TREE_REQUESTS, 'session.search'>>;

/** Branches of a session: going to them, naming, hiding, summarising, forking them (BR1, HF1, HF3). */
export function branchHandlers({ host }: AppParts): BranchHandlers {
  return {
    'session.go': async ({ sessionId, ...params }) => (await host.session(sessionId)).branches.go(params),
    'session.bringOverPreview': async ({ sessionId, sourceId, targetId }) =>
      (await host.session(sessionId)).branches.bringOverPreview(sourceId, targetId),
    'session.bringOver': async ({ sessionId, ...params }) => (await host.session(sessionId)).branches.bringOver(params),
    'session.handoff': ({ sessionId, goal, model }) => host.handoff(sessionId, goal, model),
    'session.label': async ({ sessionId, entryId, label }) =>
      (await host.session(sessionId)).branches.label(entryId, label),
    'session.setBranchArchived': async ({ sessionId, entryId, archived }) =>
      (await host.session(sessionId)).branches.setArchived(entryId, archived),
    'session.clear': async ({ sessionId }) => (await host.session(sessionId)).branches.clear(),
    'session.fork': ({ sessionId, entryId }) => host.fork(sessionId, entryId),
    'session.versions': async ({ sessionId, entryId }) => ({
      versions: (await host.session(sessionId)).branches.versions(entryId),
    }),
    'entries.find': async ({ sessionId, entryId }) => ({ found: await host.findEntry(sessionId, entryId) }),
  };
}
