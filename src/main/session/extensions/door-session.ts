import type { Branches } from '../branches/branches';
import type { Runs } from '../machine/runs';
import type { CompactParams, PromptParams, SessionScope } from '../machine/scope';
import { type DoorHost, LiveDoor } from './live-door';
import type { ModelRef } from '@shared/types';

/** A live session, as far as its door asks something of it (`AgentSession`). */
interface Live {
  readonly sessionId: string;
  readonly isRunning: boolean;
  readonly branches: Pick<Branches, 'navigate' | 'label'>;
  prompt(params: PromptParams): Promise<unknown>;
  stop(): Promise<void>;
  compact(how: CompactParams): Promise<unknown>;
  setModel(ref: ModelRef): Promise<void>;
  setThinking(level: string): Promise<void>;
}

/** The door that extensions have to a session. */
export function openDoor(scope: SessionScope, session: Live, runs: Pick<Runs, 'say'>, host: DoorHost): LiveDoor {
  const { queue, outbox } = scope;
  const door = {
    sessionId: session.sessionId,
    isIdle: () => !session.isRunning,
    hasPending: () => queue.list().some(({ held }) => !held) || outbox.length > 0,
    prompt: (said: PromptParams) => session.prompt(said),
    deliver: (draft: Parameters<Runs['say']>[0]['draft'], how: Omit<Parameters<Runs['say']>[0], 'draft'>) =>
      runs.say({ draft, ...how }),
    stop: () => session.stop(),
    compact: (how: CompactParams) => session.compact(how),
    navigate: (params: Parameters<Branches['navigate']>[0]) => session.branches.navigate(params),
    label: (entryId: string, label: string) => session.branches.label(entryId, label),
    setModel: (ref: ModelRef) => session.setModel(ref),
    setThinking: (level: string) => session.setThinking(level),
  };
  return new LiveDoor(scope, door, host);
}
