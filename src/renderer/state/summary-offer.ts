/** Who else could write a summary that nobody of those asked has written (SU35). */
import { isThisComputer } from '@shared/policy/keys';
import type { ModelInfo, ModelRef, ProviderInfo } from '@shared/types';

/** More of them are no help to whoever has to choose one. */
const MAX_OFFERED = 5;

export interface OfferedModel {
  ref: ModelRef;
  name: string;
  /** Where the session would go. */
  provider: string;
  price: string;
}

/** Why there is no summary, and who was asked; null: another model would not help. */
export interface SummaryProblem {
  text: string;
  tried: readonly ModelRef[] | null;
}

/**
 * The usable models that were not asked, at most a handful: one of each provider in turn, that of the session first, those with the
 * largest window first. The demo model writes excerpts, not summaries.
 */
export function modelsToOffer(
  providers: readonly ProviderInfo[],
  tried: readonly ModelRef[],
  session: ModelRef | null,
): OfferedModel[] {
  const asked = new Set(tried.map(keyOf));
  const rows = providers
    .filter(({ available, kind }) => available && kind !== 'demo')
    .sort((a, b) => rank(a, session) - rank(b, session))
    .map((provider) => {
      const models = provider.models.filter((model) => !asked.has(keyOf(model)));
      return models.sort((a, b) => b.contextWindow - a.contextWindow).map((model) => offer(model, provider));
    });
  const offered: OfferedModel[] = [];
  for (let turn = 0; offered.length < MAX_OFFERED && rows.some((row) => row.length > turn); turn++)
    offered.push(...rows.flatMap((row) => row.slice(turn, turn + 1)));
  return offered.slice(0, MAX_OFFERED);
}

/** The session's own provider, then what stays on this computer, then the others. */
function rank(provider: ProviderInfo, session: ModelRef | null): number {
  if (provider.id === session?.provider) return 0;
  return isHere(provider) ? 1 : 2;
}

function offer(model: ModelInfo, provider: ProviderInfo): OfferedModel {
  const { provider: id, modelId, name } = model;
  return { ref: { provider: id, modelId }, name, provider: provider.name, price: priceOf(model, provider) };
}

function priceOf({ cost }: ModelInfo, provider: ProviderInfo): string {
  if (cost.input > 0 || cost.output > 0) return `$${cost.input} in, $${cost.output} out per million tokens`;
  return isHere(provider) ? 'free, on this computer' : 'price unknown';
}

function isHere({ kind, baseUrl }: ProviderInfo): boolean {
  return kind === 'local' || (baseUrl !== undefined && isThisComputer(baseUrl));
}

function keyOf({ provider, modelId }: ModelRef): string {
  return `${provider}/${modelId}`;
}
