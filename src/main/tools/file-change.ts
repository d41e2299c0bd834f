import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ApprovalScope, ExactContent } from '@shared/policy/approval';
import { MAX_DIFF_EDIT_LENGTH, MAX_STORED_DIFF_BYTES, MAX_WRITE_BYTES } from '@shared/limits';
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import type { AgentToolResult } from '../models/pi-types';
import { hashBytes } from './content-hash';
import { explainFileError } from './file-error';
import { textResult, type Inspection } from './gated-tool';
import { replaceFile, withFile, type ExpectedFile } from './safe-open';
import type { ResolvedPath, Workspace } from './workspace';

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
export async function readCurrent(target: ResolvedPath): Promise<CurrentFile | null> {
  if (!target.stats) return null;
  try {
    return await withFile(target.path, async (handle, stats) => {
      if (stats.size > MAX_WRITE_BYTES)
        throw new Error(
          `${target.shown} has ${stats.size} bytes; files over ${MAX_WRITE_BYTES} bytes cannot be changed with this tool.`,
        );
      if ((stats.mode & 0o222) === 0) throw new Error(`${target.shown} is read-only.`);
      return {
        bytes: await readAll(handle),
        mode: stats.mode,
        expected: { ino: stats.ino, size: stats.size, mtimeMs: stats.mtimeMs },
      };
    });
  } catch (error) {
    throw explainFileError(error, target.shown);
  }
}

async function readAll(handle: FileHandle): Promise<Buffer> {
  const bytes = await handle.readFile();
  if (bytes.length > MAX_WRITE_BYTES) throw new Error('The file grew while it was read. Try again.');
  return bytes;
}

/** The change from what is there to `after`, with its diff. Pure but for time: O(file), minimal diffs up to 4,000 changed lines. */
export function planChange(target: ResolvedPath, before: CurrentFile | null, after: Buffer): FileChange {
  const diff = unifiedDiff(target.shown, before, after);
  const { added, removed } = countDiff(diff);
  return { target, before, after, diff, added, removed };
}

/** What is asked and checked for a change: the diff itself and the hash of the bytes on both sides of it. */
export async function inspectChange(workspace: Workspace, change: FileChange): Promise<Inspection<FileChange>> {
  const { target, before, after, diff, added, removed } = change;
  const exact: ExactContent = {
    kind: 'diff',
    path: target.path,
    diff,
    created: before === null,
    added,
    removed,
    outside: target.location === 'outside',
    beforeHash: before === null ? '' : hashBytes(before.bytes),
    afterHash: hashBytes(after),
  };
  return { location: target.location, exact, scopes: await changeScopes(workspace, target), plan: change };
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
    exact: { kind: 'path', path: target.path, outside: target.location === 'outside' },
    scopes: {},
    plan,
  };
}

/** Writes the change. Throws, with the old file untouched, if the file is no longer the one that the diff was made from. */
export async function applyChange(change: FileChange, done: string): Promise<AgentToolResult<FileChangeDetails>> {
  const { target, before, after, added, removed } = change;
  try {
    await replaceFile(target.path, after, before?.expected ?? null, before?.mode);
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
  // A line feed in a name could otherwise draw lines into the diff that are not in the file.
  const name = shown.replace(/[\r\n]/gu, '\ufffd');
  const oldName = before === null ? '/dev/null' : name;
  const patch = createTwoFilesPatch(oldName, name, oldText, newText, undefined, undefined, {
    context: DIFF_CONTEXT,
    maxEditLength: MAX_DIFF_EDIT_LENGTH,
    headerOptions: FILE_HEADERS_ONLY,
  });
  const note = isBinary ? `Binary content of ${from.length} bytes is replaced.\n` : '';
  return note + (patch ?? blockDiff(oldName, name, oldText, newText));
}

/** One block out, one block in: for changes too large for a minimal diff. Cost: O(lines). */
function blockDiff(oldName: string, shown: string, oldText: string, newText: string): string {
  const from = splitLines(oldText);
  const to = splitLines(newText);
  let head = 0;
  while (head < from.length && head < to.length && from[head] === to[head]) head += 1;
  let tail = 0;
  while (tail < from.length - head && tail < to.length - head && from.at(-1 - tail) === to.at(-1 - tail)) tail += 1;
  const first = Math.max(0, head - DIFF_CONTEXT);
  const context = from.slice(first, head).map((line) => ` ${line}`);
  const removed = from.slice(head, from.length - tail).map((line) => `-${line}`);
  const added = to.slice(head, to.length - tail).map((line) => `+${line}`);
  const after = from.slice(from.length - tail, from.length - tail + DIFF_CONTEXT).map((line) => ` ${line}`);
  const around = context.length + after.length;
  const header = `--- ${oldName}\n+++ ${shown}\n@@ -${first + 1},${removed.length + around} +${first + 1},${added.length + around} @@\n`;
  return `${header}${[...context, ...removed, ...added, ...after].join('\n')}\n`;
}

function splitLines(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  else lines.push(`${lines.pop() ?? ''}\n\\ No newline at end of file`);
  return lines;
}

/** Added and removed lines of a unified diff, headers not counted. */
function countDiff(diff: string): { added: number; removed: number } {
  let added = 0;
  let removed = 0;
  let inHunk = false;
  for (const line of diff.split('\n')) {
    if (line.startsWith('@@')) inHunk = true;
    else if (inHunk && line.startsWith('+')) added += 1;
    else if (inHunk && line.startsWith('-')) removed += 1;
  }
  return { added, removed };
}
