import type { Workspace } from '../places/workspace';
import {
  applyChange,
  type CurrentFile,
  failedChange,
  type FileChange,
  type FileChangeDetails,
  inspectChange,
  planChange,
  readCurrent,
  refusedChange,
} from './file-change';
import type { EditArgs } from './file-tools';
import type { ToolWork } from './gated-tool';
import { MAX_DIFF_LINES, MAX_REPLACEMENTS, MAX_WRITE_BYTES } from '@shared/limits';

/**
 * Where a sequence occurs in another, overlaps included, in order (Knuth, Morris, Pratt): O(text + wanted) whatever they
 * hold. Built-in searches compare the whole of `wanted` at each place: 10 kB of one letter in 5 MB of it takes for ever.
 * Ends after `limit` places. `wanted` must not be empty.
 */
export function findAll<T>(text: ArrayLike<T>, wanted: ArrayLike<T>, limit = Infinity): number[] {
  const found: number[] = [];
  const shorter = borders(wanted);
  let matched = 0;
  for (let at = 0; at < text.length && found.length < limit; at += 1) {
    while (matched > 0 && text[at] !== wanted[matched]) matched = shorter[matched - 1] ?? 0;
    if (text[at] === wanted[matched]) matched += 1;
    if (matched < wanted.length) continue;
    found.push(at - matched + 1);
    matched = shorter[matched - 1] ?? 0;
  }
  return found;
}

/** For each beginning of a sequence, how long its longest proper end is that is a beginning too. */
function borders<T>(wanted: ArrayLike<T>): Int32Array {
  const lengths = new Int32Array(wanted.length);
  for (let at = 1, matched = 0; at < wanted.length; at += 1) {
    while (matched > 0 && wanted[at] !== wanted[matched]) matched = lengths[matched - 1] ?? 0;
    if (wanted[at] === wanted[matched]) matched += 1;
    lengths[at] = matched;
  }
  return lengths;
}

/** The UTF-16 code units of a text, to search in. */
export function codeUnits(text: string): Uint16Array {
  const units = new Uint16Array(text.length);
  for (let at = 0; at < text.length; at += 1) units[at] = text.charCodeAt(at);
  return units;
}

/** One replacement: `oldText` must occur exactly once, or anywhere with `replaceAll`. */
interface TextEdit {
  oldText: string;
  newText: string;
  replaceAll?: boolean;
}

/** Occurrences that the message about an ambiguous edit counts. */
const MAX_COUNTED = 1_000;

interface Span {
  /** Offsets in the text with line ends as LF. */
  start: number;
  end: number;
  newText: string;
  edit: number;
}

/**
 * Applies edits to a text; all of them match the text as it was, so their order does not matter. Line ends: matching
 * ignores whether a line ends in LF or CRLF, what is not replaced keeps its bytes, and new lines end as most lines of the
 * file do. Throws an Error that says which edit did not match and why. Cost: O(text × edits), whatever they hold.
 */
export function applyEdits(text: string, edits: readonly TextEdit[], shown: string): string {
  const bom = text.startsWith('\ufeff') ? '\ufeff' : '';
  const body = text.slice(bom.length);
  const flat = body.replace(/\r\n/gu, '\n');
  const units = codeUnits(flat);
  const spans: Span[] = [];
  edits.forEach((edit, index) => {
    for (const span of findSpans(flat, units, edit, `Edit ${index + 1} of ${edits.length}`, shown, index))
      spans.push(span);
    if (spans.length > MAX_REPLACEMENTS) throw tooMany(shown);
  });
  spans.sort((a, b) => a.start - b.start || a.end - b.end);
  assertDisjoint(spans, shown);
  assertSize(flat.length, spans, shown);
  const offsets = crOffsets(body);
  const eol = offsets.length * 2 > countLineEnds(flat) ? '\r\n' : '\n';
  const parts: string[] = [bom];
  let at = 0;
  let crs = 0;
  const original = (offset: number): number => {
    while (crs < offsets.length && (offsets[crs] ?? Infinity) < offset) crs += 1;
    return offset + crs;
  };
  for (const span of spans) {
    const start = original(span.start);
    parts.push(body.slice(at, start), span.newText.replace(/\r\n/gu, '\n').replace(/\n/gu, eol));
    at = original(span.end);
  }
  parts.push(body.slice(at));
  return parts.join('');
}

/** Before the new text is made: a short text put in many places may be longer than any string can be. */
function assertSize(length: number, spans: readonly Span[], shown: string): void {
  const after = spans.reduce((sum, span) => sum + span.newText.length - (span.end - span.start), length);
  if (after > MAX_WRITE_BYTES)
    throw new Error(`${shown} would have over ${MAX_WRITE_BYTES} bytes, the most that can be written.`);
}

/** Offsets (in the LF text) of the line ends that had a CR before them. */
function crOffsets(body: string): number[] {
  const offsets: number[] = [];
  for (let at = body.indexOf('\r\n'); at >= 0; at = body.indexOf('\r\n', at + 2)) offsets.push(at - offsets.length);
  return offsets;
}

function countLineEnds(flat: string): number {
  let count = 0;
  for (let at = flat.indexOf('\n'); at >= 0; at = flat.indexOf('\n', at + 1)) count += 1;
  return count;
}

function findSpans(
  flat: string,
  units: Uint16Array,
  edit: TextEdit,
  label: string,
  shown: string,
  index: number,
): Span[] {
  const wanted = edit.oldText.replace(/\r\n/gu, '\n').replace(/^\ufeff/u, '');
  if (wanted === '') throw new Error(`${label}: oldText is empty. To create or replace a whole file use write.`);
  if (wanted === edit.newText.replace(/\r\n/gu, '\n'))
    throw new Error(`${label}: oldText and newText are the same, so nothing would change.`);
  const places = findAll(units, codeUnits(wanted), edit.replaceAll === true ? Infinity : MAX_COUNTED);
  if (places.length === 0)
    throw new Error(`${label}: this text does not occur in ${shown}: ${quote(wanted)}.${hint(flat, wanted)}`);
  if (places.length > 1 && edit.replaceAll !== true) {
    const count = places.length === MAX_COUNTED ? `at least ${MAX_COUNTED}` : places.length;
    const lines = places.slice(0, 5).map((start) => lineOf(flat, start));
    throw new Error(
      `${label}: this text occurs ${count} times in ${shown} (lines ${lines.join(', ')}${places.length > 5 ? ', …' : ''}): ${quote(wanted)}. Give more of the text around it, or set replaceAll.`,
    );
  }
  const spans: Span[] = [];
  let end = 0;
  for (const start of places) {
    // Of places that overlap the first one counts.
    if (start < end) continue;
    end = start + wanted.length;
    spans.push({ start, end, newText: edit.newText, edit: index });
    if (spans.length > MAX_REPLACEMENTS) throw tooMany(shown);
  }
  return spans;
}

function tooMany(shown: string): Error {
  return new Error(`This replaces more than ${MAX_REPLACEMENTS} places in ${shown}. Use bash with a tool such as sed.`);
}

function assertDisjoint(spans: readonly Span[], shown: string): void {
  spans.forEach((span, index) => {
    const before = spans[index - 1];
    if (before && before.end > span.start) {
      throw new Error(
        `Edits ${before.edit + 1} and ${span.edit + 1} overlap in ${shown}. Join them into one edit. Nothing was changed.`,
      );
    }
  });
}

/** Says where the text would match but for white space, the most frequent mistake. */
function hint(flat: string, wanted: string): string {
  const again = ' Read the file again and copy the text exactly.';
  if (countLineEnds(flat) > MAX_DIFF_LINES) return again;
  const lines = flat.split('\n').map((line) => line.trim());
  const needle = wanted.split('\n').map((line) => line.trim());
  while (needle.at(-1) === '') needle.pop();
  needle.splice(
    0,
    needle.findIndex((line) => line !== ''),
  );
  if (needle.length === 0) return '';
  const [found] = findAll(lines, needle, 1);
  if (found !== undefined)
    return ` Lines ${found + 1}-${found + needle.length} differ from it in white space only; read them and copy them exactly.`;
  const near = lines.indexOf(needle[0] ?? '');
  return near >= 0 ? ` Its first line is line ${near + 1}, but what follows differs; read the file again.` : again;
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

function quote(text: string): string {
  const line = text.length > 120 ? `${text.slice(0, 119)}…` : text;
  return JSON.stringify(line);
}

/** `edit`: exact replacements in one file, all or none. */
export function createEditTool(workspace: Workspace): ToolWork<EditArgs, FileChange, FileChangeDetails> {
  return {
    async inspect(args) {
      const target = await workspace.resolve(args.path, 'change');
      if (target.refusal !== undefined) return refusedChange(target, target.refusal);
      try {
        if (target.failure !== undefined) throw new Error(target.failure);
        const before = await readCurrent(workspace, target);
        if (before === null) throw new Error(`${target.shown} does not exist. To create it use write.`);
        const change = planChange(target, before, edited(before, args, target.shown));
        return await inspectChange(workspace, change, args.path);
      } catch (error) {
        return failedChange(target, error);
      }
    },
    run: (change, context) => applyChange(workspace, change, `Edited ${change.target.shown}`, context),
  };
}

/** The bytes after all edits. Every error of it tells something of the text. */
function edited(before: CurrentFile, args: EditArgs, shown: string): Buffer {
  const after = Buffer.from(applyEdits(decodeText(before.bytes, shown), args.edits, shown), 'utf8');
  if (after.length > MAX_WRITE_BYTES)
    throw new Error(`${shown} would have ${after.length} bytes; at most ${MAX_WRITE_BYTES} can be written.`);
  return after;
}

/** Strict decoding: what is not UTF-8 would not survive being written back. */
function decodeText(bytes: Buffer, shown: string): string {
  if (bytes.includes(0)) throw new Error(`${shown} is a binary file and cannot be edited as text.`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Error(
      `${shown} is not UTF-8 text. Editing it would damage it; use bash with a tool that knows its encoding.`,
    );
  }
}
