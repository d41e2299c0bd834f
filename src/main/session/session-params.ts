import type { Attachment, ModelRef, QueueItem } from '@shared/ipc/types';
import type { DriveEnd } from '../agent/run-driver';
import type { AppendedRecord } from '../ports';

export interface PromptParams {
  itemId: string;
  text: string;
  attachments: Attachment[];
  mode: QueueItem['mode'];
}

export interface CompactParams {
  /** What to look at in particular. */
  instructions?: string;
  /** Go on afterwards with the turn that ended open. */
  retry?: boolean;
  /** The first kept entry (PL13); absent: planned. */
  cutAt?: string;
  /** Writes the summary, if it can. */
  model?: ModelRef;
  /** The summary waits for `answerReview`; absent: the setting decides. */
  review?: boolean;
}

/** What the sessions list may want to show. */
export type SessionActivity =
  | { kind: 'entries'; records: readonly AppendedRecord[] }
  | { kind: 'state' }
  | { kind: 'settled'; reason: DriveEnd['reason'] };
