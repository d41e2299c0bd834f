import { realpath } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { isFolder, packagesIn } from './package-files';
import { wordsOfFolder } from './read-words';
import type { WordFile, WordsAsk } from '@shared/words';

/** Where skills and templates come from besides their usual folders. */
export interface MorePlaces {
  /** npm projects of the person's own; models read their skills unasked. */
  own: readonly string[];
  /** Those of a trusted workspace. */
  packages: readonly string[];
  /** Files and folders that extensions of the session have named (`resources_discover`). */
  paths: readonly string[];
}

const MAX_PATHS = 100;

/** Skills or templates of packages, and of what extensions name (EX11, EX22). For the worker. Never rejects. */
export async function moreWords({ own, packages, paths }: MorePlaces, ask: WordsAsk): Promise<WordFile[]> {
  const kind = ask.kind === 'skills' ? 'skills' : 'prompts';
  const ofPackages = async (places: readonly string[], isOwn: boolean): Promise<WordFile[]> => {
    const found = await packagesIn(places);
    const words = found.map(async (each) =>
      (await Promise.all(each[kind].map((path) => wordsAt(path, ask)))).flat().map((word) => ({
        ...{ ...word, folder: `package ${each.name}`, shown: `${each.name}/${word.shown}` },
        ...(isOwn ? { isOwn: true as const } : {}),
      })),
    );
    return (await Promise.all(words)).flat();
  };
  const named = async (path: string): Promise<WordFile[]> =>
    (await wordsAt(path, ask)).map((word) => ({ ...word, folder: 'an extension', shown: word.path }));
  const all = await Promise.all([
    ofPackages(own, true),
    ofPackages(packages, false),
    ...paths.slice(0, MAX_PATHS).map(named),
  ]);
  return all.flat();
}

/** A folder of them, one skill's folder, or a single file. */
async function wordsAt(path: string, ask: WordsAsk): Promise<WordFile[]> {
  const real = await realpath(path).catch(() => null);
  if (real === null) return [];
  if (await isFolder(real)) return wordsOfFolder(real, ask);
  if (ask.kind === 'skills') return basename(real) === 'SKILL.md' ? wordsOfFolder(dirname(real), ask) : [];
  if (!real.endsWith('.md')) return [];
  const only = basename(real, '.md');
  if (ask.only !== undefined && ask.only !== only) return [];
  return (await wordsOfFolder(dirname(real), ask)).filter(({ name }) => name === only);
}
