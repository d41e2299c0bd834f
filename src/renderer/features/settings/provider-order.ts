import type { ProviderInfo } from '@shared/types';

const KIND_ORDER: Record<ProviderInfo['kind'], number> = { custom: 0, local: 1, builtin: 2, demo: 3 };

/**
 * Usable ones first (a key, a server that answered, none needed), own ones before those that come with the app, then by name.
 * `wasUsable` says which were when the list was opened, and learns of those that came since: a row keeps its place under the hand of
 * who adds a key to it.
 */
export function sortProviders(providers: readonly ProviderInfo[], wasUsable: Map<string, boolean>): ProviderInfo[] {
  for (const { id, available } of providers) if (!wasUsable.has(id)) wasUsable.set(id, available);
  const rank = ({ id }: ProviderInfo): number => (wasUsable.get(id) ? 0 : 1);
  return [...providers].sort(
    (a, b) =>
      rank(a) - rank(b) ||
      KIND_ORDER[a.kind] - KIND_ORDER[b.kind] ||
      a.name.localeCompare(b.name, 'en') ||
      (a.id < b.id ? -1 : 1),
  );
}
