/** The one way in which the window moves the leaf: what it remembers of the place left, what comes into the composer. */
import type { AppEvent } from '@shared/ipc/contract';
import type { NavigateResult } from '@shared/ipc/tree-types';
import type { Attachment, ModelRef } from '@shared/ipc/types';
import type { App } from './app';
import type { Destination } from './branch-dialogs';
import { asSentence } from './format';
import { left, NOWHERE, step } from './visited-leaves';

export interface SummaryOrder {
  summarize: boolean;
  customInstructions?: string;
  /** Writes this summary; absent: the settings say who. */
  model?: ModelRef;
}

const NO_SUMMARY: SummaryOrder = { summarize: false };

/**
 * Moves the leaf of a session. Text and files of a user message that was gone to come into the composer, if that is empty.
 * @param how.keepsTrace false for a step of Back and Forward, and for a way back that never happened
 * @throws AppError when main refuses: then nothing has changed
 */
export async function moveLeaf(
  app: App,
  { sessionId, ...to }: Destination,
  { order = NO_SUMMARY, keepsTrace = true }: { order?: SummaryOrder; keepsTrace?: boolean } = {},
): Promise<NavigateResult> {
  const { leafId } = app.openSession(sessionId).live.getState();
  if (order.summarize) noteAsked(app, sessionId);
  const result = await app.client.request('session.navigate', { sessionId, ...to, ...order });
  if (result.cancelled) {
    if (!result.aborted) app.toast({ level: 'info', text: 'An extension kept the session where it was.' });
    return result;
  }
  if (keepsTrace) rememberLeft(app, sessionId, leafId);
  fillComposer(app, sessionId, result.editorText ?? '', result.editorAttachments ?? []);
  return result;
}

/** Notes that a leaf was left, so that Back leads to it. */
export function rememberLeft(app: App, sessionId: string, leafId: string | null): void {
  app.ui.setState(({ visited }) => ({
    visited: { ...visited, [sessionId]: left(visited[sessionId] ?? NOWHERE, leafId) },
  }));
}

/** Goes one step through the leaves that were visited. Never asks: the way on is one key away. */
export async function stepThroughLeaves(app: App, sessionId: string, by: 'back' | 'forward'): Promise<void> {
  const { leafId } = app.openSession(sessionId).live.getState();
  const found = step(app.ui.getState().visited[sessionId] ?? NOWHERE, by, leafId);
  if (!found) {
    app.announce(by === 'back' ? 'There is nowhere to go back to.' : 'There is nowhere to go forward to.');
    return;
  }
  await app.attempt(async () => {
    const result = await moveLeaf(app, { sessionId, targetId: found.to, exact: true }, { keepsTrace: false });
    if (result.cancelled) return;
    app.ui.setState(({ visited }) => ({ visited: { ...visited, [sessionId]: found.after } }));
    app.announce(by === 'back' ? 'Back on the branch before.' : 'Forward to the branch after.');
  });
}

/** Puts a message into the composer of a session; what is being written there is never lost. */
export function fillComposer(app: App, sessionId: string, text: string, attachments: readonly Attachment[]): void {
  if (text === '' && attachments.length === 0) return;
  const { draft } = app.openSession(sessionId);
  const fill = (): void =>
    draft.set({
      text,
      attachments: attachments.map((item, index) => ({ ...item, id: `${app.now()}-${index}` })),
      problem: null,
    });
  const held = draft.state.getState();
  if (held.text.trim() === '' && held.attachments.length === 0) return fill();
  app.toast({
    level: 'info',
    text: 'Your composer holds a draft, so the text of that message was not put there.',
    action: { label: 'Use its text', onSelect: fill },
  });
}

/** Notes that whoever asks for a summary of this session tells how it ends; its answer and the event can overtake each other. */
export function noteAsked(app: App, sessionId: string): void {
  app.ui.setState(({ askedSummaries }) => ({ askedSummaries: [...new Set([...askedSummaries, sessionId])] }));
}

type TreeSummaryEnd = Extract<AppEvent, { type: 'tree_summary_end' }>;

/** How a summary ended that was asked for before the window was opened anew. */
export function tellTreeSummaryEnd(app: App, { sessionId, errorMessage }: TreeSummaryEnd): void {
  if (errorMessage === undefined || app.ui.getState().askedSummaries.includes(sessionId)) return;
  app.toast({ level: 'error', text: `${asSentence(errorMessage)} The session is unchanged.` });
}
