import { branchBudget, branchReserve, isDoubtful, selectBranch } from '@shared/compaction/branch-selection';
import type { BranchRegion, SelectedItem } from '@shared/compaction/branch-selection';
import { callersOf } from '@shared/compaction/call-results';
import { fileListsOf, newestFirst } from '@shared/compaction/file-activity';
import type { FileLists } from '@shared/compaction/file-activity';
import { MIN_INPUT_TOKENS } from '@shared/compaction/request-body';
import type { PlanItem } from '@shared/session/messages/plan-item';
import type { ModelRef } from '@shared/types';
import type { SummaryInstructions } from '@shared/compaction/summary-job';
import type { SessionEntry, Usage } from '@shared/session/records/entry';
import { blocksOf, isText } from '@shared/session/records/message-text';
import { escapeInserted } from '@shared/session/records/own-marks';
import { ratioFor } from '@shared/session/context/figure';
import type { ModelRegistry, SessionLog } from '../ports';
import type { SourceLine } from './conversation';
import type { CallSource } from './end-finder';
import { PARTS, summarize, SUMMARY_PROMPTS, type SummaryScope, type SummaryTask } from './summarize';
import { eachToldBatch, regionActivity } from './read-lines';
import { withConversation, type Serializer } from './serializer';
import { branchSummarizers } from './summarizers';
import { SummaryAborted, type JobReport } from './summary-call';

export interface BranchTask extends Pick<SummaryInstructions, 'instructions' | 'replaceInstructions' | 'model'> {
  region: BranchRegion;
  /** The person reads it before it lands, whatever it looks like (SU40). */
  takesDoubtful?: boolean;
  signal: AbortSignal;
}

interface BranchScope extends SummaryScope, CallSource {
  /** The session's. */
  model: ModelRef;
  models: ModelRegistry;
  serializer: Serializer;
  workspaceDir: string;
}

/** A summary of a branch, before it is stored. */
export interface BranchSummary {
  /** As the model wrote it, our tag blocks taken out; never blank. */
  text: string;
  files: FileLists;
  /** The files as their tags name them. */
  order: readonly string[];
  model: ModelRef;
  usage: Usage;
  calls: number;
  /** Messages that it was made of, of so many that are left: no results of tools, and the newest that fit. */
  messages: number;
  left: number;
  isDoubtful: boolean;
}

/**
 * Writes the summary of a branch (BR9, BR10): the newest messages that fit, one call, by the first candidate that succeeds.
 * @returns null if there is nothing to tell
 * @throws SummaryError with the last candidate's error, SummaryAborted
 */
export async function summarizeBranch(
  { region, signal, model, takesDoubtful, ...asked }: BranchTask,
  scope: BranchScope,
  job: JobReport,
): Promise<BranchSummary | null> {
  const { log } = scope;
  const settings = scope.settings();
  const candidates = await branchSummarizers(scope.models, scope.model, settings, model);
  const mute = await muteReplies(region.items, log, signal);
  if (selectBranch(region.items, MIN_INPUT_TOKENS, mute).selected.length === 0) return null;
  const { files } = await regionActivity(region, scope, signal);
  const reserveOf = (window: number): number => branchReserve(window || null, settings['branchSummary.reserveTokens']);
  const last = region.entries.at(-1)?.id ?? null;
  const task: SummaryTask = {
    ...promptOf(asked),
    caps: (window) => ({ history: Math.max(1, Math.floor(0.25 * reserveOf(window))), prefix: 0 }),
    room: (ref, window) => branchBudget(window || null, reserveOf(window), ratioFor(log.tree, last, ref)),
    texts: async (room) => {
      const { selected } = selectBranch(region.items, room, mute);
      const text = await conversationOf(withResults(selected, region.items), scope, signal);
      // Messages without a word (only images that were taken away, only blanks) are no reason to ask a model.
      return { windows: text.trim() === '' ? [] : [text], prefix: '', files, messages: selected.length };
    },
    takesDoubtful,
    signal,
  };
  const { text, usage, calls, messages = 0, model: writer, doubtful } = await summarize(task, candidates, scope, job);
  if (signal.aborted) throw new SummaryAborted();
  if (calls === 0) return null;
  const left = region.items.filter(({ kind }) => kind !== 'summary').length;
  const told = { text, files: fileListsOf(files), order: newestFirst(files), model: writer };
  return { ...told, usage, calls, messages, left, isDoubtful: doubtful !== null };
}

/** Bodies that are read at once. */
const READ_TOGETHER = 16;
/** Raw tokens from which on a reply says something: it is not read for it. */
const SURELY_SAYS = 20_000;

/** Failed replies without a call that have no text but blanks (BR9): looked up in their bodies. @throws SummaryAborted */
async function muteReplies(
  items: readonly PlanItem[],
  log: Pick<SessionLog, 'loadBodies'>,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const doubtful = items.filter((item) => isDoubtful(item) && item.node.facts.raw < SURELY_SAYS);
  const mute = new Set<string>();
  for (let at = 0; at < doubtful.length; at += READ_TOGETHER) {
    const ids = doubtful.slice(at, at + READ_TOGETHER).map(({ sourceId }) => sourceId);
    const bodies = await log.loadBodies(ids);
    if (signal.aborted) throw new SummaryAborted();
    for (const entry of bodies) if (!saysAnything(entry)) mute.add(entry.id);
  }
  return mute;
}

function saysAnything(entry: SessionEntry): boolean {
  const { content } = (entry as { message?: { content?: unknown } }).message ?? {};
  if (typeof content === 'string') return content.trim() !== '';
  return blocksOf(content).some((block) => isText(block) && block.text.trim() !== '');
}

/** `isMute`: read and not told. */
type HeardItem = SelectedItem & Pick<SourceLine, 'isMute'>;

/** Behind each reply the results of its calls, of which none is selected: what became of a call stands in them. O(items). */
function withResults(selected: readonly SelectedItem[], items: readonly PlanItem[]): HeardItem[] {
  const results = new Map<PlanItem, HeardItem[]>();
  const told = new Set(selected.map(({ item }) => item));
  callersOf(items).forEach((at, index) => {
    const [caller, item] = [items[at], items[index]];
    if (!caller || !item || told.has(item)) return;
    const result: HeardItem = { item, gap: 0, isMute: true };
    const known = results.get(caller);
    if (known) known.push(result);
    else results.set(caller, [result]);
  });
  return selected.flatMap((one) => [one, ...(results.get(one.item) ?? [])]);
}

/** The selected messages as one text, made in the worker. */
async function conversationOf(
  selected: readonly HeardItem[],
  scope: Pick<BranchScope, 'log' | 'firstUnbegun' | 'serializer' | 'settings' | 'workspaceDir'>,
  signal: AbortSignal,
): Promise<string> {
  const items = selected.map(({ item }) => item);
  const cutOf = (index: number): Partial<SourceLine> => {
    const { limit, isMute, gap = 0 } = selected[index] ?? {};
    return { ...(limit === undefined ? {} : { limit }), ...(gap > 0 ? { gap } : {}), ...(isMute ? { isMute } : {}) };
  };
  return withConversation(scope, async (conversation) => {
    await eachToldBatch(scope, items, signal, (lines) => conversation.add('history', lines), cutOf);
    const { windows } = await conversation.texts(Number.POSITIVE_INFINITY);
    if (signal.aborted) throw new SummaryAborted();
    return windows.join('\n\n');
  });
}

function promptOf({
  instructions = '',
  replaceInstructions = false,
}: SummaryInstructions): Pick<SummaryTask, 'prompt' | 'parts' | 'instructions'> {
  if (replaceInstructions && instructions.trim() !== '') return { prompt: escapeInserted(instructions) };
  return { prompt: SUMMARY_PROMPTS.branch, parts: PARTS.branch, instructions };
}
