import { createContext, useContext, useSyncExternalStore } from 'react';
import type { SessionEntry } from '@shared/session/entry';
import type { TranscriptProps } from './types';
import type { Motion } from './motion';

/** What rows need of the transcript. It changes when approvals or state change, never with a token or a body. */
export type TranscriptContextValue = Pick<
  TranscriptProps,
  | 'getEntry'
  | 'onEntries'
  | 'requestEntries'
  | 'live'
  | 'busy'
  | 'approvals'
  | 'renderApproval'
  | 'explainsFailure'
  | 'onRetry'
  | 'compaction'
  | 'onOpenOutput'
  | 'tree'
  | 'labels'
  | 'hiddenBranches'
> & {
  motion: Motion;
  /** Tool results in whose place the model sees a note. */
  prunedIds: ReadonlySet<string>;
  /** The latest compaction of the path: only its text is what the model sees. */
  latestCompactionId: string | null;
  /** The newest reply, if nobody said anything since: its calls run or wait. */
  newestReplyId: string | null;
  /** The newest row: what only makes sense there (Retry) is offered there. */
  lastRowId: string | null;
};

const Context = createContext<TranscriptContextValue | null>(null);

export const TranscriptProvider = Context.Provider;

export function useTranscript(): TranscriptContextValue {
  const value = useContext(Context);
  if (!value) throw new Error('A transcript row stands outside its transcript.');
  return value;
}

/** The body of an entry; drawn anew when that one body comes or changes, not with every other. */
export function useEntry(id: string | undefined): SessionEntry | undefined {
  const { getEntry, onEntries } = useTranscript();
  return useSyncExternalStore(onEntries, () => (id === undefined ? undefined : getEntry(id)));
}
