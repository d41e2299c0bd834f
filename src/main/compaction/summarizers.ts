import { modelKey } from '../agent/session-context';
import type { ModelRegistry } from '../ports';
import { remoteSummarizer } from './remote';
import type { Summarizer } from './summarize';
import { type Candidate, NoSummary } from './summary-call';
import type { Settings } from '@shared/settings';
import type { ModelInfo, ModelRef } from '@shared/types';

type CandidateSettings = Pick<Settings, 'compaction.model' | 'compaction.fallbackModels'>;

/**
 * The models that may write a summary, best first (SU34): the one chosen for this job, that of the settings, the session's
 * own, the fallbacks, then the usable one of the session's own provider with the largest window. None without key, none twice.
 * Nothing that the person did not choose or name is sent to another provider or address: who talks to a model on this computer
 * and has a key for a cloud in the shell must not find the session there.
 */
export async function summaryCandidates(
  models: ModelRegistry,
  session: ModelRef,
  settings: CandidateSettings,
  chosen?: ModelRef,
): Promise<Candidate[]> {
  const refs = [
    chosen,
    refOf(settings['compaction.model']),
    session,
    ...settings['compaction.fallbackModels'].map(refOf),
    largestBeside(models, session),
  ];
  const candidates = new Map<string, Candidate>();
  for (const ref of refs) {
    if (!ref || candidates.has(modelKey(ref))) continue;
    const resolved = await models.resolve(ref);
    if (resolved.ok) candidates.set(modelKey(ref), { ref, ...resolved });
  }
  return [...candidates.values()];
}

/** `provider/id`, divided at the first slash; anything else names no model. */
export function refOf(name: string): ModelRef | undefined {
  const slash = name.indexOf('/');
  return slash > 0 ? { provider: name.slice(0, slash), modelId: name.slice(slash + 1).trim() } : undefined;
}

/** The largest model that is asked where the session's own is: the same provider, and the same host of it. */
function largestBeside(models: ModelRegistry, session: ModelRef): ModelRef | undefined {
  const provider = models.providers().find(({ id, available }) => id === session.provider && available);
  const host = hostOf(models, session);
  let largest: ModelInfo | undefined;
  for (const model of provider?.models ?? []) {
    if (host !== null && hostOf(models, model) !== host) continue;
    if (!largest || model.contextWindow > largest.contextWindow) largest = model;
  }
  return largest && { provider: largest.provider, modelId: largest.modelId };
}

/** Where a model is asked; null if it is not there any more. */
function hostOf(models: ModelRegistry, ref: ModelRef): string | null {
  const address = models.find(ref)?.baseUrl;
  try {
    return address === undefined ? null : new URL(address).host;
  } catch {
    return null;
  }
}

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
