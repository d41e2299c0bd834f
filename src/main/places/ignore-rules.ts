import { join, relative, sep } from 'node:path';
import type { Ignore } from 'ignore';
import ignore from 'ignore';
import { type GuardSync, readRegularSync } from './safe-open';
import { MAX_IGNORE_FILE_BYTES, MAX_IGNORE_RULES } from '@shared/limits';

/** Whether git ignores a folder or one above it, by every .gitignore from `root` down; a folder of `root`. Blocks: for a worker. */
export function isIgnoredFolder(folder: string, root: string, guard?: GuardSync): boolean {
  const rules = new IgnoreRules(guard);
  let at = root;
  for (const name of relative(root, folder).split(sep)) {
    rules.enter(at);
    at = join(at, name);
    if (rules.isIgnored(at, true)) return true;
  }
  return false;
}

/** The .gitignore files of the folders that a walk is in. */
export class IgnoreRules {
  private readonly levels: { folder: string; rules: Ignore; count: number }[] = [];
  private count = 0;

  constructor(private readonly guard?: GuardSync) {}

  /** False if the folder has no .gitignore that counts: regular, at most 1 MiB, and not too many rules with those above. */
  enter(folder: string): boolean {
    const bytes = readRegularSync(join(folder, '.gitignore'), MAX_IGNORE_FILE_BYTES, this.guard);
    if (!bytes) return false;
    const text = bytes.toString('utf8');
    const count = text.split('\n').length;
    if (this.count + count > MAX_IGNORE_RULES) return false;
    this.count += count;
    this.levels.push({ folder, rules: ignore({ allowRelativePaths: true }).add(text), count });
    return true;
  }

  leave(): void {
    this.count -= this.levels.pop()?.count ?? 0;
  }

  /** The deepest .gitignore that has an opinion decides, as in git. */
  isIgnored(path: string, isFolder: boolean): boolean {
    for (let at = this.levels.length - 1; at >= 0; at -= 1) {
      const level = this.levels[at];
      if (!level) break;
      const start = level.folder.endsWith(sep) ? level.folder.length : level.folder.length + 1;
      const name = path.slice(start).split(sep).join('/');
      const { ignored, unignored } = level.rules.test(isFolder ? `${name}/` : name);
      if (ignored || unignored) return ignored;
    }
    return false;
  }
}
