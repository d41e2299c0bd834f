import type { AppParts } from './types';
import type { InGroup, RequestHandlers } from '@shared/ipc/contract';
import { viewSkills } from '@shared/skills';
import { viewTemplates } from '@shared/words';

type WordHandlers = Pick<RequestHandlers, `instructions.${InGroup<'instructions'>}`>;

/** What models are told besides what is said in a session (EX18, EX19, EX21). */
export function wordHandlers({ host, instructions, project, settings, trust }: AppParts): WordHandlers {
  return {
    'instructions.get': async ({ sessionId }) => {
      const folder = sessionId === undefined ? null : host.workspaceOf(sessionId);
      const [skills, templates, isTrusted] = await Promise.all([
        project.words(folder, { kind: 'skills' }),
        project.words(folder, { kind: 'templates' }),
        folder === null ? false : trust.isTrusted(folder),
      ]);
      const { everywhere, here } = instructions.of(folder ?? '');
      return {
        everywhere,
        folder,
        here,
        isTrusted,
        skills: viewSkills(skills, settings.current()['skills.off']),
        templates: viewTemplates(templates),
      };
    },
    'instructions.set': ({ sessionId, text }) =>
      instructions.set(sessionId === undefined ? null : host.workspaceOf(sessionId), text),
  };
}
