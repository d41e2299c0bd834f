import { performance } from 'node:perf_hooks';
import type { LlmMessage, SessionEntry } from '@shared/session/records/entry';
import type { SessionTree } from '@shared/session/tree/tree';
import type { Case, CaseContext, FigureInput } from '../../support/figures';
import { sameMessages } from '../both';
import { compare, measure } from '../harness';
import { loadPeer } from '../peer';
import { openRequestPath, post, type RequestPath } from '../request-path';
import { sessionFile } from '../sessions';

/** What every case here times: the gate, from "a request is due" to handing the messages to the provider's worker. */
const TIMES = 'src/main/agent/gate.ts:Gate.streamFn';
/** Main's longest block that nobody notices (QP4), milliseconds. */
const MAX_BLOCK_MS = 16;

interface Rebuild {
  id: 'P1' | 'P2';
  entries: number;
  bound: number;
  compactEvery?: number;
}

/** QP1, QP2. Going to and fro between answers to one prompt: each request is for a leaf that the one before was not for. */
async function rebuild(context: CaseContext, { id, entries, bound, compactEvery }: Rebuild): Promise<FigureInput> {
  const file = await sessionFile({ entries, compactEvery });
  const peer = (await loadPeer()).SessionManager.open(file);
  const path = await openRequestPath({ path: file, scratch: context.scratch });
  const { tree } = path.log;
  const last = tree.leafId;
  const leaves = [0, 1, 2].map(() => addMessage(tree, last));
  await recordState(path);
  let turn = 0;
  const goOn = () => {
    tree.leafId = leaves[turn++ % leaves.length] ?? null;
    return path.due();
  };
  const cold = performance.now();
  await goOn();
  const first = performance.now() - cold;
  const {
    ours,
    peer: theirs,
    note,
  } = await compare({
    ours: goOn,
    peer: () => peer.buildSessionContext(),
    equal: ({ context: { messages } }, { messages: theirMessages }) => isSame(messages.slice(0, -1), theirMessages),
  });
  const request = await path.due();
  const posted = await measure(() => post(request), { repetitions: 5, warmups: 1 });
  const kind = compactEvery ? `compacted every ${compactEvery}` : 'uncompacted';
  const all =
    `${request.context.messages.length} messages; ${note}; the first one, before V8 has compiled anything, ` +
    `${first.toFixed(2)} ms; the post ${posted.median.toFixed(2)} ms, one block`;
  context.log(`${entries} entries ${kind}: ${all}`);
  return {
    name: `${id} request after navigating, ${entries / 1000}k entries ${kind}`,
    value: ours.median,
    unit: 'ms',
    peer: theirs.median,
    note: `all of main up to the post, against the peer's context; ${all}`,
    target: { on: 'ratio', op: '>=', bound },
  };
}

const APPENDED = 100_000;
const MAX_APPENDED_MS = 1;

/** Requests sent before one is timed, as in a session of that length. */
const SENT_BEFORE = 50;

/** QP17. The next request after a message was appended. Reading the project's notes is waited for; how long stands beside it. */
async function append({ log, scratch }: CaseContext): Promise<FigureInput[]> {
  const file = await sessionFile({ entries: APPENDED });
  const peer = (await loadPeer()).SessionManager.open(file);
  const path = await openRequestPath({ path: file, scratch });
  const { tree } = path.log;
  for (let i = 0; i < SENT_BEFORE; i++) {
    addMessage(tree, tree.leafId);
    if (i === 0) await recordState(path);
    await path.due();
  }
  const {
    ours,
    peer: theirs,
    note,
  } = await compare({
    ours: { prepare: () => addMessage(tree, tree.leafId), run: () => path.due() },
    peer: () => peer.buildSessionContext().messages,
    equal: ({ context: { messages } }, theirMessages) => isSame(messages.slice(0, theirMessages.length), theirMessages),
  });
  const look = await measure({ prepare: () => null, run: () => path.lookAtProject() });
  const all = `${note}; the look at the project's folder before it ${look.median.toFixed(2)} ms of waiting`;
  log(`${APPENDED} entries, one appended: ${all}`);
  return [
    {
      name: 'P17 request after one append, 100k entries',
      value: ours.median,
      unit: 'ms',
      peer: theirs.median,
      note: `all of main up to the post; peer: its rebuild; ${all}`,
      target: { on: 'value', op: '<=', bound: MAX_APPENDED_MS },
    },
  ];
}

const BRANCHED = 100_000;
/** Milliseconds that a request may take after going to another leaf (BR1). */
const MAX_NAVIGATION_MS = 5;

/** Going to and fro between leaves all over one tree, which the last compaction of each lets be short. */
async function navigate({ log, scratch }: CaseContext): Promise<FigureInput[]> {
  const file = await sessionFile({ entries: BRANCHED, compactEvery: 400 });
  const peer = (await loadPeer()).SessionManager.open(file);
  const path = await openRequestPath({ path: file, scratch });
  const { tree } = path.log;
  const entries = tree.pathTo(tree.leafId).filter(({ facts }) => !facts.side);
  const fork = (share: number): string => entries[Math.floor(share * entries.length)]?.id ?? '';
  const leaves = [1, 0.1, 0.35, 0.6, 0.85].map((share) =>
    branchAt(tree, share === 1 ? (tree.leafId ?? '') : fork(share)),
  );
  await recordState(path);
  let turn = 0;
  const {
    ours,
    peer: theirs,
    note,
  } = await compare({
    ours: {
      prepare: () => {
        tree.leafId = leaves[turn++ % leaves.length] ?? null;
      },
      run: async () => (await path.due()).context.messages.length,
    },
    peer: () => peer.buildSessionContext().messages.length,
    equal: (a, b) => a > 0 && b > 0,
  });
  const request = await path.due();
  const posted = await measure(() => post(request), { repetitions: 7, warmups: 2 });
  log(`${BRANCHED} entries, ${leaves.length} leaves: ${note}; the post ${posted.median.toFixed(2)} ms`);
  return [
    {
      name: 'P1 request after navigating between leaves, 100k entries compacted every 400',
      value: ours.median,
      unit: 'ms',
      peer: theirs.median,
      note: `${leaves.length} leaves in turn, against the peer's rebuild at its own leaf; ${note}`,
      target: { on: 'value', op: '<=', bound: MAX_NAVIGATION_MS },
    },
    {
      name: 'P17 the post after it, main’s longest block of a request',
      value: posted.median,
      unit: 'ms',
      note: `${request.context.messages.length} messages`,
      target: { on: 'value', op: '<=', bound: MAX_BLOCK_MS },
    },
  ];
}

/** Same messages; the summary comes in its frame and as the user's, which the peer adds later. */
function isSame(ours: readonly unknown[], theirs: readonly unknown[]): boolean {
  const [summary] = theirs as { role?: string; summary?: string }[];
  if (summary?.role !== 'compactionSummary') return sameMessages(ours, theirs);
  const [framed] = ours as LlmMessage[];
  const hasSummary = typeof framed?.content === 'string' && framed.content.includes(summary.summary ?? '?');
  return hasSummary && sameMessages(ours.slice(1), theirs.slice(1));
}

/** Prompt and tools are written down once, where every leaf finds them; a request that records them is not the common one. */
async function recordState(path: RequestPath): Promise<void> {
  const { tree } = path.log;
  const { leafId } = tree;
  tree.leafId = tree.entriesInOrder()[0]?.id ?? null;
  await path.due();
  tree.leafId = leafId;
}

function addMessage(tree: SessionTree, parentId: string | null): string {
  const seq = tree.lastSeq + 1;
  const timestamp = new Date(Date.UTC(2026, 5, 1) + seq).toISOString();
  const message = { role: 'user', content: `message ${seq}`, timestamp: Date.parse(timestamp) };
  const entry: SessionEntry = { type: 'message', id: `appended-${seq}`, parentId, timestamp, message };
  tree.addEntry(entry, seq);
  return entry.id;
}

/** A branch of some messages at an entry. Gives its leaf. */
function branchAt(tree: SessionTree, parentId: string): string {
  let leafId = parentId;
  for (let i = 0; i < 50; i++) leafId = addMessage(tree, leafId);
  return leafId;
}

const cases: Case[] = [
  {
    name: 'P1 request after navigating, uncompacted',
    issue: 12,
    times: [TIMES],
    run: async (context) => [
      await rebuild(context, { id: 'P1', entries: 10_000, bound: 10 }),
      await rebuild(context, { id: 'P1', entries: 50_000, bound: 20 }),
    ],
  },
  { name: 'P17 request after one append at 100,000 entries', issue: 12, times: [TIMES], run: append },
  { name: 'P1 request after navigating at 100,000 entries', issue: 4, times: [TIMES], run: navigate },
  {
    name: 'P2 request after navigating, compacted every 400',
    issue: 12,
    times: [TIMES],
    run: async (context) => [
      await rebuild(context, { id: 'P2', entries: 10_000, bound: 200, compactEvery: 400 }),
      await rebuild(context, { id: 'P2', entries: 50_000, bound: 5000, compactEvery: 400 }),
    ],
  },
];
export default cases;
