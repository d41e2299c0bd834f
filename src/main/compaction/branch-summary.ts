import { branchBudget, branchReserve, selectBranch } from '@shared/compaction/branch-selection';
import type { BranchRegion, SelectedItem } from '@shared/compaction/branch-selection';
import { fileListsOf } from '@shared/compaction/file-activity';
import type { FileLists } from '@shared/compaction/file-activity';
import { MIN_INPUT_TOKENS } from '@shared/compaction/fold';
import { summaryBody } from '@shared/compaction/request-body';
import { stripTagBlocks } from '@shared/compaction/tag-blocks';
import type { ModelRef } from '@shared/ipc/types';
import type { Usage } from '@shared/session/entry';
import { escapeSectionTags } from '@shared/session/escape-tags';
import { ratioFor } from '@shared/session/ratio';
import type { ModelRegistry, SessionLog } from '../ports';
import { SUMMARY_PROMPTS } from './prompts';
import { eachBatch } from './read-lines';
import { regionActivity } from './region-activity';
import type { Serializer } from './serializer';
import { askSummarizer, firstOf } from './summarize';
import type { Summarizer } from './summarize';
import { SummaryAborted, SummaryError } from './summary-call';
import type { CallPorts } from './summary-call';

export interface BranchTask {
  region: BranchRegion;
  /** What to look at in particular; with `replaces` all that is asked. */
  instructions?: string;
  replaces?: boolean;
  signal: AbortSignal;
}

export interface BranchPorts extends CallPorts {
  log: SessionLog;
  models: Pick<ModelRegistry, 'effectiveWindow'>;
  serializer: Serializer;
}

/** A summary of a branch, before it is stored. */
export interface BranchSummary {
  /** As the model wrote it, our tag blocks taken out; never blank. */
  text: string;
  files: FileLists;
  model: ModelRef;
  usage: Usage;
  calls: number;
  /** Messages that it was made of, of so many that are left: no results of tools, and the newest that fit. */
  messages: number;
  left: number;
}

/**
 * Writes the summary of a branch (BR9, BR10): the newest messages that fit, one call, by the first candidate that succeeds.
 * @returns null if there is nothing to tell
 * @throws SummaryError with the last candidate's error, SummaryAborted
 */
export async function summarizeBranch(
  task: BranchTask,
  candidates: readonly Summarizer[],
  ports: BranchPorts,
): Promise<BranchSummary | null> {
  const { region, signal } = task;
  if (selectBranch(region.items, MIN_INPUT_TOKENS).selected.length === 0) return null;
  const activity = await regionActivity(region, ports.log, ports.serializer, signal);
  const files = fileListsOf(activity.files);
  const written = await firstOf(candidates, (candidate, hasAlternative) =>
    summarizeWith(candidate, task, ports, hasAlternative),
  );
  return written && { ...written, files };
}

async function summarizeWith(
  candidate: Summarizer,
  task: BranchTask,
  ports: BranchPorts,
  hasAlternative: boolean,
): Promise<Omit<BranchSummary, 'files'> | null> {
  const { region, signal } = task;
  const { log, models, settings } = ports;
  const { ref } = candidate;
  const window = ('remote' in candidate ? 0 : models.effectiveWindow(ref)) || null;
  const reserve = branchReserve(window, settings()['branchSummary.reserveTokens']);
  let budget = branchBudget(window, reserve, ratioFor(log.tree, region.entries.at(-1)?.id ?? null, ref));
  for (;;) {
    const { selected } = selectBranch(region.items, budget);
    const conversation = await conversationOf(selected, ports, signal);
    // Messages without a word (only images that were taken away, only blanks) are no reason to ask a model.
    if (conversation.trim() === '') return null;
    const body = bodyOf(conversation, task);
    const maxTokens = Math.max(1, Math.floor(0.25 * reserve));
    const call = { label: 'Summarization', systemPrompt: SUMMARY_PROMPTS.system, body, maxTokens };
    try {
      const { text, usage } = await askSummarizer(call, candidate, ports, { signal, hasAlternative });
      const kept = stripTagBlocks(text);
      if (kept === '') throw new SummaryError('Summarization failed: empty summary');
      const left = region.items.filter(({ kind }) => kind !== 'summary').length;
      return { text: kept, model: ref, usage, calls: 1, messages: selected.length, left };
    } catch (error) {
      if (!(error instanceof SummaryError) || error.kind !== 'overflow') throw error;
      budget = Math.floor(budget / 2);
      if (budget < MIN_INPUT_TOKENS) throw new SummaryError('Summarization failed: input does not fit the model');
    }
  }
}

/** The selected messages as one text, made in the worker. */
async function conversationOf(
  selected: readonly SelectedItem[],
  { log, serializer, settings }: BranchPorts,
  signal: AbortSignal,
): Promise<string> {
  const current = settings();
  const job = serializer.begin({
    includeThinking: current['compaction.includeThinking'],
    toolResultChars: current['compaction.toolResultChars'],
  });
  try {
    const items = selected.map(({ item }) => item);
    await eachBatch(
      log,
      items,
      signal,
      (lines) => job.add('history', lines),
      (index) => {
        const { limit, gap = 0 } = selected[index] ?? {};
        return { ...(limit === undefined ? {} : { limit }), ...(gap > 0 ? { gap } : {}) };
      },
    );
    const { windows } = await job.texts(Number.POSITIVE_INFINITY);
    if (signal.aborted) throw new SummaryAborted();
    return windows.join('\n\n');
  } finally {
    job.end();
  }
}

function bodyOf(conversation: string, { instructions = '', replaces = false }: BranchTask): string {
  if (replaces && instructions.trim() !== '')
    return summaryBody({ conversation, prompt: escapeSectionTags(instructions) });
  return summaryBody({ conversation, prompt: SUMMARY_PROMPTS.branch, instructions });
}
