import type { PlanItem, ProjectionKind } from './plan-item';
import type { Overhead } from './overhead';
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

/** True if the next item of a context, of so many raw tokens, is among the largest so far. */
export function isLarge(largest: readonly LargeItem[], raw: number): boolean {
  return largest.length < LARGEST_SHOWN || raw > (largest[largest.length - 1] as LargeItem).raw;
}

/** Takes the next item of a context into its list of the largest, largest first, ties oldest first. O(10). */
export function addLargest(largest: LargeItem[], { sourceId, kind }: PlanItem, raw: number): void {
  if (!isLarge(largest, raw)) return;
  let at = largest.length;
  while (at > 0 && (largest[at - 1] as LargeItem).raw < raw) at--;
  largest.splice(at, 0, { sourceId, kind, raw });
  if (largest.length > LARGEST_SHOWN) largest.pop();
}
