import { createContext, useContext } from 'react';
import type { TranscriptProps } from './types';

/** What rows need of the transcript. It changes when bodies, approvals or state change, never with a token. */
export type TranscriptContextValue = Pick<
  TranscriptProps,
  | 'getEntry'
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
  | 'entriesVersion'
> & {
  /** Tool results in whose place the model sees a note. */
  prunedIds: ReadonlySet<string>;
  /** The latest compaction of the path: only its text is what the model sees. */
  latestCompactionId: string | null;
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
