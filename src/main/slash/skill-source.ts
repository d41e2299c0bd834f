import { skillMessage } from '@shared/skills';
import type { WordFile } from '@shared/words';
import type { SlashSource } from './slash-commands';
import { originOf, placeOf, type WordsOf } from './template-source';

const PREFIX = 'skill:';

/** Skills as commands, `/skill:name` (EX18): also those that models are not told of, none that was switched off. */
export function skillSource({
  project,
  folderOf,
  resources,
  isOff,
}: WordsOf & { isOff: (name: string) => boolean }): SlashSource {
  const read = async (sessionId: string, only?: string): Promise<WordFile[]> =>
    (await project.words(folderOf(sessionId), { kind: 'skills', only }, resources?.of(sessionId).skills)).filter(
      ({ isOut, name }) => !isOut && !isOff(name),
    );
  return {
    list: async (sessionId) =>
      (await read(sessionId)).map(({ name, description, folder, path }) => ({
        ...{ name: `${PREFIX}${name}`, description, source: 'skill' as const, origin: originOf(folder) },
        argumentHint: '[task]',
        place: placeOf(path, folder),
      })),
    async run(sessionId, name, args) {
      if (!name.startsWith(PREFIX)) return null;
      const [skill] = await read(sessionId, name.slice(PREFIX.length));
      if (!skill) return null;
      const place = skill.folder === '' ? skill.path : skill.shown;
      return { text: skillMessage({ name: skill.name, place }, skill.body ?? '', args) };
    },
  };
}
