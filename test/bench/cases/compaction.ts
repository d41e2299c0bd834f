import { addBranchFiles, addGroupFiles, addStoredFiles, noFileOps } from '../../../src/shared/compaction/file-activity';
import type { FileOps } from '../../../src/shared/compaction/file-activity';
import { cutWindow, planIn } from '../../../src/shared/compaction/plan';
import type { PlanResult } from '../../../src/shared/compaction/plan';
import type { PlanItem } from '@shared/session/messages/plan-item';
import type { ProjectedMessage } from '@shared/session/records/entry';
import { projectEntry } from '@shared/session/messages/projection';
import type { SessionTree } from '@shared/session/tree/tree';
import { applyEdit } from '@shared/session/messages/view-edits';
import type { Case, CaseContext, FigureInput } from '../../support/figures';
import { loadBoth, sameMessages } from '../both';
import { compare } from '../harness';
import { loadPeer } from '../peer';
import type { Peer } from '../peer';
import { sessionFile } from '../sessions';
import { groupMessages } from '../../support/serialize-conversation';

/** What the peer's preparation gives (EX3). */
interface Preparation {
  firstKeptEntryId: string;
  messagesToSummarize: unknown[];
  turnPrefixMessages: unknown[];
  isSplitTurn: boolean;
  previousSummary?: string;
  fileOps: FileOps;
}

/** QP3. The plan alone, as main makes it: which entries, what stays, what it comes to. */
function plan(tree: SessionTree, keepRecentTokens: number): PlanResult {
  return planIn(cutWindow(tree, tree.leafId), { settings: { keepRecentTokens }, tokensBefore: 1, isManual: true });
}

/**
 * All that the peer's preparation gives: the messages and their files too. Main never makes them: it hands lines of the file to
 * the worker, so this is told beside the plan and has no bar of its own.
 */
function prepare(tree: SessionTree, keepRecentTokens: number): Preparation | null {
  const answer = plan(tree, keepRecentTokens);
  if (!answer.ok) return null;
  const { messagesToSummarize, turnPrefixMessages, previous, ...rest } = answer.plan;
  const fileOps = noFileOps(null);
  const messages = (items: readonly PlanItem[]): ProjectedMessage[] => {
    const shown: ProjectedMessage[] = [];
    for (const { node, edit } of items) {
      if (!node.body) continue;
      const message = projectEntry(node.body, node.timeMs);
      const edited = edit ? applyEdit(message, edit) : message;
      shown.push(edited);
    }
    for (const group of groupMessages(shown)) addGroupFiles(fileOps, group);
    return shown;
  };
  const lists = {
    messagesToSummarize: messages(messagesToSummarize),
    turnPrefixMessages: messages(turnPrefixMessages),
  };
  addStoredFiles(fileOps, previous?.body);
  addBranchFiles(fileOps, messagesToSummarize);
  return { ...rest, ...lists, fileOps };
}

const same = (ours: Preparation | null, theirs: Preparation): boolean =>
  ours !== null &&
  ours.firstKeptEntryId === theirs.firstKeptEntryId &&
  ours.isSplitTurn === theirs.isSplitTurn &&
  (ours.previousSummary ?? '') === (theirs.previousSummary ?? '').trim() &&
  sameMessages(ours.messagesToSummarize, theirs.messagesToSummarize) &&
  sameMessages(ours.turnPrefixMessages, theirs.turnPrefixMessages) &&
  // The peer counts calls that failed as well (FA1).
  (['read', 'written', 'edited'] as const).every((kind) =>
    [...ours.fileOps[kind]].every((path) => theirs.fileOps[kind].has(path)),
  );

const DEFAULT_KEEP = 20_000;
const KEEP_STEP = 250;
const KEEP_TRIES = 40;

/**
 * The first keep budget from 20,000 tokens on with which both sides cut at the same entry: an ideograph is a token to us and a
 * quarter of one to the peer, and only equal work is compared.
 */
function commonKeep(tree: SessionTree, theirs: (keep: number) => Preparation): number {
  for (let step = 0; step < KEEP_TRIES; step++) {
    const keep = DEFAULT_KEEP + step * KEEP_STEP;
    const ours = plan(tree, keep);
    if (ours.ok && ours.plan.firstKeptEntryId === theirs(keep).firstKeptEntryId) return keep;
  }
  throw new Error('No keep budget with which both sides cut at the same entry');
}

interface Measured {
  entries: number;
  compactEvery?: number;
  bound: number;
  id: string;
}

async function measure(
  { log }: CaseContext,
  peer: Peer,
  { entries, compactEvery, bound, id }: Measured,
): Promise<FigureInput[]> {
  const { tree, peer: session } = await loadBoth(peer, await sessionFile({ entries, compactEvery }));
  // The path is given to the peer: finding it would cost it as much again.
  const path = session.getBranch();
  const theirs = (keepRecentTokens: number): Preparation =>
    peer.prepareCompaction(path, { enabled: true, reserveTokens: 16_384, keepRecentTokens }) as Preparation;
  const keep = commonKeep(tree, theirs);
  const planned = await compare({
    ours: () => plan(tree, keep),
    peer: () => theirs(keep),
    equal: (ours, other) =>
      ours.ok &&
      ours.plan.firstKeptEntryId === other.firstKeptEntryId &&
      ours.plan.messagesToSummarize.length === other.messagesToSummarize.length &&
      ours.plan.turnPrefixMessages.length === other.turnPrefixMessages.length,
  });
  const whole = await compare({ ours: () => prepare(tree, keep), peer: () => theirs(keep), equal: same });
  const kind = compactEvery ? `compacted every ${compactEvery}` : 'uncompacted';
  const name = `${entries / 1000}k entries ${kind}`;
  log(`${name}, keep ${keep}: plan ${planned.note}; with messages and files ${whole.note}`);
  return [
    {
      name: `${id} plan, ${name}`,
      value: planned.ours.median,
      unit: 'ms',
      peer: planned.peer.median,
      note: `same cut and lists, keep ${keep}; ${planned.note}. With messages and files, equal too: ${whole.note}`,
      target: { on: 'ratio', op: '>=', bound },
    },
  ];
}

const testCase = (name: string, what: Measured): Case => ({
  name,
  issue: 3,
  times: ['src/shared/compaction/plan.ts:cutWindow', 'src/shared/compaction/plan.ts:planIn'],
  run: async (context) => measure(context, await loadPeer(), what),
});

/** One case a size, so that each may be measured alone in a moment when the machine is still. */
const cases: Case[] = [
  testCase('P3 preparation, 10k entries', { entries: 10_000, bound: 5, id: 'P3' }),
  testCase('P3 preparation, 50k entries', { entries: 50_000, bound: 15, id: 'P3' }),
  testCase('P3 preparation, compacted, 10k entries', { entries: 10_000, compactEvery: 400, bound: 100, id: 'P3' }),
  testCase('P3 preparation, compacted, 50k entries', { entries: 50_000, compactEvery: 400, bound: 100, id: 'P3' }),
  testCase('Planning at 100,000 entries', { entries: 100_000, bound: 20, id: 'Planning:' }),
];
export default cases;
