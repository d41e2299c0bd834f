/** What a person does with branches and single messages, the moves of the leaf aside. A failure becomes a toast. */
import type { FoundEntry } from '@shared/ipc/tree-types';
import type { ModelRef } from '@shared/types';
import type { BranchGraph } from '@shared/graph/branch-graph';
import type { SummaryInstructions } from '@shared/compaction/summary-job';
import type { App } from '../state/app-type';
import { deedOf } from '../state/failures';
import type { GraphStore } from '../state/graph-store';
import { titleOf } from '../state/sessions-store';
import type { SummaryProblem } from '../state/summary-offer';
import {
  refuse,
  takes,
  type EntryTarget,
  type NodeTarget,
  type Refusal,
  type SessionTarget,
  type Verdict,
} from './action';
import { backTo, fillComposer, KEPT, navigate, noteAsked, openDialog, problemOf, rememberLeft } from './moves';
import { arrive, readEntry } from './reading';
import { addSession, summaryOf, watchPerson, write } from './sessions';

/** Puts a label on an entry; an empty one removes it. Resolves whether it is saved. */
export function setLabel(app: App, sessionId: string, entryId: string, label: string): Promise<boolean> {
  return app.did('session.label', { sessionId, entryId, label: label.trim() });
}

/** Asks for another name of a branch: a label on what its name belongs to (GR16). */
export function renameBranch(app: App, { sessionId, node, view, branch = view.nameOf(node) }: NodeTarget): void {
  const name = branch.from === 'label' || branch.from === 'title' ? branch.text : '';
  openDialog(app, { kind: 'label', sessionId, entryId: branch.entryId, name });
}

const LABELLED = new Set(['user', 'assistant', 'compaction', 'branchSummary', 'bash', 'custom']);

/** The newest row of a session that can carry a label. */
export function newestMessage(app: App, { id }: SessionTarget): string | null {
  const { rows } = app.openSession(id).view.getState();
  return rows.findLast(({ kind }) => LABELLED.has(kind))?.id ?? null;
}

/** Labels the newest message; without a text it is asked for. */
export async function labelNewest(app: App, target: SessionTarget, text: string): Promise<void> {
  const entryId = newestMessage(app, target);
  if (entryId === null) return;
  if (text === '') openDialog(app, { kind: 'label', sessionId: target.id, entryId });
  else await setLabel(app, target.id, entryId, text);
}

/** Writes the path to an entry, or the whole one, as a session of its own. */
export async function fork(app: App, sessionId: string, entryId?: string): Promise<void> {
  const params = { sessionId, ...(entryId ? { entryId } : {}) };
  const made = await app.ask('session.fork', params);
  if (!made) return;
  const source = summaryOf(app, { id: sessionId });
  addSession(app, made.summary);
  fillComposer(app, made.summary.id, made.editorText, made.editorAttachments ?? []);
  write(app, made.summary.id);
  app.toast({
    level: 'success',
    text: `A new session with this path. “${source ? titleOf(source) : 'The old one'}” stays as it is.`,
    action: { label: 'Go back to it', onSelect: () => app.activate(sessionId) },
  });
}

/** Whether an entry stands on the path that is shown. */
function isShown(app: App, { sessionId, id }: EntryTarget): boolean {
  return app
    .openSession(sessionId)
    .view.getState()
    .rows.some((row) => row.id === id);
}

const HEAD_IS_IN_IT: Refusal = {
  text: 'HEAD is in this branch. Go to another one first; then this one can be hidden.',
  hint: 'HEAD is in it',
  isOut: true,
};

const NOT_READ: Refusal = {
  text: 'The branches could not be read, so none can be hidden. Open the graph to try again.',
};

/** A branch in which HEAD is stays to be seen: hiding it would have to move HEAD. One that is hidden can be shown again. */
export function canHide(app: App, target: EntryTarget | NodeTarget): Verdict {
  if (target.hiddenAt) return true;
  const first = app.openSession(target.sessionId).graph.graph.turns.place(beginningOfBranch(app, target))?.node;
  const isOnPath =
    isShown(app, target) || (first !== undefined && app.openSession(target.sessionId).graph.graph.isActive(first));
  return isOnPath ? HEAD_IS_IN_IT : true;
}

/**
 * What the branch of a target begins with, without what HEAD's path has of it: a branch is put away whole, from wherever in it that is asked
 * for. A variant that stands behind another is put away alone. O(branch).
 */
function beginningOfBranch(app: App, target: EntryTarget | NodeTarget): string {
  const { graph } = app.openSession(target.sessionId).graph;
  const node = 'node' in target ? target.node : graph.turns.place(target.id)?.node;
  if (!node || graph.order.variants.isBehind(node)) return target.id;
  let first = node;
  for (
    let above = node.parent;
    above && first !== graph.order.runOf(node).first && !graph.isActive(above);
    above = above.parent
  )
    first = above;
  return first.contentId;
}

/** Hides the branch that a target is in, or shows again the one that it is hidden with. */
export async function toggleHidden(app: App, target: EntryTarget | NodeTarget): Promise<void> {
  const { sessionId, hiddenAt } = target;
  // Where it begins is known there, and it may not have been shown yet.
  const { graph } = app.openSession(sessionId);
  await graph.open();
  if (hiddenAt) return void (await restoreBranches(app, sessionId, [hiddenAt]));
  const verdict = graph.state.getState().status === 'ready' ? canHide(app, target) : NOT_READ;
  if (typeof verdict === 'object') return refuse(app, verdict);
  await hideBranches(app, sessionId, [beginningOfBranch(app, target)]);
}

/** The entries by which a branch is hidden: it begins with one, or with others beside it that are drawn as one node with it (GR5, GR29). */
function cutsOf(graph: BranchGraph, id: string): string[] {
  const node = graph.turns.place(id)?.node;
  const { variants } = graph.order;
  const stack = node && !variants.isBehind(node) ? variants.stackOf(node) : null;
  return stack ? stack.members.map(({ contentId }) => contentId) : [id];
}

/** The entries at which a branch was hidden, by one of them: each beside that one that is hidden by itself. */
function cutsAt(graph: BranchGraph, cut: string): string[] {
  const node = graph.turns.place(cut)?.node;
  const stack = node ? graph.order.variants.stackOf(node) : null;
  // A variant that was put away alone comes back alone.
  if (!stack || graph.hiddenAt(stack.front) === null) return [cut];
  return [...new Set([cut, ...stack.members.flatMap((member) => graph.hiddenAt(member) ?? [])])];
}

/** Hides branches that HEAD is not on, each by the entry that it begins with. Resolves whether all of them are. */
export async function hideBranches(app: App, sessionId: string, branches: readonly string[]): Promise<boolean> {
  if (branches.length === 0) return false;
  const done = await app.attempt(async () => {
    const { graph } = app.openSession(sessionId).graph;
    const ids = branches.flatMap((id) => cutsOf(graph, id));
    await setHidden(app, sessionId, ids, true);
    const { length } = branches;
    const [what, it] = length === 1 ? ['The branch is', 'it'] : [`${length} branches are`, 'them'];
    app.toast({
      level: 'info',
      text: `${what} hidden from graph and outline. Nothing of ${it} is deleted.`,
      action: { label: 'Undo', onSelect: () => void app.attempt(() => setHidden(app, sessionId, ids, false)) },
    });
    return true;
  });
  return done === true;
}

/** Shows branches again, by the entries at which they were hidden. Resolves whether all of them are. */
export async function restoreBranches(app: App, sessionId: string, cuts: readonly string[]): Promise<boolean> {
  const done = await app.attempt(async () => {
    const { graph } = app.openSession(sessionId).graph;
    await setHidden(app, sessionId, [...new Set(cuts.flatMap((cut) => cutsAt(graph, cut)))], false);
    return true;
  });
  return done === true;
}

async function setHidden(app: App, sessionId: string, ids: readonly string[], archived: boolean): Promise<void> {
  for (const entryId of ids) await app.client.request('session.setBranchArchived', { sessionId, entryId, archived });
}

/** Offers the summary of the version beside an entry at HEAD (BR6): of several the one that was left last, else the newest. */
export async function bringVersion(app: App, { sessionId, id }: EntryTarget): Promise<void> {
  const answer = await app.ask('session.versions', { sessionId, entryId: id });
  const { leafId: targetId } = app.openSession(sessionId).live.getState();
  const others = answer?.versions.filter(({ entryId }) => entryId !== id) ?? [];
  const leaves = new Set(others.map(({ leafId }) => leafId));
  const left = app.ui.getState().visited[sessionId]?.back.findLast((leaf) => leaf !== null && leaves.has(leaf));
  const sourceId = left ?? others.at(-1)?.leafId;
  if (sourceId && targetId !== null) openDialog(app, { kind: 'bringOver', sessionId, sourceId, targetId });
}

export async function copyReference(app: App, { id }: EntryTarget): Promise<void> {
  const of = deedOf('copyReference', { id });
  if (await app.page.copy(`[entry:${id}]`))
    app.toast({ level: 'success', text: 'Reference copied. In any message it leads back to this one.', of });
  else app.toast({ level: 'error', text: 'The reference could not be put on the clipboard.', of });
}

/** Leads to the message that a reference names, wherever it stands: on this path, on another branch, in another session. */
export async function openReference(app: App, sessionId: string, entryId: string): Promise<void> {
  if (isShown(app, { sessionId, id: entryId })) return arrive(app, sessionId, entryId);
  await app.attempt(async () => {
    const { found } = await app.client.request('entries.find', { sessionId, entryId });
    if (!found) {
      app.toast({ level: 'info', text: 'No session on this computer has that message. It may have been deleted.' });
      return;
    }
    if (found.sessionId !== sessionId) app.activate(found.sessionId);
    await readEntry(app, found.sessionId, found.entryId);
  });
}

/** Shows the branch of a message that is not on the path, at that message. Asks first where visible work is left. */
export async function goToFound(
  app: App,
  { sessionId, entryId }: Pick<FoundEntry, 'sessionId' | 'entryId'>,
): Promise<void> {
  const verdict = takes(app, sessionId, 'navigate');
  if (typeof verdict === 'object') return refuse(app, verdict);
  await app.attempt(async () => {
    // What was said after it belongs to it: the branch is shown as it was left.
    const { versions } = await app.client.request('session.versions', { sessionId, entryId });
    const targetId = versions.find((version) => version.entryId === entryId)?.leafId ?? entryId;
    // Not before HEAD is there: who takes the question back stays where they are.
    await navigate(app, { sessionId, targetId, exact: true }, { shows: entryId });
  });
}

/**
 * Writes the summary of a branch and puts it onto another one; it waits for `session.answerReview` in between. Resolves with
 * null when it landed, else with why nothing has changed. Who has put the sheet aside (`isWatched` false) is told of a failure
 * here, with the way back to it.
 */
export async function bringOver(
  app: App,
  branches: { sessionId: string; sourceId: string; targetId: string },
  { instructions = '', model }: SummaryInstructions,
  isWatched: () => boolean,
): Promise<SummaryProblem | null> {
  const { sessionId } = branches;
  const { leafId } = app.openSession(sessionId).live.getState();
  const focus = instructions.trim();
  const params = { ...branches, ...(focus === '' ? {} : { instructions: focus }), ...(model ? { model } : {}) };
  noteAsked(app, sessionId);
  try {
    const result = await app.client.request('session.bringOver', params);
    if (result.cancelled) {
      if (!result.aborted && !isWatched()) app.toast({ level: 'info', text: KEPT });
      return { text: result.aborted ? 'You cancelled it.' : KEPT, tried: null };
    }
    rememberLeft(app, sessionId, leafId);
    app.toast({
      level: 'success',
      text: 'The summary was brought over.',
      action: { label: 'Go back', onSelect: backTo(app, sessionId, leafId) },
    });
    return null;
  } catch (cause) {
    const problem = problemOf(cause);
    if (!isWatched()) {
      app.toast({
        level: 'error',
        text: `${problem.text} Nothing was brought over.`,
        of: deedOf('session.bringOver', params),
        action: {
          label: 'Try again',
          onSelect: () => {
            app.activate(sessionId);
            openDialog(app, { kind: 'bringOver', ...branches });
          },
        },
      });
    }
    return problem;
  }
}

/**
 * Drafts the first message of a new session for a goal (HF1); without a goal it is asked for. The new session
 * opens with the draft in its composer, unless the person has gone to another one meanwhile or writes here.
 */
export async function handOff(
  app: App,
  { id: sessionId }: SessionTarget,
  goal: string,
  model?: ModelRef,
): Promise<void> {
  if (goal.trim() === '') return openDialog(app, { kind: 'handoff', sessionId });
  const verdict = takes(app, sessionId, 'handoff');
  if (typeof verdict === 'object') return refuse(app, verdict);
  const isBusyElsewhere = watchPerson(app);
  await app.attempt(async () => {
    noteAsked(app, sessionId);
    // What is written is shown at HEAD.
    app.openSession(sessionId).reading.leave();
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
    const open = (): void => write(app, summary.id);
    if (app.sessions.getState().activeId === sessionId && !isBusyElsewhere()) return open();
    app.toast({
      level: 'success',
      text: `The draft for “${titleOf(summary)}” is ready.`,
      action: { label: 'Open it', onSelect: open },
    });
  });
}

/** Nobody could write the draft: the dialog asks who else may, where the person still is. */
function offerOthers(app: App, sessionId: string, goal: string, problem: SummaryProblem): void {
  const ask = (): void => openDialog(app, { kind: 'handoff', sessionId, goal, problem });
  if (app.sessions.getState().activeId === sessionId && app.ui.getState().branchDialog === null) return ask();
  const source = summaryOf(app, { id: sessionId });
  app.toast({
    level: 'error',
    text: `${problem.text} No session was made from ${source ? `“${titleOf(source)}”` : 'it'}.`,
    of: deedOf('session.handoff', { sessionId }),
    sessionId: null,
    action: {
      label: 'Try another model',
      onSelect: () => {
        app.activate(sessionId);
        ask();
      },
    },
  });
}

/** Fixes anew in which order branches stand, and which of them goes straight on (GR2). */
export function sortGraph(app: App, graph: GraphStore): void {
  graph.sort();
  app.announce('The branches stand in the order of their activity.');
}
