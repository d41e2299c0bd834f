/** What draws: loaded with pi-tui when the first component of a process is there. */
export { baseCompletions } from './base-completions';
export { type EditorFactory, EditorView } from './editor-view';
export { Stage } from './stage';
export { type Still, stillFrame, Stills } from './stills';
