import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ApprovalScope, ExactContent } from '@shared/policy/approval';
import {
  DIFF_TIMEOUT_MS,
  MAX_DIFF_EDIT_LENGTH,
  MAX_DIFF_LINES,
  MAX_STORED_DIFF_BYTES,
  MAX_WRITE_BYTES,
} from '@shared/limits';
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import type { GuidanceRole } from '@shared/types';
import type { AgentToolResult } from '../pi/pi-types';
import { roleInGuidance } from '../project/guidance';
import { isRunHere } from '../project/run-here';
import {
  exactPlace,
  explainFileError,
  type FailedInspection,
  hashBytes,
  type Inspection,
  type RunContext,
  textResult,
} from './gated-tool';
import { readAtMost, replaceFile, withFile, type ExpectedFile } from '../places/safe-open';
import type { ResolvedPath, Workspace } from '../places/workspace';

/** Unchanged lines shown around a change. */
const DIFF_CONTEXT = 3;

/** The file as it is before a change. */
export interface CurrentFile {
  bytes: Buffer;
  mode: number;
  expected: ExpectedFile;
}

/** A change as it was shown: these bytes instead of those. */
export interface FileChange {
  target: ResolvedPath;
  before: CurrentFile | null;
  after: Buffer;
  diff: string;
  added: number;
  removed: number;
}

/** Details of a `write` or `edit` result; the transcript draws the diff from them. */
export interface FileChangeDetails {
  path: string;
  /** Unified diff; cut at 256 KB, which `diffCut` then says. */
  diff: string;
  added: number;
  removed: number;
  created: boolean;
  diffCut?: boolean;
}

/** Reads the file that would be changed; null if there is none. Throws with a plain message if it cannot be changed. */
export async function readCurrent(workspace: Workspace, target: ResolvedPath): Promise<CurrentFile | null> {
  if (!target.stats) return null;
  try {
    return await withFile(target.path, (handle, stats) => readWhole(target, handle, stats), workspace.guard);
  } catch (error) {
    throw explainFileError(error, target.shown);
  }
}

async function readWhole(target: ResolvedPath, handle: FileHandle, stats: Stats): Promise<CurrentFile> {
  if (stats.size > MAX_WRITE_BYTES)
    throw new Error(
      `${target.shown} has ${stats.size} bytes; files over ${MAX_WRITE_BYTES} bytes cannot be changed with this tool.`,
    );
  if ((stats.mode & 0o222) === 0) throw new Error(`${target.shown} is read-only.`);
  const bytes = await readAtMost(handle, MAX_WRITE_BYTES);
  if (!bytes) throw new Error('The file grew while it was read. Try again.');
  return {
    bytes,
    mode: stats.mode,
    expected: { ino: stats.ino, size: stats.size, mtimeMs: stats.mtimeMs },
  };
}

/** The change from what is there to `after`, with its diff: a minimal one where it is found soon, else one block for another. */
export function planChange(target: ResolvedPath, before: CurrentFile | null, after: Buffer): FileChange {
  const diff = unifiedDiff(target.shown, before, after);
  const { added, removed } = countDiff(diff);
  return { target, before, after, diff, added, removed };
}

/**
 * What is asked and checked for a change: the diff itself, the hash of the bytes on both sides of it, and what the file is to the
 * guidance. `asked`: the path as it was given.
 */
export async function inspectChange(
  workspace: Workspace,
  change: FileChange,
  asked: string,
): Promise<Inspection<FileChange>> {
  const { target, before, after, diff, added, removed } = change;
  const exact: ExactContent = {
    kind: 'diff',
    path: target.path,
    diff,
    created: before === null,
    added,
    removed,
    ...exactPlace(target),
    beforeHash: before === null ? '' : hashBytes(before.bytes),
    afterHash: hashBytes(after),
    guidance: target.location === 'inside' ? await roleOf(workspace, target, asked) : undefined,
  };
  const { location, isOnUnknownMount } = target;
  return { location, isOnUnknownMount, exact, scopes: await changeScopes(workspace, target), plan: change };
}

async function roleOf(workspace: Workspace, target: ResolvedPath, asked: string): Promise<GuidanceRole | undefined> {
  if (await isRunHere(workspace, target)) return 'code';
  return roleInGuidance(workspace, target, asked);
}

async function changeScopes(
  workspace: Workspace,
  target: ResolvedPath,
): Promise<{ session?: ApprovalScope; always?: ApprovalScope }> {
  if (target.location === 'outside') return {};
  return {
    session: { kind: 'folder', folder: await workspace.root() },
    always: { kind: 'folder', folder: dirname(target.path) },
  };
}

/** A call that must not touch its target: nothing is read, nothing can be approved. */
export function refusedChange(target: ResolvedPath, refusal: string): Inspection<FileChange> {
  const plan: FileChange = { target, before: null, after: Buffer.alloc(0), diff: '', added: 0, removed: 0 };
  return {
    location: target.location,
    refusal,
    exact: { kind: 'path', path: target.path, ...exactPlace(target) },
    scopes: {},
    plan,
  };
}

/** A change that cannot be made, for a reason that tells something of the file. */
export function failedChange(target: ResolvedPath, reason: unknown): FailedInspection {
  const failure = reason instanceof Error ? reason.message : String(reason);
  const exact: ExactContent = { kind: 'path', path: target.path, ...exactPlace(target) };
  const { location, isOnUnknownMount } = target;
  return { location, isOnUnknownMount, exact, scopes: {}, failure };
}

/** Writes the change. Throws, with the old file untouched, if the file is no longer the one that the diff was made from. */
export async function applyChange(
  { guard }: Workspace,
  change: FileChange,
  done: string,
  { committing }: Pick<RunContext, 'committing'>,
): Promise<AgentToolResult<FileChangeDetails>> {
  const { target, before, after, added, removed } = change;
  committing?.();
  try {
    await replaceFile(target.path, after, before?.expected ?? null, before?.mode, guard);
  } catch (error) {
    throw explainFileError(error, target.shown);
  }
  const diffCut = Buffer.byteLength(change.diff) > MAX_STORED_DIFF_BYTES;
  const diff = diffCut ? change.diff.slice(0, change.diff.lastIndexOf('\n', MAX_STORED_DIFF_BYTES)) : change.diff;
  const details: FileChangeDetails = { path: target.shown, diff, added, removed, created: before === null };
  return textResult(`${done} (+${added} −${removed} lines).`, diffCut ? { ...details, diffCut } : details);
}

function unifiedDiff(shown: string, before: CurrentFile | null, after: Buffer): string {
  const from = before?.bytes ?? Buffer.alloc(0);
  const isBinary = from.includes(0);
  const oldText = isBinary ? '' : from.toString('utf8');
  const newText = after.toString('utf8');
  if (before !== null && !isBinary && oldText === newText) return '\\ The file already has this content.\n';
  // A line feed in a name could otherwise draw lines into the diff that are not in the file.
  const name = shown.replace(/[\r\n]/gu, '\ufffd');
  const oldName = before === null ? '/dev/null' : name;
  const note = isBinary ? `Binary content of ${from.length} bytes is replaced.\n` : '';
  const isLarge = countLines(oldText) + countLines(newText) > MAX_DIFF_LINES;
  const patch = isLarge
    ? undefined
    : createTwoFilesPatch(oldName, name, oldText, newText, undefined, undefined, {
        context: DIFF_CONTEXT,
        maxEditLength: MAX_DIFF_EDIT_LENGTH,
        timeout: DIFF_TIMEOUT_MS,
        headerOptions: FILE_HEADERS_ONLY,
      });
  return note + (patch ?? blockDiff(oldName, name, oldText, newText));
}

/**
 * One block out, one block in: for changes too large for a minimal diff. Cost: O(text), and no list of lines: millions of
 * empty ones would be more memory than there is.
 */
function blockDiff(oldName: string, shown: string, from: string, to: string): string {
  const head = commonHead(from, to);
  const tail = commonTail(from, to, head);
  const first = lineStart(from, head, DIFF_CONTEXT);
  const last = lineEnd(from, from.length - tail, DIFF_CONTEXT);
  const context = from.slice(first, head);
  const removed = from.slice(head, from.length - tail);
  const added = to.slice(head, to.length - tail);
  const after = from.slice(from.length - tail, last);
  const around = countLines(context) + countLines(after);
  const line = countLines(from.slice(0, first)) + 1;
  // Nothing before or after stands at line 0, as in every unified diff.
  const range = (text: string): string => {
    const count = countLines(text) + around;
    return `${count === 0 ? line - 1 : line},${count}`;
  };
  const header = `--- ${oldName}\n+++ ${shown}\n@@ -${range(removed)} +${range(added)} @@\n`;
  return header + markLines(' ', context) + markLines('-', removed) + markLines('+', added) + markLines(' ', after);
}

/** Length of the lines that both texts begin with. */
function commonHead(a: string, b: string): number {
  let at = 0;
  while (at < a.length && at < b.length && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  if (at === a.length && at === b.length) return at;
  return at === 0 ? 0 : a.lastIndexOf('\n', at - 1) + 1;
}

/** Length of the lines that both texts end with, `head` apart. */
function commonTail(a: string, b: string, head: number): number {
  const most = Math.min(a.length, b.length) - head;
  let count = 0;
  while (count < most && a.charCodeAt(a.length - 1 - count) === b.charCodeAt(b.length - 1 - count)) count += 1;
  // Whole lines only: what differs ends with a line of its own on both sides.
  while (count > 0 && !(isLineStart(a, a.length - count) && isLineStart(b, b.length - count))) count -= 1;
  return count;
}

function isLineStart(text: string, at: number): boolean {
  return at === 0 || text.charCodeAt(at - 1) === 0x0a;
}

/** Where the line begins that is `lines` above the one that begins at `at`. */
function lineStart(text: string, at: number, lines: number): number {
  let start = at;
  for (let left = lines; left > 0 && start > 0; left -= 1)
    start = start < 2 ? 0 : text.lastIndexOf('\n', start - 2) + 1;
  return start;
}

/** Where the `lines` lines end that follow `at`. */
function lineEnd(text: string, at: number, lines: number): number {
  let end = at;
  for (let left = lines; left > 0 && end < text.length; left -= 1) {
    const next = text.indexOf('\n', end);
    end = next < 0 ? text.length : next + 1;
  }
  return end;
}

function countLines(text: string): number {
  if (text === '') return 0;
  let count = text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** Each line with its mark; a last one without a line end says so. */
function markLines(mark: string, text: string): string {
  if (text === '') return '';
  const isEnded = text.endsWith('\n');
  const body = isEnded ? text.slice(0, -1) : text;
  return `${mark}${body.replaceAll('\n', `\n${mark}`)}\n${isEnded ? '' : '\\ No newline at end of file\n'}`;
}

/** Added and removed lines of a unified diff, headers not counted. */
function countDiff(diff: string): { added: number; removed: number } {
  let added = 0;
  let removed = 0;
  const first = diff.indexOf('\n@@');
  for (let at = first; at >= 0; at = diff.indexOf('\n', at + 1)) {
    if (diff[at + 1] === '+') added += 1;
    else if (diff[at + 1] === '-') removed += 1;
  }
  return { added, removed };
}
