import type { Failure } from '@shared/types';
import type { CompactionOutcome } from '../ports';

/** How a refused context was made smaller: `retry` if the request may be sent again. */
export type Recovery = 'retry' | 'off' | 'again' | CompactionOutcome;

/** The context ends in a finished reply: there is no message that a model could answer. */
export const NOTHING_TO_ANSWER: Failure = {
  title: 'Nothing to answer',
  detail: 'The session ends with a finished reply. Nothing was sent. Write a message to continue.',
  actions: ['dismiss'],
};

/**
 * D > W (TG6): nothing was sent, nothing is stored. Tokens.
 */
export function tooLongFailure(model: string, tokens: number, window: number, room: RoomLeft): Failure {
  const compacts = room.canCompact ? 'compact the session, ' : '';
  const what = room.canUndo
    ? `The last compaction made it longer: undo it, ${compacts}or choose`
    : room.canCompact
      ? 'Compact the session, or choose'
      : 'Choose';
  return {
    title: 'The session is too long for this model',
    detail:
      `The next request would be about ${count(tokens)} tokens, but ${model} takes ${count(window)}. Nothing was sent and ` +
      `nothing is lost. ${what} a model with a larger context window. Retry sends it anyway.${below(room.pins)}`,
    actions: waysOut(room),
  };
}

/** What could still make the context shorter. */
export interface RoomLeft {
  /** What is pinned, in words; null: nothing. */
  pins: string | null;
  /** A compaction would make it smaller: where it would not, it is not offered. */
  canCompact: boolean;
  /** The compaction in force made it larger, and without it the context fits. */
  canUndo: boolean;
}

function waysOut({ canCompact, canUndo }: RoomLeft): Failure['actions'] {
  const ways = [...(canUndo ? (['undo'] as const) : []), ...(canCompact ? (['compact'] as const) : [])];
  return [...ways, 'model', 'retry', 'dismiss'];
}

/** The model does the same over and over since a compaction (TG17). */
export const STUCK: Failure = {
  title: 'The agent is repeating itself',
  detail:
    'Since the last compaction it has made the same call three times in a row, with the same result, so it was stopped. ' +
    'Tell it what to do next, undo the compaction so that it sees the original messages again, or let it continue.',
  actions: ['continue', 'dismiss'],
};

/** The run was stopped for a compaction and is not continued automatically. */
export const STOPPED_FOR_COMPACTION: Failure = {
  title: 'This turn is unfinished',
  detail: 'It was stopped to compact the session. What was received is saved.',
  actions: ['continue', 'dismiss'],
  stopped: true,
};

/** A reply broke off because the context fills the window; what it has is kept (TG9, `length-overflow`). */
export const NO_ROOM: Failure = {
  title: 'The reply was cut off',
  detail: 'The session fills this model’s context window, leaving no room for a complete answer. Nothing is lost.',
  actions: ['compact', 'model', 'retry', 'dismiss'],
};

/** The provider refused the context as too long, and it could not be made shorter (TG12, JB10). */
export function overflowFailure(failure: Failure, how: Exclude<Recovery, 'retry'>, room: RoomLeft): Failure {
  const actions = waysOut(room);
  const detail = `${failure.detail}${below(room.pins)}`;
  if (how === 'off') return { ...failure, detail, actions };
  return { ...failure, detail: `${whyNotRecovered(how, failure === NO_ROOM)}\n${detail}`, actions };
}

function below(text: string | null): string {
  return text === null ? '' : `\n${text}`;
}

function whyNotRecovered(how: 'again' | CompactionOutcome, isTruncated: boolean): string {
  if (how === 'again') {
    if (isTruncated) return 'Truncated response recovery failed after one compact-and-retry attempt.';
    return (
      'Context overflow recovery failed after one compact-and-retry attempt. ' +
      'Try reducing context or switching to a larger-context model.'
    );
  }
  if (how.kind === 'nothing') return `Context overflow recovery failed: ${how.text}.`;
  if (how.kind === 'failed') return `Context overflow recovery failed: ${how.message}.`;
  return 'The compaction was cancelled. Nothing is lost.';
}

/** An entry could not be written: the run stopped, what is on screen stays there until it is saved. */
export function unsavedFailure(error: unknown): Failure {
  return {
    title: 'Not saved',
    detail: `${messageOf(error)} The run was stopped. What is not saved yet, a result too, is kept until you quit. Retry saves it and continues.`,
    actions: ['retry', 'dismiss'],
  };
}

/** Anything that kept a request from going out. */
export function failureOfError(error: unknown): Failure {
  return {
    title: 'The request could not be made',
    detail: `${messageOf(error)} Nothing was sent. Saved messages are safe.`,
    actions: ['retry', 'dismiss'],
  };
}

/** A failed reply found at the end of a session that was reopened: only its text is known. */
export function storedFailure(errorMessage: string | undefined): Failure {
  return {
    title: 'The last reply failed',
    detail: errorMessage?.trim() || 'The provider gave no reason.',
    actions: ['retry', 'model', 'dismiss'],
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function count(tokens: number): string {
  return Math.round(tokens).toLocaleString('en-US');
}
