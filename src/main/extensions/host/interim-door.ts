import type { AgentSession } from '../../session/host/agent-session';
import type { SessionDoor } from '../session-door';

/** Until sessions have a door of their own. */
export function interimDoor(session: AgentSession, workspaceOf: (sessionId: string) => string): SessionDoor {
  const { sessionId, log } = session;
  const refuse = (): Promise<never> => Promise.reject(new Error('This is not available yet.'));
  const facts = () => ({
    ...{ sessionId, cwd: workspaceOf(sessionId), file: '', dir: '', header: log.header, name: undefined },
    ...{ leafId: log.tree.leafId, model: undefined, thinkingLevel: 'off', isIdle: session.isQuiet, hasPending: false },
    ...{ contextUsage: { tokens: 0, window: 0, percent: null }, activeTools: [], allTools: [], systemPrompt: '' },
    isTrusted: false,
  });
  const never = () => () => undefined;
  return { sessionId, facts, onFacts: never, reload: refuse } as unknown as SessionDoor;
}
