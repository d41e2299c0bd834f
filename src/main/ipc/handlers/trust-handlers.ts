import type { RequestHandlers } from '@shared/ipc/contract';
import type { AppParts } from './types';

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
