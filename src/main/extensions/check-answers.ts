import type { WindowItem } from '@shared/compaction/cut';
import { isRecord } from '@shared/checks';
import type { Usage } from '@shared/session/records/entry';
import { escapeInserted } from '@shared/session/records/own-marks';
import { estimateText } from '@shared/session/records/estimate';
import type { SessionTree } from '@shared/session/tree/tree';

/** Bytes of JSON that an extension may store with one entry (EX5): 1 MiB. */
const MAX_STORED_BYTES = 1024 * 1024;

type PlainJson = { ok: true; value: unknown } | { ok: false; problem: string };

/**
 * A copy of a value as the file will hold it, so that nothing that the extension does with its own object later can reach the
 * entry. Fails for what is not JSON (a cycle, a bigint) and for what is larger than 1 MiB. O(size).
 */
export function plainJson(value: unknown): PlainJson {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    return { ok: false, problem: 'cannot be stored as JSON' };
  }
  if (text === undefined) return { ok: true, value: undefined };
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_STORED_BYTES) return { ok: false, problem: `is ${bytes} bytes of JSON, more than 1 MiB` };
  return { ok: true, value: JSON.parse(text) };
}

/**
 * What extensions want kept from one compaction to the next: later keys win (EX6).
 * @returns `base` with the keys of `added`, or why that can't be stored
 */
export function mergePreserved(
  base: Record<string, unknown> | undefined,
  added: unknown,
): { ok: true; value: Record<string, unknown> | undefined } | { ok: false; problem: string } {
  if (added === undefined || added === null) return { ok: true, value: base };
  if (!isRecord(added)) return { ok: false, problem: 'preserveData is not an object' };
  const own = plainJson(added);
  // With what is kept already it must not pass the limit either: else it grows with each compaction.
  const merged = own.ok ? plainJson({ ...base, ...(own.value as Record<string, unknown>) }) : own;
  if (!merged.ok) return { ok: false, problem: `preserveData ${merged.problem}` };
  return { ok: true, value: merged.value as Record<string, unknown> };
}

/** What extensions add to the requests of a summary (SU11). */
export interface SummaryAdditions {
  /** One line each, section tags not yet escaped. */
  additionalContext: string[];
  /** Section tags escaped. Absent: ours. */
  prompt?: string;
  /** With what was kept before. */
  preserveData: Record<string, unknown> | undefined;
}

interface CheckedAdditions {
  additions: SummaryAdditions;
  /** What was left out, and why. */
  remarks: string[];
}

/**
 * Checks what an extension answered to `session.compacting` (EX3). Each part that can't be used is left out: the summary
 * is made without it. Never throws.
 * @param maxTokens raw tokens that the context may have, and the prompt likewise: beyond that the request might not fit
 */
export function checkAdditions(
  result: unknown,
  preserved: Record<string, unknown> | undefined,
  maxTokens: number,
): CheckedAdditions {
  const none: SummaryAdditions = { additionalContext: [], preserveData: preserved };
  try {
    if (!isRecord(result)) return { additions: none, remarks: ['The answer is not an object.'] };
    const { context, prompt, preserveData } = result;
    const remarks: string[] = [];
    const additions: SummaryAdditions = { ...none, additionalContext: linesOf(context, maxTokens, remarks) };
    const own = promptOf(prompt, maxTokens, remarks);
    if (own !== undefined) additions.prompt = escapeInserted(own);
    const merged = mergePreserved(preserved, preserveData);
    if (merged.ok) additions.preserveData = merged.value;
    else remarks.push(`${merged.problem} and was left out.`);
    return { additions, remarks };
  } catch {
    return { additions: none, remarks: ['The answer cannot be read.'] };
  }
}

function linesOf(context: unknown, maxTokens: number, remarks: string[]): string[] {
  if (context === undefined || context === null) return [];
  const isList = Array.isArray(context) && context.every((line) => typeof line === 'string');
  if (!isList) {
    remarks.push('context is not a list of strings and was left out.');
    return [];
  }
  const lines = context.flatMap((text: string) => text.split(/\r\n|[\r\n]/)).filter((line) => line.trim() !== '');
  if (estimateText(lines.join('\n')) <= maxTokens) return lines;
  remarks.push(`context has more than ${maxTokens} tokens and was left out.`);
  return [];
}

function promptOf(prompt: unknown, maxTokens: number, remarks: string[]): string | undefined {
  if (prompt === undefined || prompt === null) return undefined;
  if (typeof prompt !== 'string' || prompt.trim() === '') {
    remarks.push('prompt is not text and was left out.');
    return undefined;
  }
  if (estimateText(prompt) <= maxTokens) return prompt;
  remarks.push(`prompt has more than ${maxTokens} tokens and was left out.`);
  return undefined;
}

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
type CompactionCheck =
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
function usageOf(value: unknown): Usage | undefined {
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

/** Characters of what an extension asks the summariser: as much as a person may. */
const MAX_INSTRUCTIONS = 50_000;
const MAX_LABEL = 200;

/** What an extension answered to `session_before_tree`, as far as it can be used. */
export interface CheckedTreeAnswer {
  summary?: { summary: string; details: unknown; usage: Usage | undefined };
  customInstructions?: string;
  replaceInstructions?: boolean;
  label?: string;
  /** What was left out, and why. */
  remarks: string[];
}

/** Checks an answer to `session_before_tree` (EX3). Each part that can't be used is left out. Never throws. */
export function checkTreeAnswer(result: unknown): CheckedTreeAnswer {
  try {
    if (!isRecord(result)) return { remarks: ['The answer is not an object.'] };
    // Each field is read once: a getter could give another value the next time.
    const { summary, customInstructions, replaceInstructions, label } = result;
    const remarks: string[] = [];
    const checked: CheckedTreeAnswer = { remarks };
    const take = <T>(name: string, value: unknown, read: (value: unknown) => T | undefined): T | undefined => {
      if (value === undefined || value === null) return undefined;
      const found = read(value);
      if (found === undefined) remarks.push(`${name} is not valid and was left out.`);
      return found;
    };
    const written = take('summary', summary, summaryOf);
    const instructions = take('customInstructions', customInstructions, textUpTo(MAX_INSTRUCTIONS));
    const replaces = take('replaceInstructions', replaceInstructions, (it) =>
      typeof it === 'boolean' ? it : undefined,
    );
    const name = take('label', label, textUpTo(MAX_LABEL));
    if (written) checked.summary = written;
    if (instructions !== undefined) checked.customInstructions = instructions;
    if (replaces !== undefined) checked.replaceInstructions = replaces;
    if (name !== undefined) checked.label = name;
    return checked;
  } catch {
    return { remarks: ['The answer cannot be read.'] };
  }
}

function textUpTo(length: number): (value: unknown) => string | undefined {
  return (value) => (typeof value === 'string' && value.length <= length ? value : undefined);
}

function summaryOf(given: unknown): CheckedTreeAnswer['summary'] | undefined {
  if (!isRecord(given)) return undefined;
  const { summary, details, usage } = given;
  if (typeof summary !== 'string' || summary.trim() === '') return undefined;
  const stored = plainJson(details);
  return stored.ok ? { summary, details: stored.value, usage: usageOf(usage) } : undefined;
}
