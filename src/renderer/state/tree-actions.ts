/** What a person does to the tree, from transcript, graph, outline and palette alike. A failure becomes a toast. */
import { toAppError } from '../bridge';
import type { ModelRef } from '@shared/ipc/types';
import type { App } from './app';
import { readLeaveChoice, type BranchDialog, type Destination, type LeaveChoice } from './branch-dialogs';
import { asSentence } from './format';
import { addSession, focusComposer, titleOf } from './session-actions';
import { isRunning } from './sessions-store';
import type { SummaryProblem } from './summary-offer';
import { fillComposer, moveLeaf, type SummaryOrder } from './tree-moves';

export interface TreeActions {
  /** Goes to an entry (null: before the first). Asks first when visible work is left behind, unless `summary` says how. */
  navigate(
    sessionId: string,
    targetId: string | null,
    how?: { exact?: boolean; summary?: 'none' | 'default' | 'ask' },
  ): Promise<void>;
  /** The next message goes below an entry: the leaf moves there, composer focused; Esc in the empty composer goes back without a trace. */
  branchFrom(sessionId: string, entryId: string): Promise<void>;
  /** Opens the sheet that brings the summary of `sourceId`'s branch over to `targetId`. */
  bringOver(sessionId: string, sourceId: string, targetId: string): void;
  editLabel(sessionId: string, entryId: string): void;
  fork(sessionId: string, entryId?: string): Promise<void>;
  setArchived(sessionId: string, entryId: string, archived: boolean): Promise<void>;
  copyReference(sessionId: string, entryId: string): Promise<void>;
}

/** Why nothing can move now (JB2). */
export const BUSY_REASON = 'The agent is at work in this session. Stop it or wait for it to end, then try again.';

const LEAVE_CHOICE_KEY = 'leaveChoice';

/** The actions over main's requests and the dialogs of the window. Nothing here throws. */
export function createTreeActions(app: App): TreeActions {
  return {
    async navigate(sessionId, targetId, { exact = false, summary } = {}) {
      if (tellBusy(app, sessionId)) return;
      await app.attempt(() => navigate(app, { sessionId, targetId, exact }, summary));
    },
    branchFrom: (sessionId, entryId) => branchFrom(app, sessionId, entryId),
    bringOver(sessionId, sourceId, targetId) {
      if (!tellBusy(app, sessionId)) openBranchDialog(app, { kind: 'bringOver', sessionId, sourceId, targetId });
    },
    editLabel: (sessionId, entryId) => openBranchDialog(app, { kind: 'label', sessionId, entryId }),
    fork: (sessionId, entryId) => fork(app, sessionId, entryId),
    setArchived: (sessionId, entryId, archived) => setArchived(app, sessionId, entryId, archived),
    copyReference: (_sessionId, entryId) => copyReference(app, entryId),
  };
}

/** Says why nothing can move while the session works; false if it rests. */
export function tellBusy(app: App, sessionId: string): boolean {
  const isBusy = isRunning(app.sessions.getState().byId[sessionId]);
  if (isBusy) app.toast({ level: 'info', text: BUSY_REASON });
  return isBusy;
}

export function openBranchDialog(app: App, branchDialog: BranchDialog): void {
  app.ui.setState({ branchDialog });
}

export function closeBranchDialog(app: App): void {
  app.ui.setState({ branchDialog: null });
}

async function navigate(app: App, to: Destination, summary?: 'none' | 'default' | 'ask'): Promise<void> {
  if (summary === 'none') return void (await moveLeaf(app, to));
  const preview = await app.client.request('session.leavePreview', to);
  if (preview.isHere) {
    app.toast({ level: 'info', text: 'You are already there.' });
    return;
  }
  if (preview.messages === 0) return void (await moveLeaf(app, to));
  const { settings } = app.settings.getState();
  const isDefault = settings['branchSummary.enabled'];
  const isUnasked = summary === 'default' || (summary === undefined && settings['branchSummary.skipPrompt']);
  if (!isUnasked) {
    const stored = await app.local.getUi(LEAVE_CHOICE_KEY).catch(() => undefined);
    return openBranchDialog(app, { kind: 'leave', to, preview, choice: readLeaveChoice(stored, isDefault) });
  }
  const summarize = isDefault && preview.model !== null;
  try {
    await moveLeaf(app, to, { order: { summarize } });
  } catch (cause) {
    const problem = problemOf(cause);
    if (problem.tried === null) throw cause;
    // Nobody could write it: another model is the person's choice, as is going without.
    openBranchDialog(app, { kind: 'leave', to, preview, choice: 'summarise', problem });
  }
}

export interface LeaveAnswer {
  choice: LeaveChoice;
  instructions: string;
  /** From now on this choice is taken unasked. */
  isAlways: boolean;
  /** Writes this summary; absent: the settings say who. */
  model?: ModelRef;
}

/**
 * Goes where the leave dialog was about. Resolves with null when the dialog is done with, else with why nothing has
 * changed.
 */
export async function leaveWith(app: App, to: Destination, answer: LeaveAnswer): Promise<SummaryProblem | null> {
  const { choice, instructions, model } = answer;
  const focus = choice === 'instructions' ? instructions.trim() : '';
  const order: SummaryOrder = {
    summarize: choice !== 'none',
    ...(focus === '' ? {} : { customInstructions: focus }),
    ...(model ? { model } : {}),
  };
  await app.local.putUi(LEAVE_CHOICE_KEY, choice).catch(() => undefined);
  try {
    const result = await moveLeaf(app, to, { order });
    if (result.aborted) return { text: 'You cancelled the summary.', tried: null };
    if (answer.isAlways) await neverAskAgain(app, choice);
    return null;
  } catch (cause) {
    return problemOf(cause);
  }
}

/** Why there is no summary, in a sentence, and who was asked. */
export function problemOf(cause: unknown): SummaryProblem {
  const { message, tried } = toAppError(cause);
  return { text: asSentence(message), tried };
}

async function neverAskAgain(app: App, choice: LeaveChoice): Promise<void> {
  await app.attempt(async () => {
    await app.client.request('settings.set', { key: 'branchSummary.enabled', value: choice !== 'none' });
    await app.client.request('settings.set', { key: 'branchSummary.skipPrompt', value: true });
  });
}

/** Ends the summary or the draft under way; the session stays as it was. */
export function cancelTreeSummary(app: App, sessionId: string): void {
  void app.attempt(() => app.client.request('session.cancelTreeSummary', { sessionId }));
}

/** Puts a label on an entry; an empty one removes it. Resolves whether it is saved. */
export async function setLabel(app: App, sessionId: string, entryId: string, label: string): Promise<boolean> {
  const saved = await app.attempt(async () => {
    await app.client.request('session.label', { sessionId, entryId, label: label.trim() });
    return true;
  });
  return saved === true;
}

async function branchFrom(app: App, sessionId: string, entryId: string): Promise<void> {
  if (tellBusy(app, sessionId)) return;
  const { leafId } = app.openSession(sessionId).live.getState();
  if (leafId !== entryId) {
    const done = await app.attempt(() => moveLeaf(app, { sessionId, targetId: entryId, exact: true }));
    if (!done || done.cancelled) return;
  }
  const branching = { sessionId, kind: 'branch', leafId: entryId, fromLeafId: leafId, text: '' } as const;
  app.ui.setState({ branching });
  focusComposer();
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
  focusComposer();
}

async function fork(app: App, sessionId: string, entryId?: string): Promise<void> {
  const made = await app.attempt(() =>
    app.client.request('session.fork', { sessionId, ...(entryId ? { entryId } : {}) }),
  );
  if (!made) return;
  const source = app.sessions.getState().byId[sessionId];
  addSession(app, made.summary);
  app.activate(made.summary.id);
  fillComposer(app, made.summary.id, made.editorText, made.editorAttachments ?? []);
  requestAnimationFrame(focusComposer);
  app.toast({
    level: 'success',
    text: `A new session with this path. “${source ? titleOf(source) : 'The old one'}” stays as it is.`,
    action: { label: 'Go back to it', onSelect: () => app.activate(sessionId) },
  });
}

async function setArchived(app: App, sessionId: string, entryId: string, archived: boolean): Promise<void> {
  const { live, view } = app.openSession(sessionId);
  const { leafId } = live.getState();
  const isShown = archived && view.getState().rows.some((row) => row.id === entryId);
  if (isShown && tellBusy(app, sessionId)) return;
  const params = { sessionId, entryId, archived };
  await app.attempt(async () => {
    await app.client.request('session.setBranchArchived', params);
    if (!archived) return;
    if (isShown) await leaveHidden(app, sessionId, entryId);
    const undo = async (): Promise<void> => {
      await app.client.request('session.setBranchArchived', { ...params, archived: false });
      if (isShown) await moveLeaf(app, { sessionId, targetId: leafId, exact: true });
    };
    app.toast({
      level: 'info',
      text: 'The branch is hidden from graph and outline. Nothing of it is deleted.',
      action: { label: 'Undo', onSelect: () => void app.attempt(undo) },
    });
  });
}

/** A branch that is hidden is left as well: for the version beside it, else for what it grew from. */
async function leaveHidden(app: App, sessionId: string, entryId: string): Promise<void> {
  const { versions } = await app.client.request('session.versions', { sessionId, entryId });
  const other = versions.findLast((version) => version.entryId !== entryId);
  const { rows } = app.openSession(sessionId).view.getState();
  const at = rows.findIndex((row) => row.id === entryId);
  // A row of an undone compaction stands beside the path, not on it.
  const parent = rows.slice(0, Math.max(0, at)).findLast(({ kind }) => kind !== 'undone');
  await moveLeaf(app, { sessionId, targetId: other?.leafId ?? parent?.id ?? null, exact: true });
}

async function copyReference(app: App, entryId: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(`[entry:${entryId}]`);
    app.toast({ level: 'success', text: 'Reference copied. In any message it leads back to this one.' });
  } catch {
    app.toast({ level: 'error', text: 'The reference could not be put on the clipboard.' });
  }
}
