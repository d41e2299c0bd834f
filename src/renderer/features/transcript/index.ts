export { Transcript } from './transcript';
export type { LiveStore, PendingRow, TranscriptHandle, TranscriptProps } from './types';
export { parseDiff, type DiffLine } from './diff-lines';
export { TerminalText } from './terminal';
export { DiffView } from './diff-view';
