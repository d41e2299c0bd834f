import type { Attachment, QueueItem } from '@shared/types';
import type { SummaryInstructions } from '@shared/compaction/summary-job';
import type { DriveEnd } from '../agent/run-driver';
import type { AppendedRecord } from '../ports';

export interface PromptParams {
  itemId: string;
  text: string;
  attachments: Attachment[];
  mode: QueueItem['mode'];
}

export interface CompactParams extends SummaryInstructions {
  /** Go on afterwards with the turn that ended open. */
  retry?: boolean;
}

/** What the sessions list may want to show. */
export type SessionActivity =
  | { kind: 'entries'; records: readonly AppendedRecord[] }
  | { kind: 'state' }
  | { kind: 'settled'; reason: DriveEnd['reason'] };
