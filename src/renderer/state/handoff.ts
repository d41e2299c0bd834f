import type { App } from './app';
import { addSession, focusComposer, titleOf } from './session-actions';
import { openBranchDialog, tellBusy } from './tree-actions';
import { fillComposer, noteAsked } from './tree-moves';

/**
 * Drafts the first message of a new session for a goal (engine.md 17); without a goal it is asked for. The new session
 * opens with the draft in its composer, unless the person has gone to another one meanwhile.
 */
export async function handOff(app: App, sessionId: string, goal: string): Promise<void> {
  if (goal.trim() === '') return openBranchDialog(app, { kind: 'handoff', sessionId });
  if (tellBusy(app, sessionId)) return;
  await app.attempt(async () => {
    noteAsked(app, sessionId);
    const made = await app.client.request('session.handoff', { sessionId, goal: goal.trim() });
    if (!made) {
      app.toast({ level: 'info', text: 'Handoff cancelled. This session is unchanged, and no other was made.' });
      return;
    }
    const { summary, editorText, editorAttachments = [] } = made;
    addSession(app, summary);
    fillComposer(app, summary.id, editorText, editorAttachments);
    const open = (): void => {
      app.activate(summary.id);
      // Once React has drawn it.
      requestAnimationFrame(focusComposer);
    };
    if (app.sessions.getState().activeId === sessionId) return open();
    app.toast({
      level: 'success',
      text: `The draft for “${titleOf(summary)}” is ready.`,
      action: { label: 'Open it', onSelect: open },
    });
  });
}
