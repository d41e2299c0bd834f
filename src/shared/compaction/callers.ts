import type { PlanItem } from '../session/plan-item';

/** For each item that is a result the place of the nearest earlier item that made its call; -1 where there is none. O(items + calls). */
export function callersOf(items: readonly PlanItem[]): number[] {
  const callers = new Map<string, number>();
  return items.map(({ node: { facts } }, at) => {
    for (const id of facts.calls ?? []) callers.set(id, at);
    return facts.answers === undefined ? -1 : (callers.get(facts.answers) ?? -1);
  });
}
