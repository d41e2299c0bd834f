import { describe, expect, it, vi } from 'vitest';
import { pinsAt } from '@shared/compaction/pin-list';
import { planContext, viewEditsAt } from '@shared/session/context/context-plan';
import type { SessionTree } from '@shared/session/tree/tree';
import type { TreeNode } from '@shared/session/records/tree-node';
import { removes } from '@shared/session/messages/view-edits';
import { newestLeafBelow } from '@shared/session/tree/destination';
import { defaultSettings } from '@shared/settings';
import { Pins } from '../../../src/main/session/pins';
import type { SessionScope } from '../../../src/main/session/machine/scope';
import { contextAt } from '../../support/context-at';
import { sentOf } from '../../support/sent-of';
import { Dice, RandomSession } from '../shared/session/random-session';
import type { EntryDraft } from '@shared/session/records/entry';
import { FRAMES, reply, user, Writer } from '../shared/session/support';
import { shortOrLong } from '../../support/long-form';

/** What is pinned by the app's own way in random sessions: compactions, branches and their summaries, view edits, resets, undos. */
const SEEDS = Number(process.env.ESPALIER_FUZZ_SEEDS ?? shortOrLong(100, 300));

/** `Pins` as it is, over a session that grows at random. */
class Pinned {
  readonly session: RandomSession;
  readonly dice: Dice;
  readonly window: number;
  readonly percent: number;
  readonly ratio: number;
  readonly pins: Pins;

  constructor(seed: number) {
    this.session = new RandomSession(seed);
    this.dice = new Dice(seed ^ 0x9145);
    this.window = 200 + this.dice.below(8000);
    this.percent = 1 + this.dice.below(50);
    this.ratio = 1 + this.dice.below(4) / 2;
    const { writer } = this.session;
    const scope = {
      log: {
        tree: writer.tree,
        append: async (drafts: Parameters<typeof writer.add>[0][]) => drafts.map((draft) => writer.add(draft)),
      },
      model: { provider: 'p', modelId: 'm' },
      models: { effectiveWindow: () => this.window },
      settings: () => ({ ...defaultSettings(), 'pins.maxPercent': this.percent }),
      size: () => ({ ratio: this.ratio }),
    };
    this.pins = new Pins(scope as unknown as SessionScope);
  }

  get tree(): SessionTree {
    return this.session.writer.tree;
  }

  get limit(): number {
    return Math.floor((this.window * this.percent) / 100);
  }

  grow(steps: number): void {
    for (let step = 0; step < steps; step++) this.session.step();
  }

  /** What pins take at a leaf, counted by itself: a line each, and one for the block. */
  cost(leafId: string | null, more: readonly string[] = []): number {
    const nodes = pinsAt(this.tree, leafId, more).map(({ node }) => node);
    const raw = nodes.reduce((sum, { facts }) => sum + facts.raw - facts.thinking + 8, 8);
    return nodes.length === 0 ? 0 : Math.ceil(this.ratio * raw);
  }
}

async function forEachSeed(check: (pinned: Pinned) => Promise<void> | void): Promise<void> {
  for (let seed = 1; seed <= SEEDS; seed++) {
    try {
      await check(new Pinned(seed));
    } catch (error) {
      throw new Error(`seed ${seed}: ${String(error)}`, { cause: error });
    }
  }
}

const idsOf = (nodes: readonly TreeNode[]): string[] => nodes.map(({ id }) => id);

describe('PN2, PN3: pins in any tree', () => {
  it('each that counts is in the context once, in the order of the path, and the list says where', async () => {
    let [hidden, shown, aside] = [0, 0, 0];
    await forEachSeed(async ({ dice, pins, tree, session, window }) => {
      for (let round = 0; round < 4; round++) {
        for (let step = 5 + dice.below(25); step > 0; step--) session.step();
        for (let at = 0; at < 4; at++) await pins.set([session.anyId()], dice.chance(0.8)).catch(() => undefined);
        const { leafId } = tree;
        const { items, leaf } = planContext(tree, leafId);
        const listed = pinsAt(tree, leafId);
        const blocks = items.flatMap(({ pinned = [] }) => pinned);
        const plain = items.flatMap(({ kind, node }) => (kind === 'message' || kind === 'branch' ? [node] : []));
        // No entry twice, wherever it is.
        for (const { node } of listed)
          expect(
            [...blocks, ...plain].filter((one) => one === node),
            node.id,
          ).toHaveLength(1);
        expect(listed.filter(({ isHidden }) => !isHidden).every(({ node }) => plain.includes(node))).toBe(true);
        expect(listed.filter(({ isHidden }) => isHidden).every(({ node }) => blocks.includes(node))).toBe(true);
        // Nothing is in a block that is not listed, but for the person's words (PN4); one that is pinned too is there once.
        expect(idsOf(blocks.filter(({ id }) => tree.pins.has(id))).sort()).toEqual(idsOf(listed.filter(({ isHidden }) => isHidden).map(({ node }) => node)).sort()); // prettier-ignore
        // None of the path is missing: those that a view edit takes out and those before a reset are no part of any context.
        const path = tree.pathTo(leaf?.id ?? null);
        const edits = leaf ? viewEditsAt(tree, leaf) : null;
        const reset = path.findLastIndex(({ facts }) => facts.type === 'reset_boundary');
        const wanted = path.filter(({ id, facts }, at) => at > reset && tree.pins.has(id) && facts.visible && !removes(edits?.get(id))); // prettier-ignore
        expect(idsOf(listed.filter(({ isAside }) => !isAside).map(({ node }) => node))).toEqual(idsOf(wanted));
        // In the block of the compaction those of the path stand as on the path.
        const first = items.find(({ kind, node }) => kind === 'pins' && node.facts.type === 'compaction')?.pinned ?? [];
        const onPath = first.filter((node) => path.includes(node));
        expect(onPath).toEqual([...onPath].sort((a, b) => path.indexOf(a) - path.indexOf(b)));
        const list = pins.list();
        expect(list.pins.map(({ id }) => id)).toEqual(idsOf(listed.map(({ node }) => node)));
        expect(list.limit).toBe(Math.floor((window * list.percent) / 100));
        hidden += listed.filter(({ isHidden }) => isHidden).length;
        shown += listed.filter(({ isHidden }) => !isHidden).length;
        aside += listed.filter(({ isAside }) => isAside).length;
      }
    });
    for (const count of [hidden, shown, aside]) expect(count).toBeGreaterThan(SEEDS / 10);
  });

  it('a pin is taken if all fit where its message is shown, and only then', async () => {
    const seen = { taken: 0, refused: 0, notSent: 0, off: 0 };
    await forEachSeed(async (pinned) => {
      const { dice, pins, tree, session } = pinned;
      for (let round = 0; round < 12; round++) {
        pinned.grow(1 + dice.below(8));
        const id = session.anyId();
        const node = tree.node(id);
        if (!node || tree.pins.has(id)) continue;
        const shows = (leafId: string | null): boolean => pinsAt(tree, leafId, [id]).some((one) => one.node === node);
        const off = !shows(tree.leafId);
        const leafId = off ? newestLeafBelow(tree, node).id : tree.leafId;
        const before = session.writer.entries.length;
        const error = await pins.set([id], true).then(() => null, String);
        if (!shows(leafId)) {
          expect(error).toContain('is not sent this message');
          seen.notSent++;
        } else if (pinned.cost(leafId, [id]) > pinned.limit) {
          expect(error).toContain(`pins may take ${pinned.limit.toLocaleString('en-US')}: ${pinned.percent}%`);
          seen.refused++;
        } else {
          expect(error).toBeNull();
          expect(pinned.cost(leafId)).toBeLessThanOrEqual(pinned.limit);
          seen.taken++;
          seen.off += off ? 1 : 0;
        }
        // What is refused leaves nothing behind.
        expect(session.writer.entries.length - before).toBe(error === null ? 1 : 0);
        if (leafId === tree.leafId) expect(pins.list().tokens).toBe(pinned.cost(leafId));
      }
    });
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(SEEDS / 20);
  });

  it('what is unpinned again leaves the request as it was', async () => {
    let hidden = 0;
    await forEachSeed(async (pinned) => {
      const { dice, pins, tree, session } = pinned;
      pinned.grow(20 + dice.below(30));
      const request = (): string => JSON.stringify(sentOf(contextAt(tree, tree.leafId).messages, FRAMES));
      const before = request();
      const path = tree.pathTo(tree.leafId).filter(({ id, facts }) => facts.visible && !tree.pins.has(id));
      if (path.length === 0) return;
      const ids = [...new Set(Array.from({ length: 3 }, () => dice.pick(path).id))];
      if (!(await pins.set(ids, true).then(() => true, () => false))) return; // prettier-ignore
      if (request() !== before) hidden++;
      await pins.set(ids, false);
      expect(request()).toBe(before);
      expect(session.writer.tree.leafId).toBe(tree.leafId);
    });
    expect(hidden).toBeGreaterThan(SEEDS / 20);
  });
});

describe('PN3: many pins of one request', () => {
  const MANY = 200;
  /** Two branches of one question, the second many times parted; ids `b0`… of the second, `c0`… one to a part of it. */
  const parted = (): { writer: Writer; pins: Pins } => {
    const writer = new Writer();
    writer.add(user('root'), 'root');
    for (let n = 0; n < MANY; n++) writer.add(reply(`b${n}`), `b${n}`, ...(n === 0 ? ['root'] : []));
    for (let n = 0; n < MANY; n++) writer.add(reply(`c${n}`), `c${n}`, 'root');
    writer.add(reply('here'), 'here', 'root');
    const scope = {
      log: {
        tree: writer.tree,
        append: (drafts: EntryDraft[]) => Promise.resolve(drafts.map((draft) => writer.add(draft))),
      },
      model: { provider: 'p', modelId: 'm' },
      models: { effectiveWindow: () => 1_000_000 },
      settings: () => defaultSettings(),
      size: () => ({ ratio: 1 }),
    };
    return { writer, pins: new Pins(scope as unknown as SessionScope) };
  };
  const some = (kind: string): string[] => Array.from({ length: MANY }, (_, n) => `${kind}${MANY - 1 - n}`);

  it('looks once at each place where they are shown, however many are shown there', async () => {
    const { writer, pins } = parted();
    const looked = vi.spyOn(writer.tree.spine, 'bitsOfPath');
    await pins.set(['here'], true);
    const once = looked.mock.calls.length;
    expect(once).toBeGreaterThan(0);
    await pins.set(some('b'), true);
    // Here, and where that branch was left; by the context and by its pins.
    expect(looked.mock.calls.length - once).toBeLessThanOrEqual(4);
    expect(writer.tree.pins.size).toBe(MANY + 1);
  });

  it('lets other work go on between the branches of a request that names many', async () => {
    const { writer, pins } = parted();
    let turns = 0;
    let isDone = false;
    const other = (): void => {
      turns += 1;
      if (!isDone) setImmediate(other);
    };
    setImmediate(other);
    await pins.set(some('c'), true);
    isDone = true;
    expect(turns).toBeGreaterThan(MANY);
    expect(writer.tree.pins.size).toBe(MANY);
  });
});
