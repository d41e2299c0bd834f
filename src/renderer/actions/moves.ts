/** How the leaf moves: what is asked before, what is remembered of the place left, what comes into the composer. */
import type { GoAnswer } from '@shared/ipc/tree-types';
import type { Attachment } from '@shared/types';
import type { Row } from '@shared/session-state/state';
import { toComposer } from '@shared/session/records/message-text';
import type { SummaryInstructions } from '@shared/compaction/summary-job';
import { toAppError } from '../bridge';
import type { App } from '../state/app-type';
import { NOWHERE, step, withLeft } from '../state/branch-state';
import type { BranchDialog, Destination, LeaveChoice, LeaveQuestion } from '../state/branch-state';
import { asSentence } from '../state/format';
import { type BranchTarget, FIELD_BOUND, fitsField, targetOfItem, type Words } from '../state/draft-field';
import type { SummaryProblem } from '../state/summary-offer';
import { HERE, refuse, type EntryTarget, type Refusal, type SessionTarget, type Targets } from './action';

interface SummaryOrder extends Pick<SummaryInstructions, 'instructions' | 'model'> {
  summarize: boolean;
}

const NO_SUMMARY: SummaryOrder = { summarize: false };

const leafOf = (app: App, sessionId: string): string | null => app.openSession(sessionId).live.getState().leafId;

/** Sessions whose HEAD is on its way, by window. */
const going = new WeakMap<App, Set<string>>();

/** A press that comes while HEAD is on its way, as the second one of an impatient hand, asks for nothing: null. */
async function unlessGoing<T>(app: App, sessionId: string, move: () => Promise<T>): Promise<T | null> {
  const sessions = going.get(app) ?? new Set();
  going.set(app, sessions);
  if (sessions.has(sessionId)) return null;
  sessions.add(sessionId);
  try {
    return await move();
  } finally {
    sessions.delete(sessionId);
  }
}

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
  const ask = (): Promise<GoAnswer> => app.client.request('session.go', { sessionId, ...to, choice: order });
  // A summary takes its time: whoever presses meanwhile hears of it.
  const answer = order.summarize ? await ask() : await unlessGoing(app, sessionId, ask);
  if (answer === null) return { kind: 'done', leafId, cancelled: true, aborted: true };
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
  app.ui.setState(({ visited }) => withLeft(visited, sessionId, leafId));
}

/** Notes that whoever asks for a summary of this session tells how it ends; its answer and the event can overtake each other. */
export function noteAsked(app: App, sessionId: string): void {
  app.ui.setState(({ askedSummaries }) => ({ askedSummaries: [...new Set([...askedSummaries, sessionId])] }));
}

/** Puts a message into what the composer of a session holds for HEAD; what is being written there, or for a branch, is never lost. */
export function fillComposer(app: App, sessionId: string, text: string, attachments: readonly Attachment[]): void {
  if (text === '' && attachments.length === 0) return;
  const draft = app.draftOf(sessionId);
  const fill = (): void =>
    draft.put({ text, attachments: attachments.map((item) => ({ ...item, id: crypto.randomUUID() })) });
  const field = draft.state.getState();
  const held = field.branch?.head ?? field;
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
export async function navigate(
  app: App,
  to: Destination,
  { asks = false, shows }: { asks?: boolean; shows?: string } = {},
): Promise<void> {
  const { sessionId } = to;
  await app.attempt(async () => {
    const leafId = leafOf(app, sessionId);
    const { 'branchSummary.enabled': isDefault, 'branchSummary.skipPrompt': skips } = app.settings.getState().settings;
    if (isDefault && skips && !asks) noteAsked(app, sessionId);
    const ask = (): Promise<GoAnswer> => app.client.request('session.go', { ...to, ...(asks ? { asks } : {}) });
    const answer = isDefault && skips ? await ask() : await unlessGoing(app, sessionId, ask);
    if (answer === null) return;
    if (answer.kind === 'here') return shows === undefined ? refuse(app, HERE) : show(app, sessionId, shows);
    if (answer.kind === 'done') {
      if (!arrived(app, sessionId, answer, leafId).cancelled) show(app, sessionId, shows);
      return;
    }
    const { preview, problem } = answer;
    const asked = { kind: 'leave', to, leafId, preview, ...(shows === undefined ? {} : { shows }) } as const;
    if (problem) {
      const said = { ...problem, text: asSentence(problem.text) };
      return openDialog(app, { ...asked, choice: 'summarise', problem: said });
    }
    // Each time what the setting says (BR3); who wants another answer for good ticks the box.
    return openDialog(app, { ...asked, choice: isDefault || asks ? 'summarise' : 'none' });
  });
}

/** Has the transcript bring an entry into view, if one is to be. */
function show(app: App, sessionId: string, entryId: string | undefined): void {
  if (entryId !== undefined) app.ui.setState({ arrival: { sessionId, entryId } });
}

/** HEAD has gone elsewhere while it was asked: other work is left behind now, or none, and then nothing is asked. */
export async function askAgain(app: App, asked: LeaveQuestion): Promise<void> {
  const { to } = asked;
  const isAsked = (): boolean => app.ui.getState().branchDialog === asked;
  const leafId = leafOf(app, to.sessionId);
  const answer = await app.attempt(() => app.client.request('session.go', { ...to, asks: true }));
  const isThere =
    answer?.kind === 'here' || (answer?.kind === 'done' && !arrived(app, to.sessionId, answer, leafId).cancelled);
  if (isThere) show(app, to.sessionId, asked.shows);
  if (isAsked())
    app.ui.setState({
      branchDialog: answer?.kind === 'question' ? { ...asked, leafId, preview: answer.preview } : null,
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
export async function leaveWith(
  app: App,
  to: Destination,
  answer: LeaveAnswer,
  shows?: string,
): Promise<SummaryProblem | null> {
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
    if (!result.cancelled) show(app, to.sessionId, shows);
    // With instructions the box is not shown. Where an extension kept HEAD nothing was left.
    if (answer.isAlways && choice !== 'instructions' && !result.cancelled) await neverAskAgain(app, choice);
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

const NOTHING_TO_TRY: Refusal = { text: 'There is no message of yours here that could be tried in another way.' };

/**
 * The next message begins a branch behind an entry; HEAD moves when it is sent (BR4). At HEAD itself that would only go on: another way
 * there is one beside its last message (GR21).
 */
export async function branchFrom(app: App, { sessionId, id, endId = id }: EntryTarget): Promise<void> {
  const { graph, view } = app.openSession(sessionId);
  // Whether anything was said after it on another branch is known there, and it may not have been shown yet.
  if (isHead(app, sessionId, endId)) await graph.open();
  if (!isHead(app, sessionId, endId) || goesOn(app, sessionId, endId))
    return beginBranch(app, sessionId, { kind: 'branch', target: endId, parentId: endId });
  const asked = view.getState().rows.findLast(({ kind }) => kind === 'user');
  if (!asked) return refuse(app, NOTHING_TO_TRY);
  void editAndResend(app, { sessionId, id: asked.id });
}

/** Choices of model and level behind it are not another turn, and would be lost with it. */
function isHead(app: App, sessionId: string, endId: string): boolean {
  const { rows } = app.openSession(sessionId).view.getState();
  const at = rows.findIndex((row) => row.id === endId);
  return leafOf(app, sessionId) === endId || (at >= 0 && rows.slice(at + 1).every(isChoice));
}

/** HEAD stands where something was said after it on another branch: what is said here is one more. */
function goesOn(app: App, sessionId: string, endId: string): boolean {
  const { turns } = app.openSession(sessionId).graph.graph;
  return (turns.place(endId)?.node.children.length ?? 0) > 0;
}

const isChoice = ({ kind }: Pick<Row, 'kind'>): boolean => kind === 'modelChange' || kind === 'thinkingChange';

const NO_WORDS: Words = { text: '', attachments: [] };

/** Turns the composer to a branch. What is in it for HEAD is kept, and comes back. */
function beginBranch(
  app: App,
  sessionId: string,
  place: Pick<BranchTarget, 'kind' | 'target' | 'parentId'>,
  words: Words = NO_WORDS,
): void {
  const isSummed = app.settings.getState().settings['branchSummary.enabled'];
  const { draft } = app.openSession(sessionId);
  const preset = { preset: words.text, presetFiles: words.attachments.map(({ id }) => id) };
  const summary = isSummed ? { instructions: '' } : null;
  draft.toBranch({ ...place, oldLeaf: leafOf(app, sessionId), summary, ...preset }, words);
  // A graph in the whole window made room for the composer just now.
  app.page.focusOnceDrawn('composer');
}

const UNREADABLE = 'This message could not be read. Try again, or copy what is shown of it.';
const GONE = 'That message is being sent, or is no longer waiting.';
const TOO_LONG_TO_EDIT = `This message is longer than the ${FIELD_BOUND} that can be edited here. Copy it and paste it: it is attached as a file then.`;

/** Puts a copy of a message into the composer; sending it makes a branch beside the old one (HF7, BR4). */
export async function editAndResend(app: App, { sessionId, id }: EntryTarget): Promise<void> {
  const session = app.openSession(sessionId);
  await session.loadEntries([id]);
  const entry = session.entry(id);
  const { text, attachments } = toComposer(entry);
  if (!entry || !fitsField(text)) return refuse(app, { text: entry ? TOO_LONG_TO_EDIT : UNREADABLE });
  const words = { text, attachments: attachments.map((file) => ({ ...file, id: crypto.randomUUID() })) };
  beginBranch(app, sessionId, { kind: 'edit', target: id, parentId: entry.parentId ?? null }, words);
}

/** Gives up a branch that no message has made: the composer is HEAD's again, with what it held. */
export function abandonBranching(app: App, { id: sessionId }: SessionTarget): void {
  app.draftOf(sessionId).toHead();
  app.page.focus('composer');
}

/** Those that are on their way back into the composer. */
const editing = new Set<string>();

/** Puts a prepared branch back into the composer, with where it goes. Whenever the app ends meanwhile, it is stored there or still waits. */
export async function editQueued(app: App, { sessionId, itemId }: Targets['queued']): Promise<void> {
  if (editing.has(itemId)) return;
  const session = app.openSession(sessionId);
  const item = session.live.getState().queue.find(({ id }) => id === itemId);
  const target = item && targetOfItem(item, leafOf(app, sessionId));
  if (!target) return refuse(app, { text: GONE });
  if (!fitsField(item.text)) return refuse(app, { text: TOO_LONG_TO_EDIT });
  editing.add(itemId);
  const { draft } = session;
  const attachments = item.attachments.map((file) => ({ ...file, id: crypto.randomUUID() }));
  draft.toBranch(target, { text: item.text, attachments });
  app.page.focus('composer');
  const { branch } = draft.state.getState();
  await draft.flush();
  const removed = await app.ask('queue.remove', { sessionId, itemId });
  editing.delete(itemId);
  if (removed) return;
  const now = draft.state.getState();
  if (now.branch === branch) {
    // It is being said, as it was; what the person made of it meanwhile is theirs.
    if (removed === false && now.text === item.text) draft.set({ text: '', attachments: [] });
    draft.toHead();
  }
  if (removed === false) refuse(app, { text: GONE });
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
  const { model, thinkingLevel } = app.openSession(sessionId).live.getState();
  // What was chosen since the reply is for this one.
  const chosen = rows.slice(rows.findLastIndex((row) => !isChoice(row)) + 1);
  await app.attempt(async () => {
    const result = await moveLeaf(app, { sessionId, targetId: asked.id, exact: true });
    if (result.cancelled) return;
    if (model && chosen.some(({ kind }) => kind === 'modelChange'))
      await app.client.request('session.setModel', { sessionId, ...model });
    if (chosen.some(({ kind }) => kind === 'thinkingChange'))
      await app.client.request('session.setThinking', { sessionId, level: thinkingLevel });
    await app.client.request('session.retry', { sessionId });
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
