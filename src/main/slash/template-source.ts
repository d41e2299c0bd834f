import { fillArguments } from '@shared/template-text';
import type { WordFile } from '@shared/words';
import type { ResourceBook } from '../extensions/resources';
import type { ProjectDoor } from '../ports';
import type { PlacedCommand, SlashSource } from './slash-commands';

export interface WordsOf {
  project: Pick<ProjectDoor, 'words'>;
  /** The folder that a session works in. */
  folderOf: (sessionId: string) => string;
  /** What extensions of a session have named. */
  resources?: Pick<ResourceBook, 'of'>;
}

/** Prompt templates as commands (EX19). They are read anew for each list and each use: an edit counts at once. */
export function templateSource({ project, folderOf, resources }: WordsOf): SlashSource {
  const read = async (sessionId: string, only?: string): Promise<WordFile[]> =>
    (await project.words(folderOf(sessionId), { kind: 'templates', only }, resources?.of(sessionId).prompts)).filter(
      ({ isOut }) => !isOut,
    );
  return {
    list: async (sessionId) =>
      (await read(sessionId)).map(({ name, description, argumentHint, folder, path }) => ({
        ...{ name, description, argumentHint, source: 'template' as const },
        origin: originOf(folder),
        place: placeOf(path, folder),
      })),
    async run(sessionId, name, args) {
      const [template] = await read(sessionId, name);
      if (!template) return null;
      const { body = '' } = template;
      const text = fillArguments(body, args).trim();
      if (body === '' || text === '')
        throw new Error(`The template ${template.shown} says nothing. Write its text, or choose another.`);
      return { text };
    },
  };
}

export function placeOf(path: string, folder: string): PlacedCommand['place'] {
  return { path, scope: folder === '' ? 'user' : 'project' };
}

/** In words for a person. */
export function originOf(folder: string): string {
  return folder === '' ? 'yours' : folder;
}
