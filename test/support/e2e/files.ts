import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Every file under `folder`, also of folders in it. */
function filesUnder(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory()) return filesUnder(path);
    return found?.isFile() ? [path] : [];
  });
}

/** The files under `folder` that hold `text` in UTF-8 or UTF-16 (as LevelDB and V8 store strings). */
export function filesHolding(folder: string, text: string): string[] {
  const wanted = [Buffer.from(text, 'utf8'), Buffer.from(text, 'utf16le')];
  return filesUnder(folder).filter((path) => {
    const bytes = readFileSync(path);
    return wanted.some((pattern) => bytes.includes(pattern));
  });
}

/**
 * What the app tells of a machine that stands still for ten seconds: true there, and no fault of the app. Where CI runs, the machine may be
 * one of these (docs/decisions/0015-second-try.md).
 */
const OF_THE_MACHINE = [
  /The app did not end within 15 s after it was quit, and was ended from outside\. Threads at work: $/,
  /That quit stood at: ending the process\. What was told to be saved is on the disk\.$/,
  /The window's database: (blocked\. DatabaseTimeout|ok)/,
];

/** The lines of the app's own log above the level `info`. */
export function loggedProblems(home: string): string[] {
  return filesUnder(join(home, 'logs'))
    .flatMap((path) => readFileSync(path, 'utf8').split('\n'))
    .filter((line) => /\[(warn|error)\]/i.test(line))
    .filter((line) => !process.env.CI || !OF_THE_MACHINE.some((words) => words.test(line)));
}

/** The text of all journals. */
export function journals(home: string): string {
  return filesUnder(join(home, 'sessions'))
    .filter((path) => path.endsWith('.jsonl'))
    .map((path) => readFileSync(path, 'utf8'))
    .join('');
}
