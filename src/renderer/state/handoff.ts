import type { ModelRef } from '@shared/ipc/types';
import type { App } from './app';
import { addSession, focusComposer, titleOf } from './session-actions';
import { openBranchDialog, problemOf, tellBusy } from './tree-actions';
import type { SummaryProblem } from './summary-offer';
import { fillComposer, noteAsked } from './tree-moves';

/**
 * Drafts the first message of a new session for a goal (HF1); without a goal it is asked for. The new session
 * opens with the draft in its composer, unless the person has gone to another one meanwhile.
 */
export async function handOff(app: App, sessionId: string, goal: string, model?: ModelRef): Promise<void> {
  if (goal.trim() === '') return openBranchDialog(app, { kind: 'handoff', sessionId });
  if (tellBusy(app, sessionId)) return;
  await app.attempt(async () => {
    noteAsked(app, sessionId);
    const params = { sessionId, goal: goal.trim(), ...(model ? { model } : {}) };
    const made = await app.client.request('session.handoff', params).catch((cause: unknown) => {
      const problem = problemOf(cause);
      if (problem.tried === null) throw cause;
      offerOthers(app, sessionId, goal, problem);
      return undefined;
    });
    if (made === undefined) return;
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

/** Nobody could write the draft: the dialog asks who else may, where the person still is. */
function offerOthers(app: App, sessionId: string, goal: string, problem: SummaryProblem): void {
  const ask = (): void => openBranchDialog(app, { kind: 'handoff', sessionId, goal, problem });
  const { activeId, byId } = app.sessions.getState();
  if (activeId === sessionId && app.ui.getState().branchDialog === null) return ask();
  const source = byId[sessionId];
  app.toast({
    level: 'error',
    text: `${problem.text} No session was made from ${source ? `“${titleOf(source)}”` : 'it'}.`,
    action: {
      label: 'Try another model',
      onSelect: () => {
        app.activate(sessionId);
        ask();
      },
    },
  });
}
