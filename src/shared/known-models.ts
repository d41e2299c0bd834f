/**
 * What is known of a model by its id alone, whoever serves it (MT3): its maker’s figures, for endpoints of the person that don’t tell
 * their own. Pure.
 */

/** Providers that made what they serve: what they say of a model holds elsewhere. The first one that knows the id counts. */
const MAKERS: readonly string[] = [
  'anthropic',
  'openai',
  'google',
  'deepseek',
  'mistral',
  'xai',
  'moonshotai',
  'zai',
  'minimax',
];

interface Known {
  provider: string;
  contextWindow: number;
}

/** Finds what is known by an id; undefined for an id that nobody has. */
export type FindKnown<T> = (id: string) => T | undefined;

/**
 * Finds a model by the id that its maker gives it, or that others give it (`maker/model`): a gateway’s prefix before it and capitals make
 * no difference, any other difference does. Where only others have it, the one with the smallest window counts: too small a window costs
 * an early compaction, too large a one a refused request.
 * @param models of all providers that come with the app, with their ids by `idOf`
 */
export function findKnownIn<T extends Known>(models: readonly T[], idOf: (model: T) => string): FindKnown<T> {
  const best = new Map<string, T>();
  const keep = (id: string, model: T): void => {
    const held = best.get(id);
    if (model.contextWindow > 0 && (!held || isBetter(model, held))) best.set(id, model);
  };
  for (const model of models) {
    const id = idOf(model).toLowerCase();
    keep(id, model);
    if (lastPart(id) !== id) keep(lastPart(id), model);
  }
  return (id) => {
    const wanted = id.trim().toLowerCase();
    return best.get(wanted) ?? best.get(lastPart(wanted));
  };
}

function lastPart(id: string): string {
  return id.slice(id.lastIndexOf('/') + 1);
}

function isBetter(one: Known, other: Known): boolean {
  const [rank, otherRank] = [rankOf(one), rankOf(other)];
  return rank === otherRank ? one.contextWindow < other.contextWindow : rank < otherRank;
}

function rankOf({ provider }: Known): number {
  const at = MAKERS.indexOf(provider);
  return at === -1 ? MAKERS.length : at;
}
