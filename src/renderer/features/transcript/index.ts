export { Transcript } from './transcript';
export type { QuestionPlace } from './context';
export { countChanges, parseDiff, type DiffLine } from './diff-lines';
export { DiffRows, warningsOfDiff } from './diff-rows';
export { TerminalText } from './terminal';
export { DiffView } from './diff-view';
