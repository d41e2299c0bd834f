import { choose, confirm } from './app-handlers';
import type { AppParts } from './types';
import type { RequestHandlers } from '@shared/ipc/contract';
import { visibleString } from '@shared/policy/visible-text';

type ImportHandlers = Pick<RequestHandlers, Extract<keyof RequestHandlers, `imports.${string}`>>;

const WHAT_FOLLOWS =
  'They are copied; pi’s own files stay as they are. Each session works in the folder it was made in, where nothing is trusted until you say so.';

/** The import of all sessions of a folder. Where it is, the person says in main's dialog, or main knows. */
export function importHandlers(parts: AppParts): ImportHandlers {
  const { imports } = parts;
  return {
    'imports.state': () => imports.current(),
    'imports.look': () => imports.look(null),
    'imports.choose': async () => {
      const [folder] = await choose(parts, { title: 'Import sessions from a folder', properties: ['openDirectory'] });
      return folder === undefined ? imports.current() : imports.look(folder);
    },
    'imports.start': async ({ groups }) => {
      const chosen = imports.chosen(groups);
      if (!chosen) return { begun: false };
      // What the person picked in main's dialog they have agreed to; of pi's own folder the page alone has spoken.
      const asked = {
        action: 'Import',
        message: `Import ${chosen.files.toLocaleString('en')} ${chosen.files === 1 ? 'session' : 'sessions'} from ${visibleString(chosen.place)}?`,
        detail: WHAT_FOLLOWS,
        isHarmless: true,
      };
      if (chosen.isPi && !(await confirm(parts, asked))) return { begun: false };
      imports.start(groups);
      return { begun: true };
    },
    'imports.stop': () => imports.stop(),
    'imports.report': ({ from }) => ({ items: imports.report(from) }),
    'imports.close': () => imports.close(),
  };
}
