import type { ContextPlan } from './context-plan';
import type { PlanItem, ProjectionKind } from './plan-item';
import type { Overhead } from './overhead';
import { weighItem } from './totals';
import type { ContextTotals } from './totals';

/** Shares of D by kind, tokens. They add up to it exactly (TK9). */
export interface Breakdown {
  system: number;
  tools: number;
  summary: number;
  pins: number;
  messages: number;
  toolOutputs: number;
  images: number;
  thinking: number;
}

/** The raw shares of a context scaled so that they add up to D; what rounding leaves goes to the largest (TK9). */
export function breakdown(totals: ContextTotals, overhead: Overhead, tokens: number): Breakdown {
  const { summary, pins, messages, toolOutputs, images, thinking } = totals;
  const raw: Breakdown = { ...overhead, summary, pins, messages, toolOutputs, images, thinking };
  const keys = Object.keys(raw) as (keyof Breakdown)[];
  const sum = keys.reduce((total, key) => total + raw[key], 0);
  let left = tokens;
  let largest: keyof Breakdown = 'messages';
  const scaled = { ...raw };
  for (const key of keys) {
    scaled[key] = sum > 0 ? Math.floor((raw[key] * tokens) / sum) : 0;
    left -= scaled[key];
    if (raw[key] > raw[largest]) largest = key;
  }
  scaled[largest] += left;
  return scaled;
}

/** One of the largest messages of a context. */
export interface LargeItem {
  sourceId: string;
  kind: ProjectionKind;
  raw: number;
}

const LARGEST_SHOWN = 10;

/** The largest messages of a context by raw tokens, largest first, ties oldest first. O(items × count). */
export function largestItems(plan: ContextPlan, count = LARGEST_SHOWN): LargeItem[] {
  const largest: LargeItem[] = [];
  for (const item of plan.items) addLargest(largest, item, weighItem(item).raw, count);
  return largest;
}

/** True if the next item of a context, of so many raw tokens, is among the largest so far. */
export function isLarge(largest: readonly LargeItem[], raw: number, count = LARGEST_SHOWN): boolean {
  return largest.length < count || raw > (largest[largest.length - 1] as LargeItem).raw;
}

/** Takes the next item of a context into its list of the largest. O(count). */
export function addLargest(
  largest: LargeItem[],
  { sourceId, kind }: PlanItem,
  raw: number,
  count = LARGEST_SHOWN,
): void {
  if (!isLarge(largest, raw, count)) return;
  let at = largest.length;
  while (at > 0 && (largest[at - 1] as LargeItem).raw < raw) at--;
  largest.splice(at, 0, { sourceId, kind, raw });
  if (largest.length > count) largest.pop();
}
