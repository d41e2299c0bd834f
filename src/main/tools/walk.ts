import type { Dirent } from 'node:fs';
import { join, sep } from 'node:path';
import { IgnoreRules } from '../places/ignore-rules';
import { type GuardSync, listFolderSync } from '../places/safe-open';
import type { ResolvedPath, Workspace } from '../places/workspace';
import { exactPlace, type FailedInspection, type Inspection } from './gated-tool';
import { MAX_WALK_FILES } from '@shared/limits';
import type { ExactContent } from '@shared/policy/approval';

interface WalkOptions {
  /** A real folder. */
  root: string;
  /** Every .gitignore from this folder down counts; null: none does. */
  ignoresFrom: string | null;
  /** Whether a path may be entered or given. */
  allows?: (path: string) => boolean;
  /** Names of folders that are passed over; always `.git`. */
  passes?: ReadonlySet<string>;
  withFolders?: boolean;
  maxNames?: number;
  maxDepth?: number;
  /** Refuses a file or folder that was opened by throwing. */
  guard?: GuardSync;
}

/** What a walk says when it has ended. */
interface WalkEnd {
  /** The walk ended at a cap: there is more. */
  isCut: boolean;
}

interface Frame {
  /** The real folder. */
  folder: string;
  /** Its path below the root, with `/` at the end; empty for the root. */
  below: string;
  entries: Dirent[];
  next: number;
  hasRules: boolean;
}

/**
 * All names below a real folder that git would not ignore, sorted, with `/` between them; folders end in `/`. `.git` is
 * never entered and no link is followed, also none put in the place of a folder meanwhile. Synchronous, for the worker:
 * with asynchronous calls a walk would take the few threads that the journal's writes need.
 */
export function* walk(options: WalkOptions): Generator<string, WalkEnd> {
  const { root, allows = () => true, withFolders = false, maxNames = MAX_WALK_FILES, maxDepth = Infinity } = options;
  const ignores = new IgnoreRules(options.guard);
  let isCut = false;
  let given = 0;
  const enter = (folder: string, below: string): Frame => {
    const hasRules = options.ignoresFrom !== null && ignores.enter(folder);
    const listed = listFolderSync(folder, MAX_WALK_FILES, options.guard);
    isCut ||= listed.isCut;
    return { folder, below, entries: sortEntries(listed.entries), next: 0, hasRules };
  };
  if (options.ignoresFrom !== null) for (const folder of foldersAbove(root, options.ignoresFrom)) ignores.enter(folder);
  const stack = [enter(root, '')];
  for (let frame = stack.at(-1); frame; frame = stack.at(-1)) {
    const entry = frame.entries[frame.next];
    frame.next += 1;
    if (!entry) {
      if (frame.hasRules) ignores.leave();
      stack.pop();
      continue;
    }
    const isFolder = entry.isDirectory();
    const path = join(frame.folder, entry.name);
    if (isFolder && (entry.name === '.git' || options.passes?.has(entry.name))) continue;
    if (!allows(path) || ignores.isIgnored(path, isFolder)) continue;
    const below = `${frame.below}${entry.name}${isFolder ? '/' : ''}`;
    if (!isFolder || withFolders) {
      if (given === maxNames) return { isCut: true };
      given += 1;
      yield below;
    }
    if (isFolder && stack.length < maxDepth) {
      try {
        stack.push(enter(path, below));
      } catch {
        // Gone, swapped or not readable: there is nothing to show of it.
      }
    }
  }
  return { isCut };
}

/** In the order of the whole paths: a folder sorts with its slash. */
function sortEntries(entries: Dirent[]): Dirent[] {
  const key = (entry: Dirent): string => (entry.isDirectory() ? `${entry.name}/` : entry.name);
  return entries.sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** The folders from `top` down to the one above `root`; none if `root` is not below `top`. */
function foldersAbove(root: string, top: string): string[] {
  if (!root.startsWith(top.endsWith(sep) ? top : top + sep)) return [];
  const folders = [top];
  const names = root.slice(top.length).split(sep).filter((name) => name !== ''); // prettier-ignore
  for (const name of names.slice(0, -1)) folders.push(join(folders.at(-1) ?? top, name));
  return folders;
}

/** What grep, find and ls ask about: the folder or file they look at. */
export async function inspectTarget<TPlan>(
  workspace: Workspace,
  path: string | undefined,
  plan: (target: ResolvedPath) => TPlan,
): Promise<Inspection<TPlan> | FailedInspection> {
  const target = await workspace.resolve(path ?? '.', 'read');
  const { location, isOnUnknownMount, refusal } = target;
  const exact: ExactContent = { kind: 'path', path: target.path, ...exactPlace(target) };
  const failure = target.failure ?? (target.stats ? undefined : `${target.shown} does not exist.`);
  if (failure !== undefined) return { location, isOnUnknownMount, refusal, exact, scopes: {}, failure };
  return { location, isOnUnknownMount, refusal, exact, scopes: {}, plan: plan(target) };
}

/** Names below a target that tools may show. */
export async function walkTarget(
  workspace: Workspace,
  target: ResolvedPath,
  withFolders: boolean,
): Promise<Generator<string, WalkEnd>> {
  const allows = await workspace.walkFilter(target.path);
  const ignoresFrom = await workspace.root();
  return walk({ root: target.path, ignoresFrom, allows, withFolders, guard: workspace.guardSync });
}

/** Result lines up to which each change is told at once: what follows may be the file that never ends. */
const EAGER_COUNT = 100;
const INTERVAL_MS = 50;

/** How often work tells what it has so far: at once while it is little, then every 50 ms. */
export class Pace {
  private last = 0;

  isDue(count: number): boolean {
    const now = performance.now();
    if (count > EAGER_COUNT && now - this.last < INTERVAL_MS) return false;
    this.last = now;
    return true;
  }
}
