import type { Stats } from 'node:fs';
import { lstat, readlink, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { MAX_PATH_CHARS } from '@shared/limits';
import { identify, isSameFolder, type FolderIdentity } from './folder';
import type { MountKind } from './mounts';
import { isOwnFile, listOwnFiles, listOwnFilesSync, Mounts, type OwnFiles } from './own-files';
import { belongsToSystem, foldPath, isAtOrBelow, refusalByName } from './protected-paths';

export type PathUse = 'read' | 'change';

/** A path after all links: what would really be opened. */
export interface ResolvedPath {
  /** Absolute, without symbolic links (the deepest existing parent is real, the rest does not exist). */
  path: string;
  /** For people and the model: relative to the workspace inside it, absolute outside. */
  shown: string;
  location: 'inside' | 'outside';
  /** It counts as outside because of what is mounted there (docs/specs/safety.md B5). */
  isOnUnknownMount?: boolean;
  /** Absent if nothing is there. */
  stats?: Stats;
  /** Set if it may not be touched: the sentence that says why. Outside it says no more than the path as it was given. */
  refusal?: string;
  /**
   * Set if no file can be meant (links that lead nowhere, a file as a folder, no permission): the sentence that says why. It tells
   * something of what is there, so it is for those who may read there; `path` is then as it was asked for.
   */
  failure?: string;
}

/** Where tools work, and what of it is not theirs. Plain data: it crosses to the worker with each call. */
export interface ToolPlace {
  workspaceDir: string;
  /** The folder that was shown: another one at the path of the workspace is not worked in. */
  folder?: FolderIdentity;
  dataDir: string;
  /** The browser profile where it lies elsewhere than in dataDir: the app's own as well. */
  profileDir?: string;
  /** Where dataDir was before: the app's own as well. */
  formerDirs?: readonly string[];
  /** Folders inside dataDir that may be read like the workspace (this session's full outputs). */
  readableDirs?: readonly string[];
  /** Paths (absolute, `~/…`, or relative to the workspace) that no tool may touch, with everything below them. */
  deniedPaths: readonly string[];
  homeDir?: string;
}

/** Scratch workspaces of the app live here; the rest of dataDir is the app's own. */
const SCRATCH_FOLDER = 'workspaces';

/**
 * Decides where a path really leads (QC4). Order: text → real path of the deepest existing parent → what is
 * there. "Inside" is compared exactly; refusals are compared as loosely as any file system might, so a doubt asks or refuses.
 */
export class Workspace {
  private readonly homeDir: string;
  private readonly ownDirs: readonly string[];
  private listed: OwnFiles | undefined;
  private mounted: Promise<Mounts> | undefined;
  /** Once something was resolved. */
  private mounts: Mounts | undefined;

  constructor(private readonly options: ToolPlace) {
    this.homeDir = options.homeDir ?? homedir();
    const { dataDir, profileDir, formerDirs = [] } = options;
    this.ownDirs = [dataDir, ...(profileDir === undefined ? [] : [profileDir]), ...formerDirs];
  }

  /** The real path of the workspace. Throws with a plain message if the folder is gone, or another one stands in its place. */
  async root(): Promise<string> {
    const { workspaceDir, folder } = this.options;
    // Missing, unreadable and "not a folder" need the same answer.
    const found = await identify(workspaceDir);
    if (!found)
      throw new Error(`The workspace folder ${workspaceDir} no longer exists. Choose another folder for this session.`);
    if (folder && !isSameFolder(folder, found)) throw new Error(OTHER_FOLDER);
    return found.path;
  }

  /** Whether it is one of the app's own workspaces, or lies in one. */
  async isScratch(): Promise<boolean> {
    const root = await this.root();
    return (await this.ownRoots()).some((own) => this.isInScratch(root, root, own));
  }

  /** Resolves what a tool was given. Throws with a plain message for a text that is not a path; never follows the last step blindly. */
  async resolve(input: string, use: PathUse): Promise<ResolvedPath> {
    const root = await this.root();
    await this.lookAtMounts();
    const asked = this.expand(input, root);
    const target = await realTarget(asked, input);
    if ('failure' in target) return this.resolveFailed(asked, root, use, target.failure);
    const { path } = target;
    const kind = this.mounts?.kindOf(path, root);
    const isBelow = isAtOrBelow(path, root);
    const isInside = isBelow && kind !== 'unknown';
    const location = isInside || (use === 'read' && (await this.isReadable(path))) ? 'inside' : 'outside';
    const stats = await lstat(path).catch(() => undefined);
    const byText = await this.refuseText(asked, root, use);
    const found =
      refusalByName(path, use === 'change') ??
      refusalByMount(path, kind) ??
      (await this.refuse(path, root, stats, use));
    const refusal = byText ?? (found !== undefined && location === 'outside' ? notForTools(input) : found);
    const isOnUnknownMount = isBelow && location === 'outside';
    return { path, shown: shownIn(root, path), location, isOnUnknownMount, stats, refusal };
  }

  private async resolveFailed(asked: string, root: string, use: PathUse, failure: string): Promise<ResolvedPath> {
    const passed = await pathsInside(asked, root);
    // It need not get as far as a path that works to tell of what is mounted there: where a link leads is told by the mount that it lies on.
    const isOnUnknownMount = passed?.some((path) => this.mounts?.kindOf(path, root) === 'unknown') === true;
    const location = passed !== null && !isOnUnknownMount ? 'inside' : 'outside';
    const refusal = await this.refuseText(asked, root, use);
    return { path: asked, shown: shownIn(root, asked), location, isOnUnknownMount, refusal, failure };
  }

  /** Why a path may not be touched by the text it was asked for with: to say so tells nothing of what is there. */
  private async refuseText(asked: string, root: string, use: PathUse): Promise<string | undefined> {
    const refusal = refusalByName(asked, use === 'change') ?? (await this.refuseDenied(asked, root));
    if (refusal !== undefined || (use === 'read' && (await this.isReadable(asked)))) return refusal;
    return (await this.isOwnByName(asked, root)) === true ? ownData(asked) : undefined;
  }

  /** Whether a walk may enter or show this real path below an allowed folder. */
  async walkFilter(root: string): Promise<(path: string) => boolean> {
    const workspaceRoot = await this.root();
    await this.lookAtMounts();
    const denied = await this.deniedRoots(workspaceRoot);
    const own = (await this.isReadable(root)) ? [] : await this.ownRoots();
    const closed = this.mounts?.closedBelow(root) ?? [];
    return (path) => {
      if (refusalByName(path, false) !== undefined || closed.some((at) => isAtOrBelow(path, at))) return false;
      const folded = foldPath(path);
      if (denied.some((entry) => isAtOrBelow(folded, entry))) return false;
      return (
        isAtOrBelow(path, root) &&
        !own.some((entry) => isAtOrBelow(folded, entry) && !this.isInScratch(path, workspaceRoot, entry))
      );
    };
  }

  /**
   * Refuses, by throwing, a file or folder that was opened at a real path and is one of the app's own under another name: with a path
   * a check comes before the open, and the name may be given in between. pnpm and git link files a lot, so links as such are no reason.
   */
  readonly guard = async (stats: Stats, path: string): Promise<void> => {
    if (await this.isOtherName(stats, path)) throw new Error(OTHER_NAME);
  };

  /** The same for a walk, where nothing can be waited for. Blocks: for the worker. */
  readonly guardSync = (stats: Stats, path: string): void => {
    const isOwn = this.asListed(stats, path) ?? this.isOwnBy(stats, listOwnFilesSync(this.ownDirs, this.scratchDirs));
    if (isOwn) throw new Error(OTHER_NAME);
  };

  private async isOtherName(stats: Stats, path: string): Promise<boolean> {
    return this.asListed(stats, path) ?? this.isOwnBy(stats, await listOwnFiles(this.ownDirs, this.scratchDirs));
  }

  /** Undefined: only a new listing can tell. */
  private asListed(stats: Stats, path: string): boolean | undefined {
    if (this.mounts?.isOwn(stats) === true) return true;
    const isLinked = stats.isFile() && stats.nlink > 1;
    if (!isLinked && this.mounts?.mayBeOwn(path, stats.dev) !== true) return false;
    const known = this.listed && isOwnFile(stats, this.listed);
    return known === undefined || known === 'unknown' ? undefined : known === 'own';
  }

  private isOwnBy(stats: Stats, listed: OwnFiles): boolean {
    this.listed = listed;
    return isOwnFile(stats, listed) === 'own';
  }

  private async lookAtMounts(): Promise<void> {
    this.mounted ??= Mounts.read(this.ownDirs, [...this.scratchDirs, ...(this.options.readableDirs ?? [])]);
    this.mounts = await this.mounted;
  }

  private get scratchDirs(): string[] {
    return [join(this.options.dataDir, SCRATCH_FOLDER)];
  }

  private expand(input: string, root: string): string {
    if (input === '') throw new Error('The path is empty.');
    if (input.length > MAX_PATH_CHARS) throw new Error(`The path is longer than ${MAX_PATH_CHARS} characters.`);
    if (input.includes('\0')) throw new Error('The path contains a NUL character.');
    // The file would get another name than the one that was shown.
    if (/\p{Cs}/u.test(input)) throw new Error('The path contains half a character (a lone surrogate).');
    if (input === '~') return this.homeDir;
    if (input.startsWith('~/')) return resolve(this.homeDir, input.slice(2));
    return resolve(root, input);
  }

  private async refuse(
    path: string,
    root: string,
    stats: Stats | undefined,
    use: PathUse,
  ): Promise<string | undefined> {
    if (stats?.isSymbolicLink()) return `${path} changed while it was looked at. Try again.`;
    if (stats && !stats.isFile() && !stats.isDirectory()) {
      return `${path} is a device, pipe or socket, not a file; tools do not open it.`;
    }
    const denied = await this.refuseDenied(path, root);
    if (denied !== undefined) return denied;
    return (await this.isOwn(path, root, stats, use)) ? ownData(path) : undefined;
  }

  private async refuseDenied(path: string, root: string): Promise<string | undefined> {
    const folded = foldPath(path);
    const denied = await this.deniedRoots(root);
    return denied.some((entry) => isAtOrBelow(folded, entry))
      ? `${path} is in the list of denied paths in Settings.`
      : undefined;
  }

  private async isOwn(path: string, root: string, stats: Stats | undefined, use: PathUse): Promise<boolean> {
    if (use === 'read' && (await this.isReadable(path))) return false;
    if ((await this.isOwnByName(path, root)) === true) return true;
    // What lies below one of our folders is ours, new files too: whatever name led to it.
    const scratch = (await this.ownRoots()).map((dir) => `${dir}/${SCRATCH_FOLDER}`);
    for (let at = path, found = stats; ; at = dirname(at), found = await stat(at).catch(() => undefined)) {
      if (scratch.includes(foldPath(at))) return false;
      if (found && (await this.isOtherName(found, at))) return true;
      if (at === dirname(at)) return false;
    }
  }

  /** Undefined: it has no name in the app's folders. */
  private async isOwnByName(path: string, root: string): Promise<boolean | undefined> {
    const folded = foldPath(path);
    const own = (await this.ownRoots()).find((dir) => isAtOrBelow(folded, dir));
    return own === undefined ? undefined : !this.isInScratch(path, root, own);
  }

  /** A workspace that lies in dataDir/workspaces is a scratch workspace of the app and usable. */
  private isInScratch(path: string, root: string, foldedOwn: string): boolean {
    return isAtOrBelow(foldPath(root), `${foldedOwn}/${SCRATCH_FOLDER}`) && isAtOrBelow(path, root);
  }

  private async ownRoots(): Promise<string[]> {
    const paths = await Promise.all(
      this.ownDirs.map(async (dir) => [resolve(dir), await realpath(dir).catch(() => resolve(dir))]),
    );
    return [...new Set(paths.flat().map(foldPath))];
  }

  private async isReadable(path: string): Promise<boolean> {
    for (const dir of this.options.readableDirs ?? []) {
      const real = await realpath(dir).catch(() => undefined);
      if (real !== undefined && isAtOrBelow(path, real)) return true;
    }
    return false;
  }

  private async deniedRoots(root: string): Promise<string[]> {
    const texts = this.options.deniedPaths.filter((text) => text.trim() !== '' && !text.includes('\0'));
    const roots = texts.map((text) => this.expand(text.trim(), root));
    const real = await Promise.all(roots.map((path) => realpath(path).catch(() => path)));
    return [...new Set([...roots, ...real].map(foldPath))];
  }
}

function shownIn(root: string, path: string): string {
  const shown = isAtOrBelow(path, root) ? relative(root, path) || '.' : path;
  return shown.split(sep).join('/');
}

/** What stands at the path of the workspace is not what a call was looked at in. */
export const OTHER_FOLDER = 'The folder is not the one that was shown. Nothing was done.';
const OTHER_NAME = "This is another name of one of Espalier's own files; tools do not touch it.";

function refusalByMount(path: string, kind: MountKind | undefined): string | undefined {
  if (kind === 'kernel') return belongsToSystem(path);
  return kind === 'own' ? ownData(path) : undefined;
}

function ownData(path: string): string {
  return `${path} is Espalier's own data (settings, keys, sessions); tools do not touch it.`;
}

/** What is outside is not described before the person has allowed it to be read: not where a link leads, not what is there. */
function notForTools(input: string): string {
  return `${input} is not for tools: it leads to something of the system, of git or of Espalier, to a device, or to a denied path.`;
}

/**
 * The real paths of the links and of the end that the system comes to, following `asked` as far as it goes; null if it leaves the real folder
 * `root` on the way. For paths that lead nowhere: why they do is known inside, and a secret of what lies outside.
 */
async function pathsInside(asked: string, root: string): Promise<string[] | null> {
  const passed: string[] = [];
  /** Names behind `at` that the system does not get to. */
  const rest: string[] = [];
  let at = asked;
  while (passed.length < MOST_LINKS) {
    const real = await realpath(at).catch(() => undefined);
    if (real !== undefined) return isAtOrBelow(real, root) ? [...passed, join(real, ...rest)] : null;
    if (at === dirname(at)) return null;
    const link = await readlink(at).catch(() => undefined);
    if (link === undefined) {
      rest.unshift(basename(at));
      at = dirname(at);
      continue;
    }
    const folder = await realpath(dirname(at)).catch(() => undefined);
    if (folder === undefined || !isAtOrBelow(folder, root) || goesUpLater(link)) return null;
    passed.push(join(folder, basename(at)));
    at = resolve(folder, link);
  }
  // A circle, every link of which lies inside.
  return passed;
}

/** The system gives up after so many. */
const MOST_LINKS = 40;

/** `a/..` in a link is not where it stands if `a` is a link itself. */
function goesUpLater(link: string): boolean {
  const parts = link.split('/').filter((part) => part !== '' && part !== '.');
  return parts.some((part, index) => part === '..' && index > 0 && parts[index - 1] !== '..');
}

/**
 * The real path of what exists plus the names that do not exist yet. Fails for dangling links (where a write would land
 * is not what the path says), loops and parents that are files.
 */
async function realTarget(asked: string, input: string): Promise<{ path: string } | { failure: string }> {
  const missing: string[] = [];
  for (let at = asked; ; at = dirname(at)) {
    try {
      return { path: join(await realpath(at), ...missing) };
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code !== 'ENOENT') return { failure: explainPathError(input, code) };
      const target = await readlink(at).catch(() => undefined);
      if (target !== undefined)
        return { failure: `${input} goes through a symbolic link to ${target}, which does not exist.` };
      if (at === dirname(at)) return { failure: `${input} does not exist.` };
      missing.unshift(basename(at));
    }
  }
}

function explainPathError(input: string, code: string | undefined): string {
  switch (code) {
    case 'ELOOP':
      return `${input} goes through symbolic links that lead in a circle.`;
    case 'ENOTDIR':
      return `${input} treats a file as a folder.`;
    case 'EACCES':
    case 'EPERM':
      return `${input} cannot be reached: permission denied.`;
    case 'ENAMETOOLONG':
      return `${input} has a name that is too long.`;
    default:
      return `${input} cannot be resolved (${code ?? 'unknown error'}).`;
  }
}
