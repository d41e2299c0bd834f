export { Transcript } from './transcript';
export type { LiveStore, PendingRow, QuestionPlace, TranscriptHandle, TranscriptProps } from './types';
export { countChanges, parseDiff, type DiffLine } from './diff-lines';
export { DiffRows, warningsOfDiff } from './diff-rows';
export { TerminalText } from './terminal';
export { DiffView } from './diff-view';
