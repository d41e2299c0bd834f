import type { ModelRef } from '@shared/ipc/types';
import type { App } from './app';
import type { SummaryProblem } from './summary-offer';
import { problemOf } from './tree-actions';
import { moveLeaf, noteAsked, rememberLeft } from './tree-moves';

/**
 * Writes the summary of a branch and puts it onto another one; it waits for `answerBringOver` in between. Resolves with
 * null when it landed, else with why nothing has changed.
 */
export async function bringOver(
  app: App,
  sessionId: string,
  sourceId: string,
  targetId: string,
  instructions: string,
  model?: ModelRef,
): Promise<SummaryProblem | null> {
  const { leafId } = app.openSession(sessionId).live.getState();
  const focus = instructions.trim();
  const params = {
    ...{ sessionId, sourceId, targetId },
    ...(focus === '' ? {} : { customInstructions: focus }),
    ...(model ? { model } : {}),
  };
  noteAsked(app, sessionId);
  try {
    const result = await app.client.request('session.bringOver', params);
    if (result.cancelled) {
      const text = result.aborted ? 'You cancelled it.' : 'An extension kept the session where it was.';
      return { text, tried: null };
    }
    rememberLeft(app, sessionId, leafId);
    const goBack = (): void => void app.attempt(() => moveLeaf(app, { sessionId, targetId: leafId, exact: true }));
    app.toast({
      level: 'success',
      text: 'The summary was brought over.',
      action: { label: 'Go back', onSelect: goBack },
    });
    return null;
  } catch (cause) {
    return problemOf(cause);
  }
}

/** Stores the text in place of the summary that waits, or drops it (null). */
export async function answerBringOver(app: App, sessionId: string, text: string | null): Promise<void> {
  await app.attempt(() =>
    app.client.request('session.answerTreeReview', { sessionId, accept: text !== null, text: text ?? '' }),
  );
}
