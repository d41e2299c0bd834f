import { readFrontMatter } from '@shared/front-matter';
import { isSlashName } from '@shared/slash';
import type { WordPlace } from './word-place';
import type { WordFile } from '@shared/words';

/** Where a workspace has them; the first of a name wins. */
export const TEMPLATE_FOLDERS = ['.espalier/prompts', '.pi/prompts'] as const;
/** As many as are read of one folder. */
const MOST_TEMPLATES = 200;

/** Prompt templates of some folders: their `.md` files, not those of folders within (EX19). Never rejects. */
export async function readTemplates(place: WordPlace, folders: readonly string[], only?: string): Promise<WordFile[]> {
  const found: WordFile[] = [];
  for (const folder of folders) {
    const files = (await place.names(folder)).filter(({ name }) => name.endsWith('.md'));
    for (const { name } of files.slice(0, MOST_TEMPLATES)) {
      if (only !== undefined && name !== `${only}.md`) continue;
      const template = await readOne(place, folder, name, only !== undefined);
      if (template) found.push(template);
    }
  }
  return found;
}

async function readOne(place: WordPlace, folder: string, file: string, wantsBody: boolean): Promise<WordFile | null> {
  const shown = folder === '' ? file : `${folder}/${file}`;
  const name = file.slice(0, -'.md'.length);
  const out = (problem: string): WordFile => ({
    ...{ name, description: '', shown, path: shown, folder, problem, isOut: true },
  });
  if (!isSlashName(name))
    return out(`“${shown}” can’t be typed as a command. Name it with letters, digits and dashes.`);
  try {
    const read = await place.read(shown);
    if (!read) return null;
    const { fields, body, problem } = readFrontMatter(read.text);
    const description = fields.get('description') || firstLine(body);
    const hint = fields.get('argument-hint');
    return {
      ...{ name, description, shown, path: read.path, folder },
      ...(hint ? { argumentHint: hint } : {}),
      ...(wantsBody ? { body: body.trim() } : {}),
      ...(problem === undefined ? {} : { problem: `The lines between --- do not count: ${problem}.` }),
    };
  } catch (error) {
    return out(`It was not read: ${error instanceof Error ? error.message : 'it can’t be opened'}.`);
  }
}

function firstLine(body: string): string {
  return /\S[^\n]*/.exec(body)?.[0].trim() ?? '';
}
