export { Transcript } from './transcript';
export type { QuestionPlace } from './context';
export { DiffReader, hasHunks, type DiffLine } from './diff-lines';
export { DiffPiece, DiffRows } from './diff-rows';
export { TerminalText } from './terminal';
export { DiffView } from './diff-view';
