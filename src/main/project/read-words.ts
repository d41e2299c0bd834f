import { Workspace, type ToolPlace } from '../places/workspace';
import { readTemplates, TEMPLATE_FOLDERS } from './templates';
import { inOwnFolder, inWorkspace } from './word-place';
import type { WordFile, WordsAsk } from '@shared/words';

/** Skills or templates of a workspace. For the worker: it reads there. Never rejects. */
export function wordsOfWorkspace(place: ToolPlace, { only }: WordsAsk): Promise<WordFile[]> {
  return readTemplates(inWorkspace(new Workspace(place)), TEMPLATE_FOLDERS, only);
}

/** Those in a folder of the person's own. It may lie on a drive that does not answer. Never rejects. */
export function wordsOfFolder(folder: string, { only }: WordsAsk): Promise<WordFile[]> {
  return readTemplates(inOwnFolder(folder), [''], only);
}
