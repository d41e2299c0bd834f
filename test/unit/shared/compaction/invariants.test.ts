import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fileTags } from '@shared/compaction/file-activity';
import { planCompaction } from '../../../support/plan-compaction';
import { mergeSummary, summaryBody } from '@shared/compaction/request-body';
import { serializeConversation } from '../../../support/serialize-conversation';
import { contextAt } from '../../../support/context-at';
import { ContextCursor } from '@shared/session/context/context-cursor';
import { planContext } from '@shared/session/context/context-plan';
import { prepareAppend } from '@shared/session/tree/drafts';
import type { EntryDraft, LlmMessage, ProjectedMessage } from '@shared/session/records/entry';
import { entriesAfter, planRebase } from '@shared/session/tree/rebase';
import { sentOf } from '../../../support/sent-of';
import { serializeEntry } from '@shared/session/records/serialize-entry';
import { breakdown } from '@shared/session/context/context-meter';
import { overheadInForce } from '@shared/session/context/figure';
import { totalsOf } from '@shared/session/messages/plan-item';
import type { SessionTree } from '@shared/session/tree/tree';
import { Dice, RandomSession } from '../session/random-session';
import { compaction, custom, reply, result, seededHex, user } from '../session/support';
import { shortOrLong } from '../../../support/long-form';

/** Invariants (IN1 to IN17) that hold through compactions as the app makes them: planned, not with any boundary. */
const SEEDS = Number(process.env.ESPALIER_FUZZ_SEEDS ?? shortOrLong(150, 400));
const FRAMES = { compactionFrame: '<summary>{{summary}}</summary>', branchFrame: '<summary>{{summary}}</summary>' };

/** A random session that is compacted now and then by a plan, as long as there is something to do. */
class Compacted {
  readonly session: RandomSession;
  readonly dice: Dice;
  readonly planned: string[] = [];

  constructor(seed: number) {
    this.session = new RandomSession(seed);
    this.dice = new Dice(seed ^ 0x1eaf);
  }

  get tree(): SessionTree {
    return this.session.writer.tree;
  }

  grow(steps = 5 + this.dice.below(30)): void {
    for (let step = 0; step < steps; step++) this.session.step();
  }

  compact(): string | null {
    const settings = { keepRecentTokens: 1 + this.dice.below(120) };
    const answer = planCompaction(this.tree, this.tree.leafId, { settings, tokensBefore: 5000, isManual: true });
    if (!answer.ok) return null;
    const id = this.session.writer.add(compaction(`summary ${this.planned.length}`, answer.plan.firstKeptEntryId));
    this.planned.push(id);
    return id;
  }
}

function forEachSeed(check: (session: Compacted) => void): void {
  for (let seed = 1; seed <= SEEDS; seed++) {
    try {
      check(new Compacted(seed));
    } catch (error) {
      throw new Error(`seed ${seed}: ${String(error)}`, { cause: error });
    }
  }
}

const sent = (tree: SessionTree): LlmMessage[] => sentOf(contextAt(tree, tree.leafId).messages, FRAMES);

describe('IN1 to IN17, through planned compactions', () => {
  it('1: every visible entry of the path is in the context or in the lists of a compaction on the path', () => {
    let hidden = 0;
    forEachSeed((compacted) => {
      const { dice, tree, session } = compacted;
      /** By compaction what its lists held. */
      const lists = new Map<string, string[]>();
      for (let turn = 0; turn < 40; turn++) {
        grow(compacted, dice, turn);
        // On from an earlier entry: a compaction of another branch says nothing here.
        if (dice.chance(0.06)) session.writer.moveTo(dice.pick(tree.pathTo(tree.leafId)).id);
        if (!dice.chance(0.12)) continue;
        const settings = { keepRecentTokens: 1 + dice.below(60) };
        const answer = planCompaction(tree, tree.leafId, { settings, tokensBefore: 5000, isManual: true });
        if (!answer.ok) continue;
        const { messagesToSummarize, turnPrefixMessages, firstKeptEntryId } = answer.plan;
        const gone = [...messagesToSummarize, ...turnPrefixMessages].map(({ sourceId }) => sourceId);
        lists.set(session.writer.add(compaction('S', firstKeptEntryId)), gone);
      }
      const path = tree.pathTo(tree.leafId);
      const listed = new Set(path.flatMap(({ id }) => lists.get(id) ?? []));
      const shown = new Set(planContext(tree, tree.leafId).items.map(({ sourceId }) => sourceId));
      const visible = path.filter(({ facts }) => facts.visible && facts.type !== 'compaction');
      // In one of the two, and only in one.
      expect(visible.filter(({ id }) => shown.has(id) === listed.has(id)).map(({ id }) => id)).toEqual([]);
      hidden += listed.size;
    });
    expect(hidden).toBeGreaterThan(SEEDS);
  });

  it('2: what is sent has no result without its call and no call without its result', () => {
    let pairs = 0;
    forEachSeed((compacted) => {
      for (let round = 0; round < 3; round++) {
        compacted.grow();
        compacted.compact();
        let open: string[] = [];
        for (const message of sent(compacted.tree)) {
          if (message.role === 'toolResult') {
            expect(open).toContain(message.toolCallId);
            open.splice(open.indexOf(message.toolCallId), 1);
            pairs++;
            continue;
          }
          expect(open).toEqual([]);
          open = message.role === 'assistant' ? message.content.flatMap((block) => (block.type === 'toolCall' ? [block.id] : [])) : []; // prettier-ignore
        }
        expect(open).toEqual([]);
      }
    });
    expect(pairs).toBeGreaterThan(SEEDS);
  });

  it('9, 10: planning changes no line that is there, and every parent is in the file first', () => {
    forEachSeed((compacted) => {
      compacted.grow();
      const { entries } = compacted.session.writer;
      const before = entries.map(serializeEntry);
      compacted.compact();
      compacted.grow(5);
      expect(entries.slice(0, before.length).map(serializeEntry)).toEqual(before);
      const seen = new Set<string>();
      for (const { id, parentId } of entries) {
        if (parentId !== null && !seen.has(parentId)) throw new Error(`${id} hangs at ${parentId}, which comes later`);
        seen.add(id);
      }
    });
  });

  it('14: each pinned entry of the path is in the context once, as it was written', () => {
    let hidden = 0;
    forEachSeed((compacted) => {
      const { session, dice } = compacted;
      for (let round = 0; round < 3; round++) {
        const writer = new Dice(round + dice.below(1000));
        for (let turn = 0; turn < 12; turn++) grow(compacted, writer, turn);
        for (let pin = 0; pin < 3; pin++) {
          const visible = session.writer.tree.pathTo(session.writer.tree.leafId).filter(({ facts }) => facts.visible && facts.type === 'message'); // prettier-ignore
          session.writer.add(
            custom('espalier.pin', { v: 1, targetId: dice.pick(visible).id, pinned: dice.chance(0.8) }),
          );
        }
        compacted.compact();
        const { tree } = compacted;
        const { items } = planContext(tree, tree.leafId);
        const blocks = items.flatMap(({ pinned }) => pinned ?? []).map(({ id }) => id);
        const whole = items.filter(({ kind, edit }) => kind === 'message' && !edit).map(({ sourceId }) => sourceId);
        const shown = [...blocks, ...whole];
        const pinned = tree.pathTo(tree.leafId).filter(({ id, facts }) => tree.pins.has(id) && facts.visible);
        expect(pinned.filter(({ id }) => shown.filter((one) => one === id).length !== 1).map(({ id }) => id)).toEqual(
          [],
        );
        hidden += blocks.length;
        // Word for word: text of the entry is a part of what is sent.
        const text = JSON.stringify(sent(tree));
        for (const id of blocks) expect(text).toContain(JSON.stringify(wordsOf(tree, id)).slice(1, -1));
      }
    });
    expect(hidden).toBeGreaterThan(SEEDS / 2);
  });

  it('15: undo gives the messages as without the compaction, redo those as with it', () => {
    let undone = 0;
    forEachSeed((compacted) => {
      const { tree, session } = compacted;
      const writer = new Dice(undone + 11);
      for (let turn = 0; turn < 15; turn++) grow(compacted, writer, turn);
      const atParent = tree.leafId;
      const before = contextAt(tree, atParent).messages;
      const id = compacted.compact();
      if (!id) return;
      const fromSummary = contextAt(tree, tree.leafId).messages.length;
      for (let turn = 0; turn < writer.below(6); turn++) grow(compacted, writer, turn);
      const withIt = contextAt(tree, tree.leafId).messages;
      const later = withIt.slice(fromSummary);
      const leaf = tree.leafId;

      const bodies = entriesAfter(tree, id).flatMap(({ body }) => (body ? [body] : []));
      if (bodies.length === 0) session.writer.moveTo(atParent);
      else {
        const { drafts } = planRebase(tree, atParent, bodies, { op: 'undo', compactionId: id }, seededHex(undone + 99));
        append(tree, session, drafts, atParent);
      }
      expect(contextAt(tree, tree.leafId).messages).toEqual([...before, ...later]);
      session.writer.moveTo(leaf);
      expect(contextAt(tree, tree.leafId).messages).toEqual(withIt);
      undone++;
    });
    expect(undone).toBeGreaterThan(SEEDS / 2);
  });

  it('16: what is pruned and restored after a compaction is the context as before', () => {
    let pruned = 0;
    forEachSeed((compacted) => {
      compacted.grow();
      compacted.compact();
      compacted.grow(3);
      const { tree, session } = compacted;
      const before = contextAt(tree, tree.leafId).messages;
      const items = planContext(tree, tree.leafId).items.flatMap(({ sourceId, kind, node, edit }) =>
        kind === 'message' && node.facts.answers !== undefined && !edit ? [{ targetId: sourceId, mode: 'elide', tokens: 9 }] : [],
      ); // prettier-ignore
      if (items.length === 0) return;
      pruned++;
      session.writer.add(custom('espalier.prune', { v: 1, action: 'prune', items }));
      session.writer.add(custom('espalier.prune', { v: 1, action: 'restore', items }));
      expect(contextAt(tree, tree.leafId).messages).toEqual(before);
    });
    expect(pruned).toBeGreaterThan(SEEDS / 10);
  });

  it('17: the breakdown adds up to D, and the summariser’s usage is never in it', () => {
    forEachSeed((compacted) => {
      const { tree, session } = compacted;
      compacted.grow();
      if (!compacted.compact()) return;
      const plan = planContext(tree, tree.leafId);
      const { tokens } = new ContextCursor(tree, FRAMES).figure();
      const shares = Object.values(breakdown(totalsOf(plan.items), overheadInForce(tree, tree.leafId), tokens));
      expect(shares.reduce((sum, share) => sum + share, 0)).toBe(tokens);
      // The same compaction with a huge bill of its own shows the same figure.
      const parent = tree.node(tree.leafId!)!.parent;
      const { firstKeptEntryId, summary } = tree.body(tree.leafId!) as { firstKeptEntryId: string; summary: string };
      const usage = { input: 9e6, output: 9e5, cacheRead: 9e6, cacheWrite: 0, totalTokens: 2e7 };
      const twin = { ...compaction(summary, firstKeptEntryId), usage } as unknown as EntryDraft;
      session.writer.add(twin, undefined, parent ? parent.id : null);
      expect(new ContextCursor(tree, FRAMES).figure().tokens).toBe(tokens);
    });
  });
});

describe('12: no content opens or closes a section of a prompt', () => {
  const TAGS = ['conversation', 'previous-summary', 'additional-context', 'summary', 'pinned', 'exact-facts', 'read-files', 'modified-files']; // prettier-ignore
  const word = fc.oneof(
    fc.constantFrom(...TAGS).chain((tag) => fc.constantFrom(`<${tag}>`, `</${tag}>`, `</${tag.toUpperCase()}>`, `<${tag} a="b">`, `</${tag}\n>`, `<\n${tag}>`, `<<${tag}>>`, `</ ${tag} >`, `< /${tag}>`, `<\n/\n${tag}>`, `<${tag}`, `&lt;/${tag}>`)), // prettier-ignore
    fc.string({ maxLength: 6 }),
    fc.constantFrom('<', '</', '>', '\n', '&', '\u2028'),
  );
  const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(''));
  const count = (whole: string, tag: string): number =>
    whole.match(new RegExp(`<\\s*(?:\\/\\s*)?${tag}(?![\\w-])`, 'gi'))?.length ?? 0;

  it('whatever is said, done or asked, in a summary request', () => {
    fc.assert(
      fc.property(text, text, text, text, fc.array(text, { maxLength: 3 }), (said, output, previous, focus, lines) => {
        const messages = [
          { role: 'user', content: said, timestamp: 0 },
          { role: 'assistant', content: [{ type: 'toolCall', id: 'c', name: 'read', arguments: { path: said } }] },
          { role: 'toolResult', toolCallId: 'c', toolName: 'read', content: [{ type: 'text', text: output }] },
        ] as unknown as ProjectedMessage[];
        const previousSummary = previous.trim() === '' ? undefined : previous;
        const conversation = serializeConversation(messages);
        const parts = {
          conversation,
          previousSummary,
          additionalContext: lines,
          prompt: 'Write.',
          instructions: focus,
        };
        const body = summaryBody(parts);
        const wanted: Record<string, number> = {
          conversation: 2,
          'previous-summary': previousSummary === undefined ? 0 : 2,
          'additional-context': lines.length > 0 ? 2 : 0,
        };
        for (const tag of TAGS) expect([tag, count(body, tag)]).toEqual([tag, wanted[tag] ?? 0]);
      }),
      { numRuns: shortOrLong(500, 2000) },
    );
  });

  it('whatever a summary and its paths say, in the frame of the next request', () => {
    fc.assert(
      fc.property(text, text, fc.array(text, { maxLength: 3 }), (history, prefix, paths) => {
        const lists = { readFiles: paths.filter((path) => path !== ''), modifiedFiles: [] };
        const summary = mergeSummary({ history, prefix }) + fileTags(lists, 20);
        const projected = [
          { role: 'compactionSummary', summary, tokensBefore: 1, timestamp: 0 },
          { role: 'user', content: 'Go on', timestamp: 0 },
        ] as unknown as ProjectedMessage[];
        const [framed] = sentOf(projected, FRAMES);
        expect(count(JSON.stringify(framed), 'summary')).toBe(2);
      }),
      { numRuns: shortOrLong(500, 2000) },
    );
  });
});

/** One step of a plain session: a prompt, a loop of calls with their results, an answer; metadata now and then. */
function grow({ session: { writer } }: Compacted, dice: Dice, turn: number): void {
  const call = `call_${turn}_${dice.below(1e6)}`;
  const roll = dice.below(10);
  if (roll < 3) writer.add(user(`u${turn} ${'word '.repeat(dice.below(20))}`));
  else if (roll < 6) {
    writer.add(reply(`r${turn}`, { calls: [call] }));
    writer.add(result(call, `out ${turn} ${'line '.repeat(dice.below(30))}`));
  } else if (roll < 9) writer.add(reply(`answer ${turn} ${'word '.repeat(dice.below(20))}`));
  else writer.add({ type: 'thinking_level_change', thinkingLevel: dice.pick(['off', 'low']) });
}

/** A batch as the journal writes it. */
function append(tree: SessionTree, { writer }: RandomSession, drafts: readonly EntryDraft[], parentId: string | null): void {
  const entries = prepareAppend(tree, drafts, { now: Date.UTC(2026, 5, 1), randomHex: seededHex(tree.size), parentId });
  for (const entry of entries) {
    writer.entries.push(entry);
    tree.addEntry(entry, writer.entries.length);
  }
} // prettier-ignore

function wordsOf(tree: SessionTree, id: string): string {
  const { content } = (tree.body(id) as unknown as { message: { content: string | { text?: string }[] } }).message;
  return typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('');
}
