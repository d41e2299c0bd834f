import type { WindowItem } from '@shared/compaction/cut';
import type { Usage } from '@shared/session/entry';
import { isRecord } from '@shared/own';
import type { SessionTree } from '@shared/session/tree';
import { mergePreserved, plainJson } from './plain-json';

/** A short summary stands in lists: beyond this many characters it is none. */
const MAX_SHORT_CHARS = 2000;

/** A compaction of an extension that may be stored (EX5). */
export interface CheckedCompaction {
  summary: string;
  firstKeptEntryId: string | null;
  /** Position of the first kept entry in the window; its length if nothing is kept. */
  firstKept: number;
  tokensBefore: number;
  details: unknown;
  shortSummary?: string;
  usage?: Usage;
  /** With what was kept before. */
  preserveData?: Record<string, unknown>;
}

/** `none`: the extension has nothing to say. `remarks`: what was left out of an answer that can be used. */
export type CompactionCheck =
  | { kind: 'none' }
  | { kind: 'valid'; compaction: CheckedCompaction; remarks: string[] }
  | { kind: 'invalid'; problem: string };

export interface CheckedAgainst {
  tree: SessionTree;
  window: readonly WindowItem[];
  /** D before the compaction, tokens: stands in for a figure that is none. */
  tokensBefore: number;
  /** What extensions keep from the compaction before. */
  preserveData: Record<string, unknown> | undefined;
}

/**
 * Checks what an extension answered to `session_before_compact` (EX5): a summary that says something, a boundary that a
 * plan could have chosen, details that can be stored. What only accompanies these is left out where it is wrong. Never throws.
 */
export function checkCompaction(result: unknown, against: CheckedAgainst): CompactionCheck {
  try {
    if (!isRecord(result)) return invalid('The answer is not an object.');
    const { compaction } = result;
    if (compaction === undefined || compaction === null) return { kind: 'none' };
    return isRecord(compaction) ? checkGiven(compaction, against) : invalid('The compaction is not an object.');
  } catch {
    return invalid('The answer cannot be read.');
  }
}

function checkGiven(given: Record<string, unknown>, against: CheckedAgainst): CompactionCheck {
  // Each field is read once: a getter could give another value the next time.
  const { summary, firstKeptEntryId, tokensBefore, details, shortSummary, usage, preserveData } = given;
  if (typeof summary !== 'string' || summary.trim() === '') return invalid('The summary is empty.');
  const firstKept = firstKeptOf(firstKeptEntryId, against);
  if (typeof firstKept === 'string') return invalid(`firstKeptEntryId: ${firstKept}.`);
  const stored = plainJson(details);
  if (!stored.ok) return invalid(`details ${stored.problem}.`);

  const remarks: string[] = [];
  const checked = <T>(name: string, value: unknown, read: (value: unknown) => T | undefined): T | undefined => {
    if (value === undefined || value === null) return undefined;
    const found = read(value);
    if (found === undefined) remarks.push(`${name} is not valid and was left out.`);
    return found;
  };
  const merged = mergePreserved(against.preserveData, preserveData);
  if (!merged.ok) remarks.push(`${merged.problem} and was left out.`);
  const compaction: CheckedCompaction = {
    summary,
    firstKeptEntryId: firstKept === against.window.length ? null : (firstKeptEntryId as string),
    firstKept,
    tokensBefore: checked('tokensBefore', tokensBefore ?? Number.NaN, figureOf) ?? against.tokensBefore,
    details: stored.value,
    shortSummary: checked('shortSummary', shortSummary, shortOf),
    usage: checked('usage', usage, usageOf),
    preserveData: merged.ok ? merged.value : against.preserveData,
  };
  return { kind: 'valid', compaction, remarks };
}

/** Position in the window of a boundary that a plan could choose, or why it is none: shown, not the first, parting no call from its result. */
function firstKeptOf(id: unknown, { tree, window }: CheckedAgainst): number | string {
  if (id === null) return window.length;
  if (typeof id !== 'string') return 'it is neither an id nor null';
  const at = window.findIndex(({ item }) => item.sourceId === id);
  if (at === 0) return 'nothing would be summarised';
  if (at > 0) return window[at]?.isLegalCut ? at : 'a call would be parted from its result';
  const node = tree.node(id);
  if (!node) return 'there is no such entry';
  return node.facts.visible ? 'the entry is not among those that are compacted' : 'the entry shows nothing';
}

function figureOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

function shortOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' && value.length <= MAX_SHORT_CHARS ? value : undefined;
}

const TOKENS = ['input', 'output', 'cacheRead', 'cacheWrite'] as const;
const COSTS = [...TOKENS, 'total'] as const;

/** The figures that totals are made of, copied; undefined if one is missing. */
export function usageOf(value: unknown): Usage | undefined {
  if (!isRecord(value) || !isRecord(value.cost)) return undefined;
  const tokens = figuresOf(value, TOKENS);
  const cost = figuresOf(value.cost, COSTS);
  const totalTokens = figureOf(value.totalTokens);
  return tokens && cost && { ...tokens, ...(totalTokens === undefined ? {} : { totalTokens }), cost };
}

function figuresOf<K extends string>(
  source: Record<string, unknown>,
  names: readonly K[],
): Record<K, number> | undefined {
  const figures = names.map((name) => [name, figureOf(source[name])] as const);
  return figures.some(([, figure]) => figure === undefined)
    ? undefined
    : (Object.fromEntries(figures) as Record<K, number>);
}

function invalid(problem: string): CompactionCheck {
  return { kind: 'invalid', problem };
}
