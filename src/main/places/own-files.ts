import { lstatSync, readdirSync, statSync, type Dirent, type Stats } from 'node:fs';
import { lstat, open, readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Mount, type MountKind, parseMounts } from './mounts';
import { fileIdentity, isAtOrBelow } from './protected-paths';
import { readAtMost } from './safe-open';

/** What the app's own folders hold, themselves included, by identity, as it was at a moment. */
export interface OwnFiles {
  /** Unix milliseconds before the listing began. */
  listedAt: number;
  ids: Set<string>;
  /** There are more than were listed: nothing is known of the others. */
  isCut: boolean;
}

/** More own files than this are not listed; what may be another name of one is then refused. */
const MAX_OWN_FILES = 500_000;

interface Look {
  path: string;
  isFolder: boolean;
}
interface Seen {
  stats?: Stats;
  entries?: Dirent[];
}

/** The listing as steps: each asks for a look at one path. Links are not followed, what is missing has none. */
function* listing(roots: readonly string[], except: readonly string[]): Generator<Look, OwnFiles, Seen> {
  const own: OwnFiles = { listedAt: Date.now(), ids: new Set(), isCut: false };
  const folders = [...roots];
  const done = new Set(except);
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    if (done.has(folder)) continue;
    done.add(folder);
    const { stats, entries = [] } = yield { path: folder, isFolder: true };
    if (stats) own.ids.add(fileIdentity(stats));
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      if (entry.isFile()) {
        const file = yield { path, isFolder: false };
        if (file.stats?.isFile()) own.ids.add(fileIdentity(file.stats));
      }
      if (own.ids.size + folders.length > MAX_OWN_FILES) return { ...own, isCut: true };
    }
  }
  return own;
}

/**
 * Lists the app's own files and folders with those of all nested folders, to recognise another name of one of them; those in `except`
 * are left out.
 */
export async function listOwnFiles(roots: readonly string[], except: readonly string[]): Promise<OwnFiles> {
  const steps = listing(roots, except);
  let step = steps.next();
  while (!step.done) {
    const { path, isFolder } = step.value;
    const stats = await (isFolder ? stat(path) : lstat(path)).catch(() => undefined);
    const entries = isFolder ? await readdir(path, { withFileTypes: true }).catch(() => []) : undefined;
    step = steps.next({ stats, entries });
  }
  return step.value;
}

/** The same where nothing can be waited for. Blocks, some 5 µs a file: for the worker. */
export function listOwnFilesSync(roots: readonly string[], except: readonly string[]): OwnFiles {
  const steps = listing(roots, except);
  let step = steps.next();
  while (!step.done) {
    const { path, isFolder } = step.value;
    const stats = (isFolder ? statSync : lstatSync)(path, { throwIfNoEntry: false });
    const entries = isFolder ? entriesOf(path) : undefined;
    step = steps.next({ stats, entries });
  }
  return step.value;
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/**
 * Whether something opened is one of the app's own under another name. `known` is an earlier listing: giving a file another
 * name moves the time of its last change of status, so a listing holds for everything whose status is older than it.
 */
export function isOwnFile(
  stats: { dev: number; ino: number; ctimeMs: number },
  known: OwnFiles,
): 'own' | 'other' | 'unknown' {
  if (known.ids.has(fileIdentity(stats))) return 'own';
  if (known.isCut) return 'own';
  // File systems keep times in steps: some of two seconds, those with fractions of a few milliseconds.
  const step = Number.isInteger(stats.ctimeMs / 1000) ? 2_500 : 50;
  return stats.ctimeMs < known.listedAt - step ? 'other' : 'unknown';
}

/**
 * What is mounted where. On Linux a file or folder of ours has another name only by a hard link, or where something of its disk is mounted a
 * second time; elsewhere a second mount has a device of its own.
 */
export class Mounts {
  private constructor(
    private readonly ids: ReadonlyMap<string, string>,
    private readonly own: ReadonlySet<string | undefined>,
    private readonly devices: ReadonlySet<number>,
    private readonly folders: ReadonlySet<string>,
    private readonly kinds: ReadonlyMap<string, MountKind>,
  ) {}

  /** `lent`: folders in our own that tools may use. What is mounted in them is not a mount of ours. */
  static async read(ownDirs: readonly string[], lent: readonly string[]): Promise<Mounts> {
    const [roots, open] = [await realPaths(ownDirs), await realPaths(lent)];
    const mounts = await readMounts(roots);
    // The last one at a point lies on top.
    const ids = new Map(mounts.map(({ at, id }) => [at, id]));
    const isIn = (point: string, dirs: string[]): boolean => dirs.some((dir) => isAtOrBelow(point, dir));
    const below = [...ids.keys()].filter((point) => isIn(point, roots) && !isIn(point, open));
    const found = await Promise.all([...roots, ...below].map((path) => stat(path).catch(() => undefined)));
    const own = new Set([...roots, ...below].map((path) => idOf(ids, path)));
    const there = found.filter((stats) => stats !== undefined);
    return new Mounts(
      ids,
      own,
      new Set(there.map(({ dev }) => dev)),
      new Set(there.map((stats) => fileIdentity(stats))),
      new Map(mounts.flatMap(({ id, kind }) => (kind === undefined ? [] : [[id, kind]]))),
    );
  }

  /** Whether it is one of our folders as such. */
  isOwn(stats: Stats): boolean {
    return this.folders.has(fileIdentity(stats));
  }

  /** Whether what is at a real path may be ours by another name: on a disk of ours, and reached through another mount. */
  mayBeOwn(path: string, device: number): boolean {
    return this.devices.has(device) && !this.own.has(idOf(this.ids, path));
  }

  /** What a real path lies on, if that is not a plain disk; seen from a folder on the same mount nothing is unknown, since that was agreed to. */
  kindOf(path: string, from: string): MountKind | undefined {
    const id = idOf(this.ids, path);
    const kind = id === undefined ? undefined : this.kinds.get(id);
    // Where our own folders lie is no other name of them.
    if (kind !== undefined && kind !== 'kernel' && this.own.has(id)) return undefined;
    return kind === 'unknown' && id === idOf(this.ids, from) ? undefined : kind;
  }

  /** The mount points below a folder that a walk from there does not enter. */
  closedBelow(folder: string): string[] {
    return [...this.ids.keys()].filter((at) => isAtOrBelow(at, folder) && this.kindOf(at, folder) !== undefined);
  }
}

function realPaths(paths: readonly string[]): Promise<string[]> {
  return Promise.all(paths.map((path) => realpath(path).catch(() => resolve(path))));
}

function idOf(ids: ReadonlyMap<string, string>, path: string): string | undefined {
  for (let at = path; ; at = dirname(at)) {
    const id = ids.get(at);
    if (id !== undefined || at === dirname(at)) return id;
  }
}

const MAX_MOUNTS_BYTES = 16 * 1024 * 1024;

/** Empty where the system does not say. */
async function readMounts(ownDirs: readonly string[]): Promise<Mount[]> {
  const handle = await open('/proc/self/mountinfo', 'r').catch(() => undefined);
  if (!handle) return [];
  try {
    return parseMounts((await readAtMost(handle, MAX_MOUNTS_BYTES))?.toString('utf8') ?? '', ownDirs);
  } finally {
    await handle.close();
  }
}
