/** How the leaf moves: what is asked before, what is remembered of the place left, what comes into the composer. */
import type { GoAnswer } from '@shared/ipc/tree-types';
import type { Attachment } from '@shared/types';
import { toComposer } from '@shared/session/records/message-text';
import type { SummaryInstructions } from '@shared/compaction/summary-job';
import { toAppError } from '../bridge';
import type { App } from '../state/app-type';
import { left, NOWHERE, step } from '../state/branch-state';
import type { BranchDialog, Destination, LeaveChoice } from '../state/branch-state';
import { asSentence } from '../state/format';
import { FIELD_BOUND, fitsField } from '../state/draft-store';
import type { SummaryProblem } from '../state/summary-offer';
import { HERE, refuse, type EntryTarget, type SessionTarget } from './action';

interface SummaryOrder extends Pick<SummaryInstructions, 'instructions' | 'model'> {
  summarize: boolean;
}

const NO_SUMMARY: SummaryOrder = { summarize: false };

const leafOf = (app: App, sessionId: string): string | null => app.openSession(sessionId).live.getState().leafId;

/**
 * Moves the leaf of a session. Text and files of a user message that was gone to come into the composer, if that is empty.
 * @param how.keepsTrace false for a step of Back and Forward, and for a way back that never happened
 * @throws AppError when main refuses: then nothing has changed
 */
export async function moveLeaf(
  app: App,
  { sessionId, ...to }: Destination,
  { order = NO_SUMMARY, keepsTrace = true }: { order?: SummaryOrder; keepsTrace?: boolean } = {},
): Promise<Gone> {
  const leafId = leafOf(app, sessionId);
  if (order.summarize) noteAsked(app, sessionId);
  const answer = await app.client.request('session.go', { sessionId, ...to, choice: order });
  return arrived(app, sessionId, answer as Gone, keepsTrace ? leafId : undefined);
}

type Gone = Extract<GoAnswer, { kind: 'done' }>;

/** After a move: text of the message that was gone to, and the way back to `leftId` if it is to be remembered. */
function arrived(app: App, sessionId: string, gone: Gone, leftId: string | null | undefined): Gone {
  if (gone.cancelled) {
    if (!gone.aborted) app.toast({ level: 'info', text: KEPT });
    return gone;
  }
  if (leftId !== undefined) rememberLeft(app, sessionId, leftId);
  fillComposer(app, sessionId, gone.editorText ?? '', gone.editorAttachments ?? []);
  return gone;
}

export const KEPT = 'An extension kept the session where it was.';

/** The way back to a leaf, for the button of a toast. */
export function backTo(app: App, sessionId: string, leafId: string | null): () => void {
  return () => void app.attempt(() => moveLeaf(app, { sessionId, targetId: leafId, exact: true }));
}

/** Notes that a leaf was left, so that Back leads to it. */
export function rememberLeft(app: App, sessionId: string, leafId: string | null): void {
  app.ui.setState(({ visited }) => ({
    visited: { ...visited, [sessionId]: left(visited[sessionId] ?? NOWHERE, leafId) },
  }));
}

/** Notes that whoever asks for a summary of this session tells how it ends; its answer and the event can overtake each other. */
export function noteAsked(app: App, sessionId: string): void {
  app.ui.setState(({ askedSummaries }) => ({ askedSummaries: [...new Set([...askedSummaries, sessionId])] }));
}

/** Puts a message into the composer of a session; what is being written there is never lost. */
export function fillComposer(app: App, sessionId: string, text: string, attachments: readonly Attachment[]): void {
  if (text === '' && attachments.length === 0) return;
  const draft = app.draftOf(sessionId);
  const fill = (): void => {
    const before = draft.state.getState();
    const added = attachments.map((item) => ({ ...item, id: crypto.randomUUID() }));
    draft.set({ text, attachments: [...before.attachments, ...added], problem: null });
    draft.keepAside(before.text.trim());
  };
  const held = draft.state.getState();
  if (held.text.trim() === '' && held.attachments.length === 0) return fill();
  app.toast({
    level: 'info',
    text: 'Your composer holds a draft, so the text of that message was not put there.',
    action: { label: 'Use its text', onSelect: fill },
  });
}

export function openDialog(app: App, branchDialog: BranchDialog): void {
  app.ui.setState({ branchDialog });
}

/** Why there is no summary, in a sentence, and who was asked. */
export function problemOf(cause: unknown): SummaryProblem {
  const { message, tried } = toAppError(cause);
  return { text: asSentence(message), tried };
}

/** Goes to an entry in one request. Main answers with a question when visible work is left behind, unless the settings or `asks` say otherwise. */
export async function navigate(app: App, to: Destination, { asks = false } = {}): Promise<void> {
  const { sessionId } = to;
  await app.attempt(async () => {
    const leafId = leafOf(app, sessionId);
    const { 'branchSummary.enabled': isDefault, 'branchSummary.skipPrompt': skips } = app.settings.getState().settings;
    if (isDefault && skips && !asks) noteAsked(app, sessionId);
    const answer = await app.client.request('session.go', { ...to, ...(asks ? { asks } : {}) });
    if (answer.kind === 'here') return refuse(app, HERE);
    if (answer.kind === 'done') return void arrived(app, sessionId, answer, leafId);
    const { preview, problem } = answer;
    if (problem) {
      const said = { ...problem, text: asSentence(problem.text) };
      return openDialog(app, { kind: 'leave', to, preview, choice: 'summarise', problem: said });
    }
    // Each time what the setting says (BR3); who wants another answer for good ticks the box.
    return openDialog(app, { kind: 'leave', to, preview, choice: isDefault ? 'summarise' : 'none' });
  });
}

export interface LeaveAnswer extends Pick<SummaryInstructions, 'instructions' | 'model'> {
  choice: LeaveChoice;
  /** From now on this choice is taken unasked. */
  isAlways: boolean;
}

/**
 * Goes where the leave dialog was about. Resolves with null when the dialog is done with, else with why nothing has
 * changed.
 */
export async function leaveWith(app: App, to: Destination, answer: LeaveAnswer): Promise<SummaryProblem | null> {
  const { choice, instructions = '', model } = answer;
  const focus = choice === 'instructions' ? instructions.trim() : '';
  const order: SummaryOrder = {
    summarize: choice !== 'none',
    ...(focus === '' ? {} : { instructions: focus }),
    ...(model ? { model } : {}),
  };
  try {
    const result = await moveLeaf(app, to, { order });
    if (result.aborted) return { text: 'You cancelled the summary.', tried: null };
    if (answer.isAlways) await neverAskAgain(app, choice);
    return null;
  } catch (cause) {
    return problemOf(cause);
  }
}

async function neverAskAgain(app: App, choice: LeaveChoice): Promise<void> {
  await app.attempt(async () => {
    await app.client.request('settings.set', { key: 'branchSummary.enabled', value: choice !== 'none' });
    await app.client.request('settings.set', { key: 'branchSummary.skipPrompt', value: true });
  });
}

/** Goes one step through the leaves that were visited. Never asks: the way on is one key away. */
export async function stepThroughLeaves(app: App, { id }: SessionTarget, by: 'back' | 'forward'): Promise<void> {
  const found = step(app.ui.getState().visited[id] ?? NOWHERE, by, leafOf(app, id));
  if (!found) {
    app.announce(by === 'back' ? 'There is nowhere to go back to.' : 'There is nowhere to go forward to.');
    return;
  }
  await app.attempt(async () => {
    const result = await moveLeaf(app, { sessionId: id, targetId: found.to, exact: true }, { keepsTrace: false });
    if (result.cancelled) return;
    app.ui.setState(({ visited }) => ({ visited: { ...visited, [id]: found.after } }));
    app.announce(by === 'back' ? 'Back on the branch before.' : 'Forward to the branch after.');
  });
}

/** The next message goes below an entry: the leaf moves there. Esc in the empty composer goes back without a trace. */
export async function branchFrom(app: App, { sessionId, id, endId = id }: EntryTarget): Promise<void> {
  const fromLeafId = leafOf(app, sessionId);
  if (fromLeafId !== endId) {
    const done = await app.attempt(() => moveLeaf(app, { sessionId, targetId: endId, exact: true }));
    if (!done || done.cancelled) return;
  }
  app.ui.setState({ branching: { sessionId, kind: 'branch', leafId: endId, fromLeafId, text: '' } });
  app.page.focus('composer');
}

const TOO_LONG_TO_EDIT = `This message is longer than the ${FIELD_BOUND} that can be edited here. Copy it and paste it: it is attached as a file then.`;

/** Puts a message back into the composer; sending it makes a branch beside the old one (HF7). */
export async function editAndResend(app: App, { sessionId, id }: EntryTarget): Promise<void> {
  const session = app.openSession(sessionId);
  await session.loadEntries([id]);
  if (!fitsField(toComposer(session.entry(id)).text)) return refuse(app, { text: TOO_LONG_TO_EDIT });
  const fromLeafId = leafOf(app, sessionId);
  await app.attempt(async () => {
    const to = { sessionId, targetId: id, exact: false };
    const result = await moveLeaf(app, to);
    if (result.cancelled) return;
    const { leafId, editorText: text = '' } = result;
    app.ui.setState({ branching: { sessionId, kind: 'edit', leafId, fromLeafId, text } });
    app.page.focus('composer');
  });
}

/** A branch that the next message would make, with nothing written for it yet. */
export function isUnchangedBranch(app: App, { id }: SessionTarget): boolean {
  const { branching } = app.ui.getState();
  if (branching?.sessionId !== id || leafOf(app, id) !== branching.leafId) return false;
  const { text } = app.draftOf(id).state.getState();
  return text.trim() === '' || text === branching.text;
}

/** Goes back from a branch that no message has made, as if nothing had been. */
export async function abandonBranching(app: App): Promise<void> {
  const { branching } = app.ui.getState();
  if (!branching) return;
  const { sessionId, fromLeafId, leafId, text } = branching;
  app.ui.setState({ branching: null });
  if (leafId !== fromLeafId) {
    const to = { sessionId, targetId: fromLeafId, exact: true };
    const done = await app.attempt(() => moveLeaf(app, to, { keepsTrace: false }));
    if (!done || done.cancelled) return;
    app.ui.setState(({ visited }) => {
      const known = visited[sessionId];
      return known ? { visited: { ...visited, [sessionId]: { ...known, back: known.back.slice(0, -1) } } } : {};
    });
  }
  const { draft } = app.openSession(sessionId);
  if (text !== '' && draft.state.getState().text === text) draft.set({ text: '', attachments: [] });
  app.page.focus('composer');
}

/** Asks for another answer to the message that a reply belongs to, beside the answer that is there. */
export async function answerAgain(app: App, { sessionId, id }: EntryTarget): Promise<void> {
  const { rows } = app.openSession(sessionId).view.getState();
  const at = rows.findIndex((row) => row.id === id);
  const asked = rows.slice(0, Math.max(0, at)).findLast(({ kind }) => kind === 'user');
  if (!asked) {
    app.toast({ level: 'info', text: 'There is no message of yours above this reply that could be answered again.' });
    return;
  }
  await app.attempt(async () => {
    const result = await moveLeaf(app, { sessionId, targetId: asked.id, exact: true });
    if (!result.cancelled) await app.client.request('session.retry', { sessionId });
  });
}

/** The next message begins a new branch of the session. */
export async function clear(app: App, { id: sessionId }: SessionTarget): Promise<void> {
  const leafId = leafOf(app, sessionId);
  await app.attempt(async () => {
    await app.client.request('session.clear', { sessionId });
    rememberLeft(app, sessionId, leafId);
    app.toast({
      level: 'info',
      text: 'Cleared. The next message starts a new branch; the conversation so far stays in this session.',
      action: { label: 'Undo', onSelect: backTo(app, sessionId, leafId) },
    });
  });
}
