import type { ModelRef } from '@shared/types';
import type { Settings } from '@shared/settings';
import type { ModelRegistry } from '../ports';
import { refOf, summaryCandidates } from './candidates';
import { remoteSummarizer } from './remote';
import type { Summarizer } from './summarize';
import { modelKey } from '../agent/threshold';
import { NoSummary } from './summary-call';

/**
 * Who may write a summary, best first: the person's own endpoint, then models, unless they are not wanted (SU34, SU37).
 * @param chosen asked before the other models
 * @param once the person chose it for this job: asked first of all, before their own endpoint too
 */
export async function summarizers(
  models: ModelRegistry,
  session: ModelRef,
  settings: Settings,
  chosen?: ModelRef,
  once?: ModelRef,
): Promise<Summarizer[]> {
  const remote = await remoteSummarizer(settings, models.remoteKey(), models.findRoute);
  const first = once ? await models.resolve(once) : null;
  const own: Summarizer[] = once && first?.ok ? [{ ref: once, ...first }] : [];
  if (remote && !settings['compaction.remoteFallback']) return [...own, remote];
  const candidates = await summaryCandidates(models, session, settings, chosen);
  const rest = candidates.filter(({ ref }) => !once || modelKey(ref) !== modelKey(once));
  return [...own, ...(remote ? [remote] : []), ...rest];
}

/**
 * Who may write the summary of a branch (BR1, SU34).
 * @throws SummaryError if nobody can
 */
export async function branchSummarizers(
  models: ModelRegistry,
  session: ModelRef,
  settings: Settings,
  once?: ModelRef,
): Promise<Summarizer[]> {
  const candidates = await summarizers(models, session, settings, refOf(settings['branchSummary.model']), once);
  if (candidates.length > 0) return candidates;
  const resolved = models.find(session) ? await models.resolve(session) : null;
  const why = !resolved || resolved.ok ? 'No model available for summarization' : resolved.failure.title;
  throw new NoSummary(why, []);
}

/** Why a compaction has nobody to write its summary. */
export async function whyNone(models: ModelRegistry, ref: ModelRef): Promise<string> {
  const resolved = await models.resolve(ref);
  return resolved.ok ? 'No model selected' : resolved.failure.title;
}
