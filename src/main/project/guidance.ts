import { lstat, readlink, realpath, stat, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { GuidanceRole } from '@shared/types';
import type { Guidance, GuidanceFile } from '../ports';
import { isIgnoredFolder } from '../places/ignore-rules';
import { fileIdentity, foldPath, isAtOrBelow } from '../places/protected-paths';
import { withFile } from '../places/safe-open';
import type { ResolvedPath, Workspace } from '../places/workspace';
import { PASSED_FOLDERS } from './passed-folders';

/** Enough for a long file of notes (about 8,000 tokens); more would crowd small windows. */
const MAX_GUIDANCE_BYTES = 32 * 1024;
/** In the order in which they are looked for; the first that says something counts. */
const GUIDANCE_NAMES = ['AGENTS.md', 'CLAUDE.md'] as const;
const FOLDED_NAMES = new Set(GUIDANCE_NAMES.map(foldPath));
/** As many as the system follows. */
const MOST_LINKS = 40;

/**
 * The project's AGENTS.md, else its CLAUDE.md, from the top of the workspace; null if there is none that can be read. A file like
 * any other there: regular, not refused to tools, and a link only where it ends inside. Bounded. Never rejects.
 */
export async function readGuidance(workspace: Workspace): Promise<Guidance | null> {
  for (const name of GUIDANCE_NAMES) {
    const found = await readOne(workspace, name).catch(() => null);
    if (found) return found;
  }
  return null;
}

/** Folders that are looked at for the files of one step. */
const MOST_NESTED = 64;

/**
 * The notes of the folders between the top of the workspace and these files, outermost first: each folder's AGENTS.md, else its CLAUDE.md
 * (EX21). Read as those at the top are; a folder that a link leads to is the one that it really is. What lies in a folder of dependencies,
 * or in one that git ignores, was not written by the people of the project. Never rejects.
 */
export async function readNestedGuidance(workspace: Workspace, files: readonly string[]): Promise<Guidance[]> {
  const root = await workspace.root().catch(() => null);
  if (root === null) return [];
  const folders = new Set<string>();
  for (const file of files) {
    const target = await workspace.resolve(file, 'read').catch(() => null);
    if (target?.location !== 'inside' || !isAtOrBelow(target.path, root)) continue;
    const first = target.stats?.isDirectory() ? target.path : dirname(target.path);
    if (!isOurs(workspace, root, first)) continue;
    for (let at = first; at !== root && isAtOrBelow(at, root); at = dirname(at)) folders.add(at);
  }
  const found: Guidance[] = [];
  const sorted = [...folders].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  for (const folder of sorted.slice(0, MOST_NESTED)) {
    for (const name of GUIDANCE_NAMES) {
      const guidance = await readOne(workspace, join(folder, name)).catch(() => null);
      if (!guidance) continue;
      found.push({ ...guidance, name: relative(root, join(folder, name)).split(sep).join('/') });
      break;
    }
  }
  return found;
}

function isOurs({ guardSync }: Workspace, root: string, folder: string): boolean {
  if (folder === root) return true;
  const names = relative(root, folder).split(sep);
  return !names.some((name) => PASSED_FOLDERS.has(foldPath(name))) && !isIgnoredFolder(folder, root, guardSync);
}

/** What is there under each name of guidance, and which of it `readGuidance` reads. Never rejects. */
export async function findGuidance(workspace: Workspace): Promise<GuidanceFile[]> {
  const root = await workspace.root().catch(() => null);
  if (root === null) return [];
  const files: GuidanceFile[] = [];
  for (const name of GUIDANCE_NAMES) {
    const stats = await lstat(join(root, name)).catch(() => null);
    if (!stats) continue;
    const target = stats.isSymbolicLink() ? await realpath(join(root, name)).catch(() => null) : undefined;
    const isFirst = !files.some(({ use }) => use === 'read');
    files.push({
      ...{ name, bytes: stats.size, isFile: stats.isFile(), target, version: await versionOf(join(root, name)) },
      ...(await useOf(workspace, name, isFirst)),
    });
  }
  return files;
}

/** What tells a file, or the one that a link leads to, from itself after a change of what it says. */
async function versionOf(path: string): Promise<string | null> {
  const stats = await stat(path, { bigint: true }).catch(() => null);
  return stats && [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ');
}

async function useOf(
  workspace: Workspace,
  name: string,
  isFirst: boolean,
): Promise<Pick<GuidanceFile, 'use' | 'refusal'>> {
  try {
    if (await readOne(workspace, name)) return { use: isFirst ? 'read' : 'second' };
    const { location, refusal, stats } = await workspace.resolve(name, 'read');
    if (location === 'outside') return { use: 'unread' };
    return { use: refusal === undefined && stats?.isFile() ? 'empty' : 'unread', refusal };
  } catch {
    return { use: 'unread' };
  }
}

/**
 * What a file inside the workspace is, or would be once it is written, to the guidance of this folder and of those below it: by its
 * name or the one it was asked for with, as loosely as any file system might read it, and by where a name of guidance leads (links, hard links, links to nothing yet). Undefined: nothing.
 */
export async function roleInGuidance(
  workspace: Workspace,
  target: Pick<ResolvedPath, 'path' | 'stats'>,
  asked: string,
): Promise<GuidanceRole | undefined> {
  if (await workspace.isScratch()) return undefined;
  const root = await workspace.root();
  for (const [index, name] of GUIDANCE_NAMES.entries()) {
    if (!(await leadsTo(join(root, name), target))) continue;
    const before = await Promise.all(GUIDANCE_NAMES.slice(0, index).map((first) => says(workspace, first)));
    return before.includes(true) ? 'other' : 'now';
  }
  if ([target.path, asked].some((path) => FOLDED_NAMES.has(foldPath(basename(path))))) return 'other';
  // A session may work in a folder below. Its guidance is followed only to what lies in it, so the folders around the file are all.
  for (let folder = dirname(target.path); isAtOrBelow(folder, root); folder = dirname(folder)) {
    for (const name of GUIDANCE_NAMES) if (await leadsTo(join(folder, name), target, true)) return 'other';
    if (folder === root) break;
  }
  return undefined;
}

async function says(workspace: Workspace, name: string): Promise<boolean> {
  return (await readOne(workspace, name).catch(() => null)) !== null;
}

/** Whether a path is, or leads to, the file or the place of one. `isLoose`: or to what some file system takes for it. */
async function leadsTo(path: string, target: Pick<ResolvedPath, 'path' | 'stats'>, isLoose = false): Promise<boolean> {
  const found = target.stats && (await stat(path).catch(() => undefined));
  if (target.stats && found && fileIdentity(found) === fileIdentity(target.stats)) return true;
  const end = await endOf(path, { links: MOST_LINKS });
  return end !== null && (end === target.path || (isLoose && foldPath(end) === foldPath(target.path)));
}

/** Where a path leads, also if nothing is there yet; null for links in a circle, and for more of them than the system follows. */
async function endOf(path: string, left: { links: number }): Promise<string | null> {
  const real = await realpath(path).catch(() => undefined);
  if (real !== undefined || path === dirname(path)) return real ?? path;
  const folder = await endOf(dirname(path), left);
  if (folder === null) return null;
  const link = await readlink(join(folder, basename(path))).catch(() => undefined);
  if (link === undefined) return join(folder, basename(path));
  left.links -= 1;
  return left.links < 0 ? null : endOf(resolve(folder, link), left);
}

async function readOne(workspace: Workspace, name: string): Promise<Guidance | null> {
  const target = await workspace.resolve(name, 'read');
  if (target.location !== 'inside' || target.refusal !== undefined || !target.stats?.isFile()) return null;
  const work = async (handle: FileHandle, { size }: { size: number }): Promise<Guidance | null> => {
    const buffer = Buffer.alloc(Math.min(size, MAX_GUIDANCE_BYTES));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    const text = new TextDecoder().decode(buffer.subarray(0, bytesRead), { stream: true }).trim();
    if (text === '') return null;
    const rest = size - buffer.length;
    const content = escapeEnd(
      rest > 0 ? `${text}\n[… ${rest} more ${rest === 1 ? 'byte' : 'bytes'} in the file]` : text,
    );
    return { name, content, path: target.shown, bytes: size, isCut: rest > 0 };
  };
  return withFile(target.path, work, workspace.guard);
}

/** What a reader does not see, between the signs of a tag. */
const UNSEEN = String.raw`[\p{Z}\p{C}\p{Default_Ignorable_Code_Point}]*`;
const END = new RegExp(`<(?=${UNSEEN}/?${UNSEEN}${[...'project-notes'].join(UNSEEN)})`, 'giu');

/** The file must not close its own section of the prompt (IN12), nor seem to. */
function escapeEnd(content: string): string {
  return content.replace(END, '&lt;');
}
