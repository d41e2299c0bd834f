import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';

const root = fileURLToPath(new URL('../../', import.meta.url));
const READ = /\.(ts|tsx|mts|mjs|js|cjs|css|html|md)$/;
/** What a recording made says what it said then. */
const SKIPPED = /^test\/(fixtures|results)\//;

export interface SourceFile {
  path: string;
  text: string;
}

export function filesUnder(...folders: string[]): SourceFile[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && READ.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => file.slice(root.length).replaceAll('\\', '/'))
      .filter((path) => !SKIPPED.test(path))
      .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') })),
  );
}

/** The ids that a file of the law defines. Those of safety.md, one letter and a number, are `safety A1`. */
export function definedIn({ path, text }: SourceFile): string[] {
  if (path.endsWith('/safety.md')) return [...text.matchAll(/^#+ ([A-F]\d+) /gm)].map(([, id]) => `safety ${id}`);
  return [...text.matchAll(/^\s*(?:\| |- |\d+\. )?\*\*([A-Z]{2}\d+)\*\*/gm)].map(([, id = '']) => id);
}

/** The ids that a list of the law names, a line each: `- TG2: why`. */
export function listedIn({ text }: SourceFile): Map<string, string> {
  return new Map(
    [...text.matchAll(/^- ((?:safety )?[A-Z]{1,2}\d+): (.*)/gm)].map(([, id = '', why = '']) => [id, why]),
  );
}

const SAFETY = '[A-F]\\d{1,2}';
const SAFETY_LIST = `(${SAFETY}(?:(?:, | and )${SAFETY})*)\\b`;
/** In words, and as the beginning of a test's title. */
const SAFETY_CITED = [new RegExp(`\\bsafety(?:\\.md)?(?:\\]\\([^)]*\\))?,? ${SAFETY_LIST}`, 'g')];
const SAFETY_TITLES = new RegExp(`[('"\`]${SAFETY_LIST}(?:, [A-Z]{2}\\d+)*: `, 'g');

/** The ids that a text cites; `TR1 to TR5` cites five. */
export function citedIn({ path, text }: SourceFile, prefixes: readonly string[]): Set<string> {
  const cited = new Set<string>();
  const id = `(${prefixes.join('|')})(\\d+)`;
  for (const [, prefix, first, last] of text.matchAll(
    new RegExp(`\\b${id}\\b(?: (?:to|through) \\1(\\d+)\\b)?`, 'g'),
  )) {
    for (let number = Number(first); number <= Number(last ?? first); number++) cited.add(`${prefix}${number}`);
  }
  const patterns = path.startsWith('test/') ? [...SAFETY_CITED, SAFETY_TITLES] : SAFETY_CITED;
  for (const [, list = ''] of patterns.flatMap((pattern) => [...text.matchAll(pattern)])) {
    for (const [one] of list.matchAll(/[A-F]\d+/g)) cited.add(`safety ${one}`);
  }
  return cited;
}
