import { readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { MAX_WALK_FILES } from '@shared/limits';
import { fdir } from 'fdir';
import ignore, { type Ignore } from 'ignore';

export interface WalkResult {
  /** Paths below the root with `/`, sorted; folders end in `/`. */
  paths: string[];
  /** The walk ended at its cap: there is more. */
  isCut: boolean;
}

interface IgnoreLevel {
  folder: string;
  rules: Ignore;
}

/**
 * All names below a real folder that git would not ignore (every .gitignore from `workspaceRoot` down counts; `.git` is
 * never entered), without following links. Cost: O(names), in the thread pool. Rejects when `signal` aborts.
 */
export async function walk(
  root: string,
  workspaceRoot: string,
  allows: (path: string) => boolean,
  withFolders: boolean,
  signal?: AbortSignal,
): Promise<WalkResult> {
  const ignores = new IgnoreRules(root, workspaceRoot);
  const clean = (path: string): string => (path.length > 1 && path.endsWith(sep) ? path.slice(0, -1) : path);
  const isWanted = (path: string, isFolder: boolean): boolean => allows(path) && !ignores.isIgnored(path, isFolder);
  const crawler = new fdir()
    .withFullPaths()
    .withMaxFiles(MAX_WALK_FILES)
    .exclude((name, path) => {
      const folder = clean(path);
      if (name === '.git' || !isWanted(folder, true)) return true;
      ignores.enter(folder);
      return false;
    })
    .filter((path, isFolder) => clean(path) !== root && (isFolder || isWanted(path, false)));
  if (withFolders) crawler.withDirs();
  if (signal) crawler.withAbortSignal(signal);
  const found = await crawler.crawl(root).withPromise();
  signal?.throwIfAborted();
  const paths = found.map((path) => relative(root, clean(path)).split(sep).join('/') + (path.endsWith(sep) ? '/' : ''));
  return { paths: paths.sort(), isCut: found.length >= MAX_WALK_FILES };
}

class IgnoreRules {
  private readonly levels = new Map<string, IgnoreLevel>();

  constructor(root: string, workspaceRoot: string) {
    const below = relative(workspaceRoot, root);
    if (below.startsWith('..')) {
      this.enter(root);
      return;
    }
    let folder = workspaceRoot;
    this.enter(folder);
    for (const name of below.split(sep).filter((part) => part !== '')) {
      folder = join(folder, name);
      this.enter(folder);
    }
  }

  enter(folder: string): void {
    let text: string;
    try {
      text = readFileSync(join(folder, '.gitignore'), 'utf8');
    } catch {
      return;
    }
    this.levels.set(folder, { folder, rules: ignore({ allowRelativePaths: true }).add(text) });
  }

  /** The deepest .gitignore that has an opinion decides, as in git. */
  isIgnored(path: string, isFolder: boolean): boolean {
    for (let at = path.lastIndexOf(sep); at >= 0; at = path.lastIndexOf(sep, at - 1)) {
      const level = this.levels.get(path.slice(0, at) || sep);
      if (level) {
        const name = relative(level.folder, path).split(sep).join('/');
        const { ignored, unignored } = level.rules.test(isFolder ? `${name}/` : name);
        if (ignored || unignored) return ignored;
      }
      if (at === 0) break;
    }
    return false;
  }
}
