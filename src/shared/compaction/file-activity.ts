import { isRecord } from '../checks';
import { endOfCall, isDone, type KnownEnd } from '../policy/call-outcome';
import { belowReply } from '../session/messages/below-reply';
import type { CompactionEntry, ProjectedMessage } from '../session/records/entry';
import type { EntryFacts } from '../session/records/facts';
import { textOf } from '../session/records/message-text';
import { inOneLine, pathsInBlocks, tagBlock } from '../session/records/own-marks';
import type { PlanItem } from '../session/messages/plan-item';
import { answeredCalls, callersOf, callsOf, type EndOf, isResult, type ReplyCall, untoldCallsIn } from './call-results';

/** Where the paths of a session's calls begin. */
export interface PathPlace {
  /** The workspace; empty: not known, and relative paths stay relative. */
  root: string;
  /** What `~` stands for. */
  home: string;
}

/** `C:\…`, `C:/…` and `\\server\…`: of another computer's system, and left as they are. */
const WINDOWS = /^(?:[a-z]:[\\/]|\\\\)/i;

/**
 * A path as a tool takes it, absolute and in one spelling: joined to the workspace, without `.`, `..` and doubled slashes (FA4). Links are
 * not followed: what stood there then nobody knows now. Pure. O(length).
 */
export function absolutePath(path: string, { root, home }: PathPlace): string {
  if (WINDOWS.test(path) || (!path.startsWith('/') && WINDOWS.test(root))) return path;
  const from = path === '~' || path.startsWith('~/') ? home + path.slice(1) : path;
  const whole = from.startsWith('/') || root === '' ? from : `${root}/${from}`;
  const isAbsolute = whole.startsWith('/');
  const parts: string[] = [];
  for (const part of whole.split('/')) {
    if (part === '' || part === '.') continue;
    const above = parts.at(-1);
    if (part !== '..') parts.push(part);
    else if (above !== undefined && above !== '..') parts.pop();
    else if (!isAbsolute) parts.push(part);
  }
  return (isAbsolute ? '/' : '') + (parts.join('/') || (isAbsolute ? '' : '.'));
}

/** Files by what the tools did with them. */
export interface FileOps {
  read: Set<string>;
  written: Set<string>;
  edited: Set<string>;
  /** All that calls named, the latest last. */
  touched: Set<string>;
  /** All that earlier summaries named, in the order of their tags. */
  carried: Set<string>;
  /** Null: paths stay as the calls named them. */
  place: PathPlace | null;
}

const KINDS = ['read', 'written', 'edited'] as const;

/** What `details` and the tags hold: sorted by code unit, nothing in both. */
export interface FileLists {
  readFiles: string[];
  modifiedFiles: string[];
}

/** @param place paths are made absolute there, so that a file is one path (FA4); null: they stay as they were named */
export function noFileOps(place: PathPlace | null): FileOps {
  return {
    ...{ read: new Set(), written: new Set(), edited: new Set() },
    ...{ touched: new Set(), carried: new Set(), place },
  };
}

/** Adds what some calls did, found elsewhere, in the order in which they did it. */
export function addFoundFiles(ops: FileOps, found: FileOps): void {
  for (const path of found.touched) touch(ops, inPlace(ops, path));
  for (const kind of KINDS) for (const path of found[kind]) ops[kind].add(inPlace(ops, path));
}

function touch({ touched }: FileOps, path: string): void {
  touched.delete(path);
  touched.add(path);
}

function inPlace({ place }: FileOps, path: string): string {
  return place ? absolutePath(path, place) : path;
}

const TOOLS = new Map<string, (typeof KINDS)[number]>([
  ['read', 'read'],
  ['write', 'written'],
  ['edit', 'edited'],
]);

/** True for the result of a call that changed a file (FA1). What commands did to files is not known. */
export function isFileChange({ answers, toolName, isError }: EntryFacts): boolean {
  return answers !== undefined && isChange(toolName) && isDone(endOfCall({ isError }));
}

const isChange = (toolName: string | undefined): boolean => (TOOLS.get(toolName ?? '') ?? 'read') !== 'read';

/** Adds the files of the calls of a message that ran and did not fail (FA1). @param done their ids */
export function addFileOps(ops: FileOps, message: ProjectedMessage, done: ReadonlySet<string> | undefined): void {
  for (const call of callsOf(message)) if (done?.has(call.id) === true) addCall(ops, call);
}

function addCall(ops: FileOps, { name, arguments: given }: ReplyCall): void {
  const kind = TOOLS.get(name);
  const path = isRecord(given) ? textOf(given.path) : '';
  if (!kind || path === '') return;
  ops[kind].add(inPlace(ops, path));
  touch(ops, inPlace(ops, path));
}

/**
 * Adds the files of a group of messages (see `MessageGroups`).
 * @param known what is known of calls whose results are not among the messages, by their ids
 * @param open calls of earlier groups of whose results nothing is known yet, by their ids: a late one is of the nearest (CX9)
 */
export function addGroupFiles(
  ops: FileOps,
  [reply, ...behind]: readonly ProjectedMessage[],
  endOf: EndOf = endOfCall,
  known?: ReadonlyMap<string, KnownEnd | null>,
  open = new Map<string, ReplyCall[]>(),
): void {
  if (!reply) return;
  const answered = new Set<ProjectedMessage>();
  const left: ReplyCall[] = [];
  for (const call of answeredCalls(reply, behind)) {
    const end = call.result ? endOf(call.result) : known?.get(call.id)?.end;
    if (call.result) answered.add(call.result);
    if (isDone(end)) addCall(ops, call);
    else if (!end) left.push(call);
  }
  for (const message of [reply, ...behind]) {
    if (!isResult(message) || answered.has(message)) continue;
    const call = open.get(message.toolCallId)?.pop();
    if (call && isDone(endOf(message))) addCall(ops, call);
  }
  for (const call of left) {
    const others = open.get(call.id);
    if (others) others.push(call);
    else open.set(call.id, [call]);
  }
}

/**
 * For each item that calls tools, by its place, the ids of the calls that count as done (FA1): as `addGroupFiles`. O(items + calls, and
 * what stands below a reply whose results are not among the items).
 */
export function doneCalls(items: readonly PlanItem[]): ReadonlyMap<number, ReadonlySet<string>> {
  const done = new Map<number, Set<string>>();
  const note = (at: number, { answers = '', isError }: EntryFacts): void => {
    if (!isDone(endOfCall({ isError }))) return;
    const known = done.get(at);
    if (known) known.add(answers);
    else done.set(at, new Set([answers]));
  };
  callersOf(items).forEach((caller, at) => {
    const { facts } = items[at]?.node ?? {};
    if (facts && caller >= 0) note(caller, facts);
  });
  for (const [at, { open }] of untoldCallsIn(items)) {
    if (open.length === 0) continue;
    const { answers } = belowReply((items[at] as PlanItem).node);
    for (const id of open) {
      const result = answers.get(id);
      if (result) note(at, result.facts);
    }
  }
  return done;
}

/** Adds the lists that a compaction or branch summary stored, unless an extension wrote them (FA2). */
export function addStoredFiles(ops: FileOps, entry: unknown): void {
  const { summary, details, fromHook, fromExtension } = (entry ?? {}) as CompactionEntry & { fromExtension?: unknown };
  if (fromHook === true || fromExtension === true || !isRecord(details)) return;
  const read = strings(details.readFiles).map((path) => inPlace(ops, path));
  const modified = strings(details.modifiedFiles).map((path) => inPlace(ops, path));
  for (const path of read) ops.read.add(path);
  for (const path of modified) ops.edited.add(path);
  const known = new Set([...modified, ...read]);
  // As their tags named them, then what those left out.
  const named = pathsInBlocks(textOf(summary)).map((path) => inPlace(ops, path));
  for (const path of [...named.filter((path) => known.has(path)), ...known]) ops.carried.add(path);
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

/** Files in the order in which tags name them: of this region, newest first, then carried ones as they were named before (FA4). */
export function newestFirst({ touched, carried }: FileOps): string[] {
  return [...new Set([...[...touched].reverse(), ...carried])];
}

/**
 * The tags behind a summary, with a blank line before each; empty if there is nothing to list (FA4).
 * @param limit paths named in a block; the rest is a number
 * @param order the paths in the order in which they are named; what it lacks comes last
 */
export function fileTags(
  { readFiles, modifiedFiles }: FileLists,
  limit: number,
  order: readonly string[] = [],
): string {
  const place = new Map(order.map((path, at) => [path, at]));
  const inOrder = (paths: readonly string[]): string[] =>
    [...paths].sort((a, b) => (place.get(a) ?? order.length) - (place.get(b) ?? order.length));
  return block('read-files', inOrder(readFiles), limit) + block('modified-files', inOrder(modifiedFiles), limit);
}

function block(tag: string, paths: readonly string[], limit: number): string {
  if (paths.length === 0) return '';
  const named = paths.slice(0, limit).map(inOneLine);
  const more = paths.length > limit ? [`… (${paths.length - limit} more files omitted)`] : [];
  return tagBlock(tag, [...named, ...more]);
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string' && item !== '') : [];
}

function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
