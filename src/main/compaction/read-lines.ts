import type { SessionLog } from '../ports';
import type { Activity, SourceLine } from './conversation';
import { type CallSource, EndFinder } from './end-finder';
import { placeOf, type Serializer } from './serializer';
import { SummaryAborted, SummaryError } from './summary-call';
import type { BranchRegion } from '@shared/compaction/branch-selection';
import { fromFirstUnbegun } from '@shared/compaction/call-results';
import { addFoundFiles, addStoredFiles, doneCalls, noFileOps } from '@shared/compaction/file-activity';
import { endOfFacts } from '@shared/policy/call-outcome';
import { belowReply } from '@shared/session/messages/below-reply';
import type { PlanItem } from '@shared/session/messages/plan-item';
import type { TreeNode } from '@shared/session/records/tree-node';

/** Lines that are read and handed to the worker at once. */
const BATCH = 200;

/** What else goes with the line of an item, by its place. */
type More = (at: number) => Partial<SourceLine>;

/**
 * Reads the lines of items in order, for the worker: main parses none of them.
 * @param take gets them with the place of the first
 * @throws SummaryAborted, SummaryError: a summary that passes over what could not be read would lose it in silence
 */
async function eachBatch(
  { log }: { log: SessionLog },
  items: readonly PlanItem[],
  signal: AbortSignal,
  take: (lines: SourceLine[], at: number) => Promise<void>,
  more?: More,
): Promise<void> {
  for (let at = 0; at < items.length; at += BATCH) {
    if (signal.aborted) throw new SummaryAborted();
    const batch = items.slice(at, at + BATCH);
    const lines = new Map((await log.linesOf(batch.map(({ node }) => node.id))).map((line) => [line.id, line]));
    const found = batch.flatMap(({ node, edit }, index): SourceLine[] => {
      const stored = lines.get(node.id);
      if (!stored) return [];
      return [
        { line: stored.line, timeMs: log.tree.writtenAt(node), ...(edit ? { edit } : {}), ...more?.(at + index) },
      ];
    });
    if (found.length < batch.length) throw new SummaryError('Part of the session could not be read from its file');
    await take(found, at);
  }
}

/**
 * The same for who tells what became of calls (SU19): with the lines of replies what is known of calls that no other item answers, for
 * which results are read that stand elsewhere.
 */
export async function eachToldBatch(
  source: CallSource,
  items: readonly PlanItem[],
  signal: AbortSignal,
  take: (lines: SourceLine[]) => Promise<void>,
  more?: More,
): Promise<void> {
  const finder = new EndFinder(source, items);
  const tell = async (lines: SourceLine[], at: number): Promise<void> => {
    const found = await finder.of(at, at + lines.length);
    await take(
      lines.map((line, index) => {
        const ends = found.get(at + index);
        return ends ? { ...line, ends } : line;
      }),
    );
  };
  await eachBatch(source, items, signal, tell, more);
}

const COMMAND_ROLES = new Set(['bashExecution', 'pythonExecution']);

/**
 * What was done to files on a branch: calls of all its messages, also of those that a compaction stands for, and what its branch
 * summaries stored, unless an extension wrote them (BR8). The calls are read line by line in the worker.
 * @throws SummaryAborted, SummaryError
 */
export async function regionActivity(
  { entries, items }: BranchRegion,
  scope: CallSource & { serializer: Serializer; workspaceDir: string },
  signal: AbortSignal,
): Promise<Activity> {
  const files = noFileOps(placeOf(scope));
  for (const { facts, body } of entries) {
    // A compaction names what was done before the branch began, too: what it stands for on the branch is read with its calls.
    if (facts.type === 'branch_summary') addStoredFiles(files, body);
  }
  let hasCommands = entries.some(({ facts }) => COMMAND_ROLES.has(facts.role ?? ''));
  const done = doneCalls(items);
  const calling = items.flatMap((item, at) => {
    const { calls } = item.node.facts;
    return calls ? [{ item, done: done.get(at), notMade: notMade(item.node, calls, done.get(at), scope) }] : [];
  });
  const take = async (lines: SourceLine[]): Promise<void> => {
    const found = await scope.serializer.activityOf(lines);
    hasCommands ||= found.hasCommands;
    addFoundFiles(files, found.files);
  };
  const called = calling.map(({ item }) => item);
  await eachBatch(scope, called, signal, take, (index) => {
    const { done, notMade } = calling[index] ?? {};
    return { done, ...(notMade && notMade.size > 0 ? { notMade } : {}) };
  });
  return { files, hasCommands };
}

/** Which calls of a reply are known not to have been made: by their results, or because it broke off, or the run did before them (SU19). */
function notMade(
  node: TreeNode,
  calls: readonly string[],
  done: ReadonlySet<string> | undefined,
  source: CallSource,
): ReadonlySet<string> {
  const left = calls.filter((id) => done?.has(id) !== true);
  if (left.length === 0) return new Set();
  const { answers } = belowReply(node);
  const unbegun = fromFirstUnbegun(calls, source.firstUnbegun(node.id));
  const { stopReason } = node.facts.reply ?? {};
  const isBroken = stopReason === 'error' || stopReason === 'aborted' || stopReason === 'length';
  return new Set(
    left.filter((id) => {
      const answer = answers.get(id);
      if (!answer) return isBroken || unbegun.has(id);
      const { outcome } = endOfFacts(answer.facts);
      return outcome === 'declined' || outcome === 'notRun';
    }),
  );
}
