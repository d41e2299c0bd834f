import { buildContext } from '../../../support/oracle/context';
import { ContextCursor } from '@shared/session/context/context-cursor';
import { planContext } from '@shared/session/context/context-plan';
import type { LlmMessage, SessionEntry } from '@shared/session/records/entry';
import { decodeFacts, encodeFacts } from '@shared/session/records/facts-codec';
import { isControl } from '@shared/session/records/facts';
import { readSession } from '../../../support/read-session';
import { contextAt } from '../../../support/context-at';
import { toProviderMessages } from '../../../support/oracle/sanitize';
import { sentOf } from '../../../support/sent-of';
import { serializeEntry } from '@shared/session/records/serialize-entry';
import { breakdown } from '@shared/session/context/context-meter';
import { overheadInForce } from '@shared/session/context/figure';
import { largestItems, sessionFigure } from '../../../support/oracle/figure';
import { totalsOf } from '@shared/session/messages/plan-item';
import { SessionTree } from '@shared/session/tree/tree';
import { Oracle } from './oracle';
import { Dice, foreignEntries, RandomSession } from './random-session';
import { FRAMES, HEADER, seededHex, treeOf } from './support';

/** What differed: a sentence, and both sides. */
class Mismatch extends Error {}

function same(what: string, actual: unknown, expected: unknown): void {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (a !== b) throw new Mismatch(`${what}\n  is       ${a?.slice(0, 1500)}\n  expected ${b?.slice(0, 1500)}`);
}

/**
 * One seed of R9: a random session grown step by step, everything incremental compared with the same from scratch and with
 * the oracle; then one as other programs leave it. Returns what differed, or null.
 */
export function fuzzSeed(seed: number): string | null {
  try {
    checkGrowth(seed);
    checkForeign(seed);
    return null;
  } catch (error) {
    const text = error instanceof Mismatch ? error.message : error instanceof Error ? error.stack : String(error);
    return `seed ${seed}: ${text}`;
  }
}

function checkGrowth(seed: number): void {
  const dice = new Dice(seed ^ 0x5eed);
  const session = new RandomSession(seed);
  const { tree, entries } = session.writer;
  const cursor = new ContextCursor(tree, FRAMES);
  const steps = 8 + dice.below(40);
  for (let i = 0; i < steps; i++) {
    session.step();
    if (dice.chance(0.3)) checkCursor(cursor, tree);
  }
  checkCursor(cursor, tree);
  const oracle = new Oracle(entries);
  checkTree(tree, oracle, dice);
  checkContext(tree, oracle, tree.leafId);
  for (let i = 0; i < 3; i++) checkContext(tree, oracle, session.anyId());
  checkAsOf(tree, entries, dice);
  checkReopened(tree, entries);
  checkSent(buildContext(tree, tree.leafId));
}

/** Incremental equals from scratch: messages, sums, largest, figure; the breakdown adds up (invariants 11, 17). */
function checkCursor(cursor: ContextCursor, tree: SessionTree): void {
  const context = buildContext(tree, tree.leafId);
  const plan = planContext(tree, tree.leafId);
  same('sources', cursor.plan.items.map(ids), context.projection.map(ids));
  same('projection', contextAt(tree, tree.leafId).messages, context.messages);
  same('what is sent', cursor.messages(), toProviderMessages(context.messages, FRAMES));
  const without = context.projection.at(-1)?.sourceId ?? 'none';
  const others = context.projection.filter(({ sourceId }) => sourceId !== without).map(({ message }) => message);
  same('what is sent without the last', cursor.messages(without), toProviderMessages(others, FRAMES));
  same('state', [cursor.model, cursor.thinkingLevel], [context.model, context.thinkingLevel]);
  same('totals', cursor.totals, totalsOf(plan.items));
  same('largest', cursor.largest, largestItems(plan));
  for (const model of [undefined, { provider: 'openai', modelId: 'gpt' }, { provider: 'no', modelId: 'such' }]) {
    same(`figure of ${JSON.stringify(model)}`, cursor.figure({ model }), sessionFigure(tree, plan, { model }));
  }
  const { tokens } = cursor.figure();
  const overhead = overheadInForce(tree, tree.leafId);
  const shares = Object.values(breakdown(cursor.totals, overhead, tokens));
  if (shares.some((share) => share < 0)) throw new Mismatch(`a share is negative: ${shares.join(', ')}`);
  same(
    'sum of the breakdown',
    shares.reduce((sum, share) => sum + share, 0),
    tokens,
  );
}

function checkTree(tree: SessionTree, oracle: Oracle, dice: Dice): void {
  same('leaf after load', tree.leafAfterLoad(), oracle.leaf());
  same(
    'entries',
    tree.entriesInOrder().map((node) => node.id),
    oracle.entries.map((entry) => entry.id),
  );
  same(
    'roots',
    tree.roots().map((node) => node.id),
    oracle.children(null),
  );
  same('labels', [...tree.labels], [...oracle.labels()]);
  same('pins', [...tree.pins].sort(), [...oracle.pins()].sort());
  const some = oracle.entries.map((entry) => entry.id as string);
  for (let i = 0; i < 6 && some.length > 0; i++) {
    const [a, b] = [dice.pick(some), dice.pick(some)];
    same(
      `path to ${a}`,
      tree.pathTo(a).map((node) => node.id),
      oracle.path(a).map((entry) => entry.id),
    );
    same(
      `children of ${a}`,
      tree.children(a).map((node) => node.id),
      oracle.children(a),
    );
    same(`common ancestor of ${a} and ${b}`, tree.commonAncestor(a, b), oracle.commonAncestor(a, b));
  }
}

/** The context is the one that CX1 says, by the oracle. */
function checkContext(tree: SessionTree, oracle: Oracle, leafId: string | null): void {
  const leaf = leafId === null || tree.has(leafId) ? leafId : tree.leafAfterLoad();
  const plan = planContext(tree, leafId);
  const items = plan.items.map(({ sourceId, kind, pinned, edit }) => {
    const shown = {
      ...(edit?.replacement ? { replaced: edit.replacement } : {}),
      ...(edit?.prune ? { prune: edit.prune } : {}),
    };
    const at = pinned ? { pinned: pinned.map((node) => node.id) } : {};
    return sorted({ sourceId, kind, ...at, ...(Object.keys(shown).length > 0 ? { edit: sorted(shown) } : {}) });
  });
  same(
    `context at ${leafId}`,
    items,
    oracle.context(leaf).map((item) => sorted({ ...item, ...(item.edit ? { edit: sorted(item.edit) } : {}) })),
  );
  const { thinkingLevel, model } = plan;
  const state = { thinkingLevel, model: model ? `${model.provider}/${model.modelId}` : null };
  same(`state at ${leafId}`, state, oracle.state(leaf));
}

function sorted<T extends object>(value: T): object {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The context as of a file position is the one of the file cut there. */
function checkAsOf(tree: SessionTree, entries: readonly SessionEntry[], dice: Dice): void {
  const seq = 1 + dice.below(entries.length + 1);
  const earlier = treeOf(entries.slice(0, seq - 1));
  const leaf = dice.pick(entries).id;
  let at: string | null = leaf;
  while (at !== null && !earlier.has(at)) at = tree.node(at)?.parent?.id ?? null;
  const asOf = buildContext(tree, leaf, { asOf: seq });
  same(`context at ${leaf} as of ${seq}`, asOf.messages, buildContext(earlier, at).messages);
  const request = (of: SessionTree, id: string | null): unknown => of.requestInForce(id, seq)?.id;
  if (at !== null) same(`request at ${at} as of ${seq}`, request(tree, at), request(earlier, at));
}

/** Written and read again it is the same session, leaf included; from the index it is too, once the bodies are there. */
function checkReopened(tree: SessionTree, entries: readonly SessionEntry[]): void {
  const lines = entries.map(serializeEntry);
  const { tree: again, damage } = readSession([JSON.stringify(HEADER), ...lines], { randomHex: seededHex(1) });
  same('damage', damage, []);
  const kept = again.entriesInOrder().map(({ body }) => JSON.stringify(body));
  same('lines', kept, lines);
  const context = buildContext(tree, tree.leafId);
  // A batch that a crash cut off is undone by reading; what was appended behind it makes it stand.
  if (tree.leafId === tree.leafAfterLoad()) {
    same('leaf', again.leafId, tree.leafId);
    same('context', buildContext(again, again.leafId).messages, context.messages);
  }
  same('cost', again.cost, tree.cost);
  const bare = new SessionTree(HEADER);
  for (const { facts, seq, body } of tree.entriesInOrder()) {
    const decoded = decodeFacts(JSON.parse(JSON.stringify(encodeFacts(facts))));
    if (!decoded) throw new Mismatch(`facts of ${facts.id} do not survive their codec`);
    bare.add(decoded, seq, isControl(facts) ? body : undefined);
  }
  const plan = planContext(tree, tree.leafId);
  same('plan of facts', planContext(bare, tree.leafId).items.map(ids), plan.items.map(ids));
  for (const { body } of again.entriesInOrder()) if (body) bare.setBody(body);
  same('context of facts', buildContext(bare, tree.leafId).messages, context.messages);
}

const ids = ({ sourceId, kind }: { sourceId: string; kind: string }): string => `${sourceId} ${kind}`;

/** IN2 and CX8 to CX11: each call has its one result right behind it, nothing is empty, nothing failed is sent. */
function checkSent({ messages }: ReturnType<typeof buildContext>): void {
  const before = JSON.stringify(messages);
  const sent = sentOf(messages, FRAMES);
  same('what is sent, by the oracle', sent, toProviderMessages(messages, FRAMES));
  same('the projection after sanitising', JSON.stringify(messages), before);
  let open: string[] = [];
  for (const message of sent) {
    if (message.role === 'toolResult') {
      const at = open.indexOf(message.toolCallId);
      if (at < 0) throw new Mismatch(`a result without its call: ${message.toolCallId}`);
      open.splice(at, 1);
      continue;
    }
    if (open.length > 0) throw new Mismatch(`calls without a result: ${open.join(', ')}`);
    if (message.content.length === 0) throw new Mismatch('an empty message');
    open = message.role === 'assistant' ? callsOf(message) : [];
    if (message.role === 'assistant' && ['error', 'aborted'].includes(message.stopReason))
      throw new Mismatch('a failed reply is sent');
  }
  if (open.length > 0) throw new Mismatch(`calls without a result at the end: ${open.join(', ')}`);
  same('sanitised twice', sentOf(sent, FRAMES), sent);
}

function callsOf(message: Extract<LlmMessage, { role: 'assistant' }>): string[] {
  return message.content.flatMap((block) => (block.type === 'toolCall' ? [block.id] : []));
}

/** A file in any order gives the tree that the oracle gives; nothing loops, nothing throws. */
function checkForeign(seed: number): void {
  const dice = new Dice(seed ^ 0xf00d);
  const entries = foreignEntries(seed, 2 + dice.below(30));
  const tree = treeOf(entries);
  const oracle = new Oracle(entries);
  checkTree(tree, oracle, dice);
  checkContext(tree, oracle, tree.leafId);
  checkContext(tree, oracle, dice.pick(entries).id);
  checkCursor(new ContextCursor(tree, FRAMES), tree);
  checkAsOf(tree, entries, dice);
}
