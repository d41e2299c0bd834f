import { eachToldBatch } from '../../compaction/read-lines';
import { withConversation } from '../../compaction/serializer';
import { foldedTask, PARTS, summarize, SUMMARY_PROMPTS } from '../../compaction/summarize';
import { summarizers } from '../../compaction/summarizers';
import { NoSummary } from '../../compaction/summary-call';
import type { SessionLog, SessionStore } from '../../ports';
import { randomHex } from '../../random-hex';
import type { SessionScope } from '../machine/scope';
import { SessionRefusal } from '../machine/slot';
import { DEFAULT_RESERVE_TOKENS } from '@shared/compaction/limits';
import { planContext } from '@shared/session/context/context-plan';
import { ratioFor } from '@shared/session/context/figure';
import type { PlanItem } from '@shared/session/messages/plan-item';
import { forkTitle } from '@shared/policy/session-title';
import { OPAQUE_TYPE, type SessionEntry } from '@shared/session/records/entry';
import { toComposer } from '@shared/session/records/message-text';
import { escapeInserted, stripTagBlocks } from '@shared/session/records/own-marks';
import { patchLine, serializeEntry } from '@shared/session/records/serialize-entry';
import { applyForkItem, type ForkItem, type ForkPlan, planFork, verifyFork } from '@shared/session/tree/fork';
import type { Attachment, ModelRef } from '@shared/types';

/** Records that are read and written at once. */
const BATCH = 200;
const UNREADABLE = 'Part of the session could not be read from its file. Nothing was forked; the session is unchanged.';
const UNSOUND =
  'The fork was incomplete and was moved to the trash. The session itself is unchanged. Fork at another message.';

export interface Forked {
  log: SessionLog;
  /** The message at which it was forked, if a person said it: for the composer. */
  editor: { text: string; attachments: Attachment[] };
}

interface ForkOptions {
  workspace: string;
  title: string;
  demo: boolean;
}

/**
 * Makes a session of the path to an entry (HF3, HF5); without one, of the active path. The file is written at once, then read
 * back and every parent and boundary in it is verified. The source is only read.
 * @throws EntryNotFoundError, SessionRefusal, StorageError
 */
export async function forkSession(
  store: SessionStore,
  source: SessionLog,
  entryId: string | undefined,
  { workspace, title, demo }: ForkOptions,
): Promise<Forked> {
  const { tree, sessionId } = source;
  const targetId = entryId ?? tree.leafId;
  const options = { workspace, parentSession: sessionId, demo };
  if (targetId === null) return { log: await store.create(options), editor: { text: '', attachments: [] } };
  // The plan is made here, in one step: what is said in the source meanwhile is not part of it.
  const plan = planFork(tree, targetId, { header: source.header, randomHex });
  const editor = await editorOf(source, plan);
  if (plan.leafId === null) return { log: await store.create(options), editor };
  // One in which nothing was said yet gets its name from what will be.
  const isNamed = tree.pathTo(plan.leafId).some(({ facts }) => facts.visible);
  const fork = { of: sessionId, at: plan.leafId, title };
  const made = { ...options, title: isNamed ? forkTitle(title) : '', fork };
  const log = await store.createFrom(made, () => linesOf(source, plan.items));
  const problems = verifyFork(
    log.tree.entriesInOrder().map(({ body, facts }) => body ?? (facts as unknown as SessionEntry)),
  );
  if (problems.length === 0 && log.tree.leafId === plan.leafId) return { log, editor };
  await store.trash(log.sessionId);
  throw new SessionRefusal(UNSOUND);
}

async function editorOf(source: SessionLog, { editorEntryId }: ForkPlan): Promise<Forked['editor']> {
  const [entry] = editorEntryId === null ? [] : await source.loadBodies([editorEntryId]);
  return toComposer(entry);
}

async function* linesOf(source: SessionLog, items: readonly ForkItem[]): AsyncGenerator<string[]> {
  for (let at = 0; at < items.length; at += BATCH) {
    const batch = items.slice(at, at + BATCH);
    const ids = batch.flatMap((item) => (item.kind === 'copy' ? [item.sourceId] : []));
    const lines = new Map((await source.linesOf(ids)).map(({ id, line }) => [id, line]));
    yield batch.map((item) => (item.kind === 'new' ? serializeEntry(item.entry) : copyOf(item, source, lines)));
  }
}

/** Most records hang where they hung: their line is copied as it is. */
function copyOf(item: Extract<ForkItem, { kind: 'copy' }>, { tree }: SessionLog, lines: Map<string, string>): string {
  const line = lines.get(item.sourceId);
  const node = tree.node(item.sourceId);
  if (line === undefined || !node) throw new SessionRefusal(UNREADABLE);
  if (!item.patch && node.facts.parentId === item.parentId) return line;
  // What can't be read is moved in its text, everything else in it stays.
  if (node.facts.type === OPAQUE_TYPE) return patchLine(line, { parentId: item.parentId });
  return serializeEntry(applyForkItem(item, JSON.parse(line) as SessionEntry));
}

const GOAL_PLACE = '{{goal}}';

/**
 * Drafts the first message of a session that goes on from this one (HF1): all that the model sees at the leaf, folded where
 * it is too long for one request. The session stays as it is.
 * @throws SessionRefusal, SummaryError, SummaryAborted
 */
export async function draftHandoff(
  scope: SessionScope,
  goal: string,
  signal: AbortSignal,
  once?: ModelRef,
): Promise<string> {
  const { models, model, job } = scope;
  const { tree } = scope.log;
  const leafId = tree.leafId;
  const { items, picked } = handedOver(planContext(tree, leafId).items);
  const more = (at: number): { isApart?: true } => (picked.has(at) ? { isApart: true } : {});
  refuseHandoff(goal, items);
  job.start({ kind: 'handoff', targetId: null, fromId: leafId });
  const candidates = await summarizers(models, model, scope.settings(), undefined, once);
  if (candidates.length === 0) throw new NoSummary('No model available for summarization', []);
  const reserve = scope.size().limits.reserve ?? DEFAULT_RESERVE_TOKENS;
  const { text } = await withConversation(scope, async (conversation) => {
    await eachToldBatch(scope, items, signal, (lines) => conversation.add('history', lines), more);
    const task = {
      ...foldedTask(conversation, reserve, (ref) => ratioFor(tree, leafId, ref)),
      prompt: SUMMARY_PROMPTS.handoff.replace(GOAL_PLACE, () => escapeInserted(goal.trim())),
      parts: PARTS.handoff,
      signal,
    };
    return summarize(task, candidates, scope, job);
  });
  job.commit();
  return stripTagBlocks(text);
}

/** A block of pinned messages is handed over as the messages that it shows, which were picked out of others: `picked`, by their places. */
function handedOver(context: readonly PlanItem[]): { items: PlanItem[]; picked: ReadonlySet<number> } {
  const items: PlanItem[] = [];
  const picked = new Set<number>();
  for (const item of context) {
    if (!item.pinned) items.push(item);
    for (const node of item.pinned ?? []) picked.add(items.push({ sourceId: node.id, kind: 'message', node }) - 1);
  }
  return { items, picked };
}

function refuseHandoff(goal: string, items: readonly PlanItem[]): void {
  if (goal.trim() === '') throw new SessionRefusal('Handoff needs a goal');
  const hasSummary = items.some(({ kind }) => kind === 'summary');
  if (items.length < 2 && !hasSummary) throw new SessionRefusal('Nothing to hand off (no messages yet)');
}
