import type { BranchRegion } from '@shared/compaction/branch-selection';
import { addFoundFiles, addStoredFiles, doneCalls, noFileOps } from '@shared/compaction/file-activity';
import type { Activity, SourceLine } from './conversation';
import type { CallSource } from './end-finder';
import { eachBatch } from './read-lines';
import { placeOf, type Serializer } from './serializer';

const COMMAND_ROLES = new Set(['bashExecution', 'pythonExecution']);

/**
 * What was done to files on a branch: calls of all its messages, and what its compactions and branch summaries stored, unless an
 * extension wrote them (BR8). The calls are read line by line in the worker.
 * @throws SummaryAborted, SummaryError
 */
export async function regionActivity(
  { entries, items }: BranchRegion,
  scope: CallSource & { serializer: Serializer; workspaceDir: string },
  signal: AbortSignal,
): Promise<Activity> {
  const files = noFileOps(placeOf(scope));
  for (const { facts, body } of entries) {
    if (facts.type === 'compaction' || facts.type === 'branch_summary') addStoredFiles(files, body);
  }
  let hasCommands = entries.some(({ facts }) => COMMAND_ROLES.has(facts.role ?? ''));
  const done = doneCalls(items, (replyId) => scope.firstUnbegun(replyId));
  const calling = items.flatMap((item, at) => (item.node.facts.calls ? [{ item, done: done.get(at) }] : []));
  const take = async (lines: SourceLine[]): Promise<void> => {
    const found = await scope.serializer.activityOf(lines);
    hasCommands ||= found.hasCommands;
    addFoundFiles(files, found.files);
  };
  const called = calling.map(({ item }) => item);
  await eachBatch(scope, called, signal, take, (index) => ({ done: calling[index]?.done }));
  return { files, hasCommands };
}
