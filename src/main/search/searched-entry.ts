import { isRecord } from '@shared/checks';
import { textsForPerson } from '@shared/policy/call-outcome';
import { type Author, type Place, PLACES, writerOf, WRITERS } from '@shared/search/types';
import { planContext, seenFromOf } from '@shared/session/context/context-plan';
import { type EntryFacts, isShown } from '@shared/session/records/facts';
import type { TreeNode } from '@shared/session/records/tree-node';
import type { SessionTree } from '@shared/session/tree/tree';

/** Fields of an entry that a person reads; ids, models and pictures are no words of the session. */
const READ = new Set(['text', 'thinking', 'content', 'summary', 'command', 'output', 'message', 'arguments', 'name']);
/** Characters of an entry that are searched: more is output that nobody wrote. */
const MAX_ENTRY_CHARS = 400_000;
/** Values of an entry that are looked at: a hostile one may have nothing but brackets. */
const MAX_VALUES = 200_000;

/** All that a person reads of an entry, in order, as one text. Never recursive: a hostile file may nest without end. */
export function textOfEntry(entry: unknown): string {
  const texts: string[] = [];
  const left: unknown[] = [withoutUndrawn(entry)];
  let chars = 0;
  for (let count = 0; left.length > 0 && count < MAX_VALUES && chars < MAX_ENTRY_CHARS; count++) {
    const next = left.pop();
    if (typeof next === 'string') {
      const text = next.slice(0, MAX_ENTRY_CHARS - chars);
      chars += text.length;
      texts.push(text);
    } else if (Array.isArray(next)) for (let at = next.length - 1; at >= 0; at--) left.push(next[at]);
    else if (isRecord(next)) addFields(next, left);
  }
  return texts.join('\n');
}

/**
 * An entry without what its card does not draw: the words of an edit that went well, whose changes stand in its call, and what the model
 * is told of how a command ended.
 */
function withoutUndrawn(entry: unknown): unknown {
  const message = isRecord(entry) ? entry.message : undefined;
  if (!isRecord(message) || message.role !== 'toolResult') return entry;
  const { toolName, isError, details, content } = message;
  if (isError !== true && (toolName === 'edit' || toolName === 'write')) return null;
  if (!Array.isArray(content)) return entry;
  const isWords = (part: unknown): part is { text: string } => isRecord(part) && typeof part.text === 'string';
  const texts = content.filter(isWords).map(({ text }) => text);
  return [...textsForPerson(texts, { isError, details, content }), ...content.filter((part) => !isWords(part))];
}

function addFields(value: Record<string, unknown>, left: unknown[]): void {
  const { type } = value;
  if (type === 'image') return;
  const read = Object.entries(value).filter(([key]) => READ.has(key));
  for (const [key, field] of read.reverse()) {
    if (type === 'toolCall' && key === 'arguments')
      left.push(...(isRecord(field) ? Object.values(field).slice(0, 200) : []));
    else left.push(field);
  }
}

/** Whose words an entry has. */
export function authorOf(entry: unknown): Author {
  const { type, message, customType } = isRecord(entry) ? entry : {};
  const { role, model, toolName, customType: inner } = isRecord(message) ? message : {};
  const named = (name: unknown): string => (typeof name === 'string' ? name.slice(0, 200) : '');
  if (type === 'compaction' || type === 'branch_summary') return { kind: 'summary', name: named(type) };
  if (type !== 'message') return { kind: 'note', name: named(customType) };
  if (role === 'user') return { kind: 'person', name: '' };
  if (role === 'assistant') return { kind: 'model', name: named(model) };
  if (role === 'toolResult') return { kind: 'tool', name: named(toolName) };
  if (role === 'bashExecution') return { kind: 'command', name: '' };
  return { kind: 'note', name: named(inner ?? role) };
}

/** What a filter asks of an entry: who wrote it, a number of `WRITERS`, -1 for none of them, and when, Unix milliseconds, 0 for never. */
export function filteredBy(entry: unknown): { writer: number; time: number } {
  const writer = writerOf(authorOf(entry));
  return { writer: writer === null ? -1 : WRITERS.indexOf(writer), time: timeOf(entry) };
}

/** When an entry was written, Unix milliseconds; 0 where it does not say so. */
export function timeOf(entry: unknown): number {
  const { timestamp } = isRecord(entry) ? entry : {};
  const time = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN;
  return Number.isNaN(time) ? 0 : time;
}

const [KEPT, SUMMARIZED, BRANCH] = PLACES.keys();

/** Whether the words of an entry are looked for: those that the transcript shows. */
export const isSearched = (facts: EntryFacts): boolean => !facts.side && !facts.silent && isShown(facts);

export interface Standing {
  /** By line of the file, where each entry stands for the model: a number of `PLACES`. */
  places: Uint8Array;
  /**
   * Where other branches leave the path, in runs, for they stand together in the file: a line, and the line of the path's entry below which
   * all entries off the path from that line on stand (`NO_FORK`: there is none that is shown).
   */
  forks: Uint32Array;
}

/** Where the entries of a session stand. O(entries). */
export function standingOf(tree: SessionTree): Standing {
  const places = new Uint8Array(tree.lastSeq + 1).fill(BRANCH as number);
  const { seenFrom, repeated } = seenFromOf(tree, planContext(tree, tree.leafId));
  const inFull = new Set(repeated);
  let isCovered = seenFrom !== null;
  const path = tree.pathTo(tree.leafId);
  for (const { id, seq } of path) {
    if (id === seenFrom) isCovered = false;
    places[seq] = (isCovered && !inFull.has(id) ? SUMMARIZED : KEPT) as number;
  }
  return { places, forks: forksOf(tree, path, places) };
}

const NO_FORK = 0xffff_ffff;
const UNKNOWN = NO_FORK - 1;

function forksOf(tree: SessionTree, path: readonly TreeNode[], places: Uint8Array): Uint32Array {
  const forks = new Uint32Array(tree.lastSeq + 1).fill(UNKNOWN);
  let last = NO_FORK;
  for (const { facts, seq } of path) {
    if (isSearched(facts)) last = seq;
    forks[seq] = last;
  }
  for (const node of tree.entriesInOrder()) {
    const above: number[] = [];
    let at: TreeNode | null = node;
    for (; at && forks[at.seq] === UNKNOWN; at = at.parent) above.push(at.seq);
    const fork = at ? (forks[at.seq] as number) : NO_FORK;
    for (const seq of above) forks[seq] = fork;
  }
  const runs: number[] = [];
  for (let seq = 0; seq < forks.length; seq++) {
    const fork = forks[seq] as number;
    if (fork !== UNKNOWN && places[seq] === BRANCH && runs.at(-1) !== fork) runs.push(seq, fork);
  }
  return Uint32Array.from(runs);
}

/** The line of the entry at which the branch of an entry leaves the path; null: it leaves above all that is shown. O(log runs). */
export function forkAt(forks: Uint32Array, seq: number): number | null {
  let low = 0;
  let high = forks.length / 2;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((forks[2 * middle] as number) <= seq) low = middle + 1;
    else high = middle;
  }
  const fork = forks[2 * low - 1] ?? NO_FORK;
  return fork === NO_FORK ? null : fork;
}

/** What was added at the leaf since is seen word for word. */
export const placeAt = (places: Uint8Array, seq: number): Place => PLACES[places[seq] ?? 0] ?? 'kept';
