import type { BranchRegion } from '@shared/compaction/branch-selection';
import type { PathPlace } from '@shared/compaction/absolute-path';
import { addFoundFiles, addStoredFiles, doneCalls, noFileOps } from '@shared/compaction/file-activity';
import type { SessionLog } from '../ports';
import type { Activity, SourceLine } from './conversation';
import { eachBatch } from './read-lines';
import type { Serializer } from './serializer';

const COMMAND_ROLES = new Set(['bashExecution', 'pythonExecution']);

/**
 * What was done to files on a branch: calls of all its messages, and what its compactions and branch summaries stored, unless an
 * extension wrote them (BR8). The calls are read line by line in the worker.
 * @throws SummaryAborted, SummaryError
 */
export async function regionActivity(
  { entries, items }: BranchRegion,
  log: SessionLog,
  serializer: Serializer,
  place: PathPlace,
  signal: AbortSignal,
): Promise<Activity> {
  const files = noFileOps(place);
  for (const { facts, body } of entries) {
    if (facts.type === 'compaction' || facts.type === 'branch_summary') addStoredFiles(files, body);
  }
  let hasCommands = entries.some(({ facts }) => COMMAND_ROLES.has(facts.role ?? ''));
  const done = doneCalls(items);
  const calling = items.flatMap((item, at) => (item.node.facts.calls ? [{ item, done: done.get(at) }] : []));
  const take = async (lines: SourceLine[]): Promise<void> => {
    const found = await serializer.activityOf(lines);
    hasCommands ||= found.hasCommands;
    addFoundFiles(files, found.files);
  };
  const called = calling.map(({ item }) => item);
  await eachBatch(log, called, signal, take, (index) => ({ done: calling[index]?.done }));
  return { files, hasCommands };
}
