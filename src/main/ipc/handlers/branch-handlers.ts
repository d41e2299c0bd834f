import type { RequestHandlers } from '@shared/ipc/contract';
import type { TREE_REQUESTS } from '@shared/ipc/tree-requests';
import type { AppParts } from './types';

/** `session.search` reads the text of all branches and is served with the graph. */
type BranchHandlers = Pick<RequestHandlers, Exclude<keyof typeof TREE_REQUESTS, 'session.search'>>;

/** Branches of a session: going to them, naming, hiding, summarising, forking them (BR1, HF1, HF3). */
export function branchHandlers({ host }: AppParts): BranchHandlers {
  return {
    'session.leavePreview': async ({ sessionId, targetId, exact }) =>
      (await host.branches(sessionId)).leavePreview(targetId, exact),
    'session.navigate': async ({ sessionId, ...params }) => (await host.branches(sessionId)).navigate(params),
    'session.bringOverPreview': async ({ sessionId, sourceId, targetId }) =>
      (await host.branches(sessionId)).bringOverPreview(sourceId, targetId),
    'session.bringOver': async ({ sessionId, ...params }) => (await host.branches(sessionId)).bringOver(params),
    'session.answerTreeReview': async ({ sessionId, accept, text }) =>
      (await host.branches(sessionId)).answerReview(accept ? text : null),
    'session.cancelTreeSummary': async ({ sessionId }) => (await host.branches(sessionId)).cancelSummary(),
    'session.handoff': ({ sessionId, goal, model }) => host.handoff(sessionId, goal, model),
    'session.label': async ({ sessionId, entryId, label }) => (await host.branches(sessionId)).label(entryId, label),
    'session.setBranchArchived': async ({ sessionId, entryId, archived }) =>
      (await host.branches(sessionId)).setArchived(entryId, archived),
    'session.clear': async ({ sessionId }) => (await host.branches(sessionId)).clear(),
    'session.fork': ({ sessionId, entryId }) => host.fork(sessionId, entryId),
    'session.versions': async ({ sessionId, entryId }) => ({
      versions: (await host.branches(sessionId)).versions(entryId),
    }),
    'entries.find': async ({ sessionId, entryId }) => ({ found: await host.findEntry(sessionId, entryId) }),
  };
}
