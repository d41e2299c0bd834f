import type { PlanItem } from '../session/plan-item';
import { callersOf } from './callers';

/** Calls of one item of which the items behind it don't tell, or only later. */
export interface UntoldCalls {
  /** Ids of those that no later item answers. */
  open: readonly string[];
  /** Ids of those whose results came after another reply (CX9). */
  late: readonly string[];
}

/** By its place, each item that makes such calls. O(items + calls). */
export function untoldCallsIn(items: readonly PlanItem[]): ReadonlyMap<number, UntoldCalls> {
  const answers = new Map<number, string[]>();
  const late = new Map<number, string[]>();
  let reply = -1;
  callersOf(items).forEach((caller, at) => {
    const { facts } = items[at]?.node ?? {};
    if (facts?.role === 'assistant') reply = at;
    if (facts?.answers === undefined || caller < 0) return;
    note(answers, caller, facts.answers);
    if (caller !== reply) note(late, caller, facts.answers);
  });
  const found = new Map<number, UntoldCalls>();
  items.forEach(({ node: { facts } }, at) => {
    if (!facts.calls) return;
    const known = answers.get(at) ?? [];
    // Nearly always a reply with one call, which the next item answers.
    const isWhole = facts.calls.length === 1 && known.length > 0;
    const answered = isWhole ? null : new Set(known);
    const open = answered ? facts.calls.filter((id) => !answered.has(id)) : [];
    const came = late.get(at) ?? [];
    if (open.length > 0 || came.length > 0) found.set(at, { open, late: came });
  });
  return found;
}

function note(all: Map<number, string[]>, at: number, id: string): void {
  const known = all.get(at);
  if (known) known.push(id);
  else all.set(at, [id]);
}

/** The calls of a reply from the one on that is known not to have begun (AG11). @param first null: nothing is known */
export function fromFirstUnbegun(calls: readonly string[], first: string | null): ReadonlySet<string> {
  const at = first === null ? -1 : calls.lastIndexOf(first);
  return new Set(at < 0 ? [] : calls.slice(at));
}
