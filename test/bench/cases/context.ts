import { contextAt } from '../../support/context-at';
import { ContextCursor } from '../../../src/shared/session/context-cursor';
import type { SessionEntry } from '../../../src/shared/session/entry';
import type { SessionTree } from '../../../src/shared/session/tree';
import type { Case, CaseContext, FigureInput } from '../../support/figures';
import { loadBoth, sameMessages } from '../both';
import { compare } from '../harness';
import { loadPeer } from '../peer';
import { sessionFile } from '../sessions';

async function rebuild(
  { log }: CaseContext,
  entries: number,
  bound: number,
  id: string,
  compactEvery?: number,
): Promise<FigureInput> {
  const { tree, peer } = await loadBoth(await loadPeer(), await sessionFile({ entries, compactEvery }));
  const {
    ours,
    peer: theirs,
    note,
  } = await compare({
    ours: () => contextAt(tree, tree.leafId),
    peer: () => peer.buildSessionContext(),
    equal: (a, b) => sameMessages(a.messages, b.messages),
  });
  const messages = contextAt(tree, tree.leafId).messages.length;
  const kind = compactEvery ? `compacted every ${compactEvery}` : 'uncompacted';
  log(`${entries} entries ${kind}: ${messages} messages, ${note}`);
  return {
    name: `${id} context rebuild, ${entries / 1000}k entries ${kind}`,
    value: ours.median,
    unit: 'ms',
    peer: theirs.median,
    note: `${messages} equal messages; ${note}`,
    target: { on: 'ratio', op: '>=', bound },
  };
}

const APPENDED = 100_000;

/** What the peer does after an append is build the context anew; ours takes the one entry. */
async function append({ log }: CaseContext): Promise<FigureInput> {
  const { tree, peer } = await loadBoth(await loadPeer(), await sessionFile({ entries: APPENDED }));
  const cursor = new ContextCursor(tree);
  cursor.messages();
  let seq = tree.lastSeq;
  const appendOne = (): void => {
    seq++;
    tree.addEntry(entryAt(seq, tree.leafId), seq);
  };
  const {
    ours,
    peer: theirs,
    note,
  } = await compare({
    ours: { prepare: appendOne, run: () => cursor.messages() },
    peer: () => peer.buildSessionContext().messages,
    equal: (a, b) => sameMessages(a.slice(0, b.length), b) && a.length === b.length + 1,
  });
  if (!sameMessages(cursor.messages(), contextAt(tree, tree.leafId).messages)) {
    throw new Error('the context kept up to date differs from one built from scratch');
  }
  log(`${APPENDED} entries, one appended: ${note}`);
  return {
    name: 'P1 context after one append, 100k entries',
    value: ours.median,
    unit: 'ms',
    peer: theirs.median,
    note: `against the peer's rebuild; ${note}`,
    target: { on: 'ratio', op: '>=', bound: 100 },
  };
}

function entryAt(seq: number, parentId: string | null): SessionEntry {
  const timestamp = new Date(Date.UTC(2026, 5, 1) + seq).toISOString();
  const message = { role: 'user', content: `message ${seq}`, timestamp: Date.parse(timestamp) };
  return { type: 'message', id: `appended-${seq}`, parentId, timestamp, message };
}

const BRANCHED = 100_000;
/** Milliseconds that a context may take after going to another leaf (BR1). */
const MAX_NAVIGATION_MS = 5;

/** Going to and fro between leaves of one tree, which the last compaction of each lets be short: what the peer does the same way. */
async function navigate({ log }: CaseContext): Promise<FigureInput> {
  const { tree, peer } = await loadBoth(await loadPeer(), await sessionFile({ entries: BRANCHED, compactEvery: 400 }));
  const path = tree.pathTo(tree.leafId).filter(({ facts }) => !facts.side);
  const fork = (share: number): string => path[Math.floor(share * path.length)]?.id ?? '';
  const leaves = [tree.leafId ?? '', ...[0.1, 0.35, 0.6, 0.85].map((share) => branchAt(tree, fork(share)))];
  let turn = 0;
  const next = (): string => leaves[turn++ % leaves.length] ?? '';
  const {
    ours,
    peer: theirs,
    note,
  } = await compare({
    ours: {
      prepare: () => {
        tree.leafId = next();
      },
      run: () => contextAt(tree, tree.leafId).messages.length,
    },
    peer: () => peer.buildSessionContext().messages.length,
    equal: (a, b) => a > 0 && b > 0,
  });
  const each = leaves.map((leafId) => contextAt(tree, leafId).messages.length);
  log(`${BRANCHED} entries, ${leaves.length} leaves of ${each.join(', ')} messages: ${note}`);
  return {
    name: 'P1 context after navigating between leaves, 100k entries',
    value: ours.median,
    unit: 'ms',
    peer: theirs.median,
    note: `${leaves.length} leaves in turn, against the peer's rebuild at its own leaf; ${note}`,
    target: { on: 'value', op: '<=', bound: MAX_NAVIGATION_MS },
  };
}

/** A branch of some messages at an entry. Gives its leaf. */
function branchAt(tree: SessionTree, parentId: string): string {
  let leafId: string | null = parentId;
  for (let i = 0; i < 50; i++) {
    const seq = tree.lastSeq + 1;
    const entry = entryAt(seq, leafId);
    tree.addEntry(entry, seq);
    leafId = entry.id;
  }
  return leafId;
}

const cases: Case[] = [
  {
    name: 'P1 context rebuild, uncompacted',
    issue: 2,
    run: async (context) => [await rebuild(context, 10_000, 10, 'P1'), await rebuild(context, 50_000, 20, 'P1')],
  },
  { name: 'P1 context after one append at 100,000 entries', issue: 2, run: async (context) => [await append(context)] },
  {
    name: 'P1 context after navigating at 100,000 entries',
    issue: 4,
    run: async (context) => [await navigate(context)],
  },
  {
    name: 'P2 context rebuild, compacted every 400',
    issue: 2,
    run: async (context) => [
      await rebuild(context, 10_000, 200, 'P2', 400),
      await rebuild(context, 50_000, 5000, 'P2', 400),
    ],
  },
];
export default cases;
