/** What the first screen does not show: one chunk, loaded by `later.tsx` alone. */
export { ApprovalCard } from '../features/approvals/approval-card';
export { WholeText } from '../features/approvals/approval-body';
export { BranchDialogs } from '../features/branches/branch-dialogs';
export { CompactionQuestions } from '../features/compaction/compaction-questions';
export { CompactSheet } from '../features/compaction/compact-sheet';
export { ExtensionQuestions, QuestionLine } from '../features/extensions/extension-questions';
export { EditorField, EditorLine } from '../features/extensions/editor-field';
export { TerminalView } from '../features/extensions/terminal-view';
export { OutputDialog } from '../features/output/output-dialog';
export { ImportDialog } from '../features/imports/import-dialog';
export { HelpDialog } from '../features/palette/help-dialog';
export { ReviewDialog } from '../features/review/review-dialog';
export { FindBar } from '../features/search/find-bar';
export { SearchPanel } from '../features/search/search-panel';
export { DeletedDialog } from '../features/sessions/deleted-dialog';
export { SettingsDialog } from '../features/settings/settings-dialog';
