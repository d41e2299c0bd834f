import { dirname, join } from 'node:path';
import { readRegularSync } from '../../own-files/read-regular';
import type { WireFacts } from './wire';

/** Of a file that names a branch. */
const MAX_HEAD_BYTES = 10_000;

/** What a footer is told besides (EX24): the branch of git, and what was set with `setStatus`. */
export function footerData(facts: () => WireFacts, statuses: ReadonlyMap<string, string>): object {
  return {
    getGitBranch: () => gitBranch(facts().cwd),
    getExtensionStatuses: () => new Map(statuses),
    getAvailableProviderCount: () => 1,
    // It is drawn again with each change of the session.
    onBranchChange: () => () => undefined,
  };
}

function gitBranch(folder: string): string | null {
  for (let at = folder; ; at = dirname(at)) {
    const head = read(join(at, '.git', 'HEAD'));
    if (head !== null) return /^ref: refs\/heads\/(.{1,200})$/m.exec(head)?.[1] ?? 'detached';
    if (dirname(at) === at) return null;
  }
}

function read(file: string): string | null {
  try {
    return readRegularSync(file, MAX_HEAD_BYTES);
  } catch {
    return null;
  }
}
