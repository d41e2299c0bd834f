import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { identify, type FolderIdentity } from '../trust/folder';
import { findProgram, systemPath } from './programs';

/**
 * How a shell finds out in which folder it stands, by what that is and not by its path: the system's own `stat`, in a way that was seen to give what
 * we know by ourselves.
 */
interface FolderCheck {
  file: string;
  /** Device and number; with the time of birth. */
  plain: Way;
  withBirth?: Way;
}
type Way = readonly [option: string, format: string];

const run = promisify(execFile);
const PROBE_MS = 2_000;
/** GNU and busybox, then BSD. */
const PLAIN: readonly Way[] = [
  ['-c', '%d:%i'],
  ['-f', '%d:%i'],
];
const WITH_BIRTH: readonly Way[] = [['-c', '%d:%i %.9W']];

let known: Promise<FolderCheck | null> | undefined;

/**
 * What a shell is to be told to refuse any other folder than one: what the check has to say, the program, its option and its format; all empty where the
 * system has no such program. `own`: a folder of ours to try it with, once.
 */
export async function folderCheck(folder: FolderIdentity | undefined, own: string): Promise<string[]> {
  const check = folder?.dev === undefined ? null : await (known ??= probe(own).catch(() => null));
  if (!folder || !check) return ['', '', '', ''];
  const way = folder.born === undefined ? check.plain : (check.withBirth ?? check.plain);
  return [wordsOf(folder, way === check.withBirth), check.file, ...way];
}

async function probe(own: string): Promise<FolderCheck | null> {
  const [program, folder] = [await findProgram('stat', null, systemPath()), await identify(own)];
  if (!program || folder?.dev === undefined) return null;
  const first = async (ways: readonly Way[], words: string): Promise<Way | undefined> => {
    for (const way of ways) {
      const said = await run(program.file, [...way, folder.path], { timeout: PROBE_MS, env: {} }).catch(
        () => undefined,
      );
      if (said?.stdout.trim() === words) return way;
    }
    return undefined;
  };
  const plain = await first(PLAIN, wordsOf(folder, false));
  const withBirth = folder.born === undefined ? undefined : await first(WITH_BIRTH, wordsOf(folder, true));
  return plain ? { file: program.file, plain, withBirth } : null;
}

function wordsOf({ dev, ino, born = '' }: FolderIdentity, withBirth: boolean): string {
  const digits = born.padStart(10, '0');
  return withBirth ? `${dev}:${ino} ${digits.slice(0, -9)}.${digits.slice(-9)}` : `${dev}:${ino}`;
}
