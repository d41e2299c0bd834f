import { readFrontMatter } from '@shared/front-matter';
import { isSlashName, slashWords } from '@shared/slash';
import type { WordFile } from '@shared/words';
import { PASSED_FOLDERS } from './passed-folders';
import type { WordPlace } from './word-place';

/** Where a workspace has them, and each folder in it; the first of a name wins. */
const SKILL_FOLDERS = ['.espalier/skills', '.agents/skills', '.pi/skills', '.claude/skills'] as const;
const HOLDERS = new Set(SKILL_FOLDERS.map((folder) => folder.split('/', 1)[0]));
/** As many as are read. */
const MOST_SKILLS = 200;
/** Folders of a workspace that are looked through for those above, and folders of skills. */
const MOST_FOLDERS = 400;
const DEEPEST = 3;
/** What the standard allows. */
const MAX_DESCRIPTION = 1024;
const STANDARD_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Skills of a workspace: at its top first, then below it (EX18). Never rejects. */
export async function readProjectSkills(place: WordPlace, only?: string): Promise<WordFile[]> {
  const found: WordFile[] = [];
  const left = { folders: MOST_FOLDERS };
  let level = [''];
  for (let depth = 0; depth <= DEEPEST && level.length > 0; depth += 1) {
    const next: string[] = [];
    for (const at of level) {
      if ((left.folders -= 1) < 0) return found;
      const names = (await place.names(at === '' ? '.' : at)).filter(({ isFolder }) => isFolder);
      const within = (name: string): string => (at === '' ? name : `${at}/${name}`);
      if (names.some(({ name }) => HOLDERS.has(name)))
        for (const folder of SKILL_FOLDERS)
          await readIn(place, within(folder), { found, left, only, folder: within(folder) });
      for (const { name } of names) if (!name.startsWith('.') && !PASSED_FOLDERS.has(name)) next.push(within(name));
    }
    level = next;
  }
  return found;
}

/** Those of a folder of the person's own. Never rejects. */
export async function readOwnSkills(place: WordPlace, only?: string): Promise<WordFile[]> {
  const found: WordFile[] = [];
  await readIn(place, '', { found, left: { folders: MOST_FOLDERS }, only, folder: '' });
  return found;
}

interface Search {
  found: WordFile[];
  left: { folders: number };
  only: string | undefined;
  folder: string;
}

/** A folder with a SKILL.md is one; what lies in it belongs to it. */
async function readIn(place: WordPlace, at: string, search: Search, depth = 0): Promise<void> {
  if (depth > DEEPEST || search.found.length >= MOST_SKILLS || (search.left.folders -= 1) < 0) return;
  const names = await place.names(at === '' ? '.' : at);
  if (names.some(({ name }) => name === 'SKILL.md')) {
    const skill = await readSkill(place, at, search);
    if (skill) search.found.push(skill);
    return;
  }
  for (const { name, isFolder } of names)
    if (isFolder && !name.startsWith('.') && !PASSED_FOLDERS.has(name))
      await readIn(place, at === '' ? name : `${at}/${name}`, search, depth + 1);
}

async function readSkill(place: WordPlace, at: string, { only, folder }: Search): Promise<WordFile | null> {
  const shown = at === '' ? 'SKILL.md' : `${at}/SKILL.md`;
  const called = at.slice(at.lastIndexOf('/') + 1);
  const out = (problem: string): WordFile | null =>
    only === undefined ? { name: called, description: '', shown, path: shown, folder, problem, isOut: true } : null;
  try {
    const read = await place.read(shown);
    if (!read) return null;
    const { fields, body, problem } = readFrontMatter(read.text);
    if (problem !== undefined) return out(`Its front matter was not understood: ${problem}.`);
    const name = fields.get('name') || called;
    if (only !== undefined && only !== name) return null;
    const description = slashLine(fields.get('description') ?? '');
    if (description === '') return out('It has no description, so no model could know when to use it.');
    if (!isSlashName(name))
      return out(`Its name “${slashWords(name)}” can’t be used. Name it with letters, digits and dashes.`);
    const isOdd = name.length > 64 || !STANDARD_NAME.test(name);
    return {
      ...{ name, description, shown, path: read.path, folder },
      ...(fields.get('disable-model-invocation') === 'true' ? { isHidden: true as const } : {}),
      ...(only === undefined ? {} : { body: body.trim() }),
      ...(isOdd ? { problem: 'The standard wants names of small letters, digits and single dashes.' } : {}),
    };
  } catch (error) {
    return out(`It was not read: ${error instanceof Error ? error.message : 'it can’t be opened'}.`);
  }
}

function slashLine(text: string): string {
  const line = text.replace(/\s+/gu, ' ').trim();
  return line.length > MAX_DESCRIPTION ? `${line.slice(0, MAX_DESCRIPTION)}…` : line;
}
