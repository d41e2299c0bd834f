export { Transcript } from './transcript';
export type { QuestionPlace, WholeKind } from './context';
export { DiffPiece, DiffRows } from './diff-rows';
export { TerminalText } from './terminal';
export { DiffView } from './diff-view';
