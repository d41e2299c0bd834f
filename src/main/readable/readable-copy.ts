import { excerptOf } from '@shared/excerpt';
import { GraphOrder } from '@shared/graph/order';
import { GRAPH_PIECE } from '@shared/graph/pieces';
import { TurnTree, type TurnNode } from '@shared/graph/turns';
import { CUT_OFF, statusOf } from '@shared/policy/call-outcome';
import { belowReply } from '@shared/session/messages/below-reply';
import { EntryNotFoundError } from '@shared/session/records/entry';
import { parseRecord } from '@shared/session/records/records';
import type { TreeNode } from '@shared/session/records/tree-node';
import type { SessionTree } from '@shared/session/tree/tree';
import type { JournalFile } from '../journal/file/fs';
import { JournalBuilder } from '../journal/file/journal-builder';
import { decodeLine, readLines } from '../journal/file/line-reader';
import { rowOf } from '../session/machine/rows';
import { asHtml } from './as-html';
import { asMarkdown } from './as-markdown';
import type { CopyForm, CopyHead, ReadableAsked, Standing } from './copy-kinds';
import { type Passage, passageOf } from './passage';

/** It was under way when the app ended, or still is. */
const NO_RESULT = 'no result: it may have run';
const BROKEN: ReadonlySet<string | undefined> = new Set(['error', 'aborted', 'length']);
/** Characters of a turn's first words. */
const TURN_CHARS = 60;

/** An entry of a copy, in its order. `turn`: the first entries of another turn. */
interface Placed {
  node: TreeNode;
  turn: number;
  standing: Omit<Standing, 'turn'>;
}

/**
 * A session as a person reads it (SF26), piece by piece: of a path from its root on, or of all branches, each at the turn that it
 * leaves. Rejects with `NotASessionFileError`, or `EntryNotFoundError` for a path to nothing.
 */
export async function* readableCopy(
  file: JournalFile,
  name: string,
  { form, of, title }: ReadableAsked,
  place: Pick<CopyHead, 'folder' | 'date'>,
): AsyncGenerator<string, void, void> {
  const { size } = await file.stat();
  const builder = new JournalBuilder(name);
  for await (const lines of readLines(file, 0, size))
    for (const { bytes, ended } of lines) if (ended) builder.takeLine(bytes, true);
  const tree = builder.finish();
  const out: CopyForm = form === 'html' ? asHtml() : asMarkdown();
  yield out.head({ ...place, title, isTree: of === 'tree' });
  let lastTurn = -1;
  for (const { node, turn, standing } of of === 'tree' ? allBranches(tree) : onePath(tree, of.leafId ?? tree.leafId)) {
    const passage = await read(file, builder, node);
    if (!passage) continue;
    const begins = turn !== lastTurn;
    lastTurn = turn;
    yield out.passage(passage, {
      ...standing,
      isStart: begins && standing.isStart,
      turn: begins ? wordsOf(passage) : null,
    });
  }
  yield out.end();
}

async function read(file: JournalFile, { table, tree }: JournalBuilder, node: TreeNode): Promise<Passage | null> {
  const { seq } = node;
  const bytes = new Uint8Array(table.length(seq));
  const got = await file.read(bytes, table.offset(seq));
  const record = parseRecord(decodeLine(bytes.subarray(0, got)).trimEnd());
  const passage = record.kind === 'entry' ? passageOf(record.entry, unansweredOf(node)) : null;
  // What was copied was said when its original was (UN1).
  if (!passage || !tree?.isCopy(node.id)) return passage;
  return { ...passage, time: new Date(tree.writtenAt(node)).toISOString() };
}

/** What is said at the calls of a reply that no result in the session answers: without it each would read as done (T1). */
function unansweredOf(node: TreeNode): (callId: string) => string | null {
  const { calls, reply } = node.facts;
  if (!calls) return () => null;
  const { answers } = belowReply(node);
  const status = BROKEN.has(reply?.stopReason) ? statusOf(CUT_OFF, 'you') : NO_RESULT;
  return (callId) => (answers.has(callId) ? null : status);
}

function wordsOf({ title, pieces }: Passage): string {
  const said = pieces.find(({ kind }) => kind === 'markdown');
  const words = said?.kind === 'markdown' ? excerptOf(said.text.slice(0, 1_000)) : '';
  const whole = words === '' ? title : words;
  return whole.length > TURN_CHARS ? `${whole.slice(0, TURN_CHARS - 1)}…` : whole;
}

function* onePath(tree: SessionTree, leafId: string | null): Generator<Placed> {
  if (leafId !== null && !tree.has(leafId)) throw new EntryNotFoundError(leafId);
  let turn = 0;
  for (const node of tree.pathTo(leafId)) {
    const { role, type } = node.facts;
    if (role === 'user' || role === 'bashExecution' || type === 'compaction' || type === 'branch_summary') turn++;
    yield { node, turn, standing: { level: 1, isStart: false, isOnPath: true } };
  }
}

/** Every entry once, in the graph's order (GR2): a turn, the branches that leave it, then what goes on straight. */
function* allBranches(tree: SessionTree): Generator<Placed> {
  const turns = new TurnTree();
  const order = new GraphOrder(turns);
  const shown = tree.entriesInOrder().filter(({ facts }) => !facts.side);
  for (const _ of turns.load(shown.map((node) => rowOf(tree, node)), GRAPH_PIECE)); // prettier-ignore
  turns.settle();
  order.fix(turns.nodeAt(tree.leafId));
  const entries = new Map<TurnNode, TreeNode[]>();
  for (const node of shown) {
    const turn = turns.place(node.facts.id)?.node;
    if (!turn) continue;
    const list = entries.get(turn);
    if (list) list.push(node);
    else entries.set(turn, [node]);
  }
  const onPath = new Set(tree.pathTo(tree.leafId));
  const stack: { turn: TurnNode; level: number; isStart: boolean }[] = [];
  const push = (parent: TurnNode | null, level: number): void => {
    const straight = order.straightChild(parent);
    if (straight) stack.push({ turn: straight, level, isStart: false });
    // Other answers and edited prompts too: nothing stands behind another in a copy.
    const others = order.sorted((parent?.children ?? turns.roots).filter((turn) => turn !== straight));
    for (let at = others.length - 1; at >= 0; at--)
      stack.push({ turn: others[at] as TurnNode, level: level + 1, isStart: true });
  };
  push(null, 1);
  for (let frame = stack.pop(); frame; frame = stack.pop()) {
    const { turn, level, isStart } = frame;
    for (const node of entries.get(turn) ?? [])
      yield { node, turn: turn.index, standing: { level, isStart, isOnPath: onPath.has(node) } };
    push(turn, level);
  }
}
