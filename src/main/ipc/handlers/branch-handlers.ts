import type { BRANCH_REQUESTS } from '@shared/ipc/tree-requests';
import type { SessionHost } from '../../session/session-host';
import type { SessionHandlers } from '../bound-session';

/** Branches of a session: going to them, naming, pinning, hiding, summarising, forking them (BR1, HF1, HF3). */
export function branchRequests(host: SessionHost): Pick<SessionHandlers<'session'>, keyof typeof BRANCH_REQUESTS> {
  return {
    go: (session, params) => session.branches.go(params),
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
