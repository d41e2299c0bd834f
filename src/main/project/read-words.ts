import { Workspace, type ToolPlace } from '../places/workspace';
import { readOwnSkills, readProjectSkills } from './skills';
import { readTemplates, TEMPLATE_FOLDERS } from './templates';
import { inOwnFolder, inWorkspace, withoutText } from './word-place';
import type { WordFile, WordsAsk } from '@shared/words';

/** Skills or templates of a workspace. For the worker: it reads there. Never rejects. */
export function wordsOfWorkspace(place: ToolPlace, { kind, only, placesOnly }: WordsAsk): Promise<WordFile[]> {
  const real = inWorkspace(new Workspace(place));
  const within = placesOnly ? withoutText(real) : real;
  return kind === 'skills' ? readProjectSkills(within, only) : readTemplates(within, TEMPLATE_FOLDERS, only);
}

/** Those in a folder of the person's own. It may lie on a drive that does not answer. Never rejects. */
export function wordsOfFolder(folder: string, { kind, only }: WordsAsk): Promise<WordFile[]> {
  const within = inOwnFolder(folder);
  return kind === 'skills' ? readOwnSkills(within, only) : readTemplates(within, [''], only);
}
