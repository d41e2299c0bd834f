export { Transcript } from './transcript';
export type { LiveStore, PendingRow, RetryWait, TranscriptHandle, TranscriptProps } from './types';
export { parseDiff, type DiffLine } from './diff-lines';
export { DiffView } from './diff-view';
