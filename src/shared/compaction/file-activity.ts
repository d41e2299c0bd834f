import type { PlanItem } from '../session/plan-item';
import type { CompactionEntry, ProjectedMessage } from '../session/entry';
import { blocksOf, textOf } from '../session/message-text';
import { isRecord } from '../own';

/** Files by what the tools did with them; paths as the calls named them. */
export interface FileOps {
  read: Set<string>;
  written: Set<string>;
  edited: Set<string>;
}

/** What `details` and the tags hold: sorted by code unit, nothing in both. */
export interface FileLists {
  readFiles: string[];
  modifiedFiles: string[];
}

export function noFileOps(): FileOps {
  return { read: new Set(), written: new Set(), edited: new Set() };
}

const TOOLS = new Map<string, keyof FileOps>([
  ['read', 'read'],
  ['write', 'written'],
  ['edit', 'edited'],
]);

/** Adds the files that the calls of a message name (FA1). */
export function addFileOps(ops: FileOps, message: ProjectedMessage): void {
  if (message.role !== 'assistant' || !('content' in message)) return;
  for (const block of blocksOf(message.content)) {
    if (block.type !== 'toolCall') continue;
    const kind = TOOLS.get(textOf(block.name));
    const path = isRecord(block.arguments) ? textOf(block.arguments.path) : '';
    if (kind && path !== '') ops[kind].add(path);
  }
}

/** Adds the lists that a compaction or branch summary stored, unless an extension wrote them (FA2). */
export function addStoredFiles(ops: FileOps, entry: unknown): void {
  const { details, fromHook, fromExtension } = (entry ?? {}) as CompactionEntry & { fromExtension?: unknown };
  if (fromHook === true || fromExtension === true || !isRecord(details)) return;
  for (const path of strings(details.readFiles)) ops.read.add(path);
  for (const path of strings(details.modifiedFiles)) ops.edited.add(path);
}

/** Adds what the branch summaries among some items stored. */
export function addBranchFiles(ops: FileOps, items: readonly PlanItem[]): void {
  for (const { kind, node } of items) if (kind === 'branch') addStoredFiles(ops, node.body);
}

/** The lists of what was done: what was modified is not also listed as read (FA3). */
export function fileListsOf({ read, written, edited }: FileOps): FileLists {
  const modified = new Set([...written, ...edited]);
  return {
    readFiles: [...read].filter((path) => !modified.has(path)).sort(byCodeUnit),
    modifiedFiles: [...modified].sort(byCodeUnit),
  };
}

/**
 * The tags behind a summary, with a blank line before each; empty if there is nothing to list (FA4).
 * @param limit paths named in a block; the rest is a number
 */
export function fileTags({ readFiles, modifiedFiles }: FileLists, limit: number): string {
  return block('read-files', readFiles, limit) + block('modified-files', modifiedFiles, limit);
}

function block(tag: string, paths: readonly string[], limit: number): string {
  if (paths.length === 0) return '';
  // A path with a line break would be two paths to the next reader, or a tag.
  const named = paths.slice(0, limit).map((path) => path.replace(/[\r\n]+/g, ' '));
  const more = paths.length > limit ? [`… (${paths.length - limit} more files omitted)`] : [];
  return `\n\n<${tag}>\n${[...named, ...more].join('\n')}\n</${tag}>`;
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string' && item !== '') : [];
}

function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
