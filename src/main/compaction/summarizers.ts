import type { ModelRef } from '@shared/ipc/types';
import type { Settings } from '@shared/settings';
import type { ModelRegistry } from '../ports';
import { refOf, summaryCandidates } from './candidates';
import { remoteSummarizer } from './remote';
import type { Summarizer } from './summarize';
import { SummaryError } from './summary-call';

/**
 * Who may write a summary, best first: the person's own endpoint, then models, unless they are not wanted (engine.md 8.5).
 * @param chosen asked before the other models
 */
export async function summarizers(
  models: ModelRegistry,
  session: ModelRef,
  settings: Settings,
  chosen?: ModelRef,
): Promise<Summarizer[]> {
  const remote = remoteSummarizer(settings, models.remoteKey());
  if (remote && !settings['compaction.remoteFallback']) return [remote];
  const candidates = await summaryCandidates(models, session, settings, chosen);
  return remote ? [remote, ...candidates] : candidates;
}

/**
 * Who may write the summary of a branch (engine.md 16.1, step 5).
 * @throws SummaryError if nobody can
 */
export async function branchSummarizers(
  models: ModelRegistry,
  session: ModelRef,
  settings: Settings,
): Promise<Summarizer[]> {
  const candidates = await summarizers(models, session, settings, refOf(settings['branchSummary.model']));
  if (candidates.length > 0) return candidates;
  const resolved = models.find(session) ? await models.resolve(session) : null;
  throw new SummaryError(!resolved || resolved.ok ? 'No model available for summarization' : resolved.failure.title);
}

/** Why a compaction has nobody to write its summary. */
export async function whyNone(models: ModelRegistry, ref: ModelRef): Promise<string> {
  const resolved = await models.resolve(ref);
  return resolved.ok ? 'No model selected' : resolved.failure.title;
}
