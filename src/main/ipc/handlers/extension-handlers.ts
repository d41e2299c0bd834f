import { join } from 'node:path';
import { shell } from 'electron';
import { enableQuestion } from '../../extensions/enable-question';
import type { ExtensionHostView } from '../../extensions/host-view';
import { makeOwnFolder } from '../../own-files/write-own';
import { AppError } from '../failure';
import type { AppParts } from './types';
import { TERMINAL } from '@shared/extensions/terminal';
import type { ExtensionView } from '@shared/extensions/view';
import type { RequestHandlers } from '@shared/ipc/contract';

type ExtensionHandlers = Pick<RequestHandlers, Extract<keyof RequestHandlers, `extensions.${string}`>>;

/** Extensions in Settings, and what they ask in sessions (EX16, EX17). */
export function extensionHandlers(parts: AppParts): ExtensionHandlers {
  const { extensionDesk, extensionHost, ask } = parts;
  const place = join(parts.paths.data, 'extensions');
  extensionHost?.onChange(() => parts.channel.emit({ type: 'extensions_changed' }));
  const host = (): ExtensionHostView => {
    if (!extensionHost) throw new AppError('refused', 'Extensions do not run in this version. Nothing was changed.');
    return extensionHost;
  };
  const find = async (extensionId: string): Promise<ExtensionView> => {
    const known = (await host().list()).find(({ id }) => id === extensionId);
    if (!known) throw new AppError('refused', 'This extension is no longer there. Nothing was changed.');
    return known;
  };
  return {
    'extensions.list': async () => ({
      extensions: (await extensionHost?.list()) ?? [],
      place,
    }),
    'extensions.setEnabled': async ({ extensionId, enabled }) => {
      const known = await find(extensionId);
      if (known.enabled === enabled) return;
      if (enabled && (await ask(enableQuestion(known))) === null)
        throw new AppError('refused', 'Cancelled. The extension stays off.');
      await host().setEnabled(extensionId, enabled);
    },
    'extensions.setMode': ({ extensionId, mode }) => host().setMode(extensionId, mode),
    'extensions.reload': ({ extensionId }) => host().reload(extensionId),
    'extensions.openFolder': async ({ extensionId }) => {
      const known = extensionId === undefined ? undefined : await find(extensionId);
      if (!parts.folders.mayOpen()) return;
      // Shown, not opened: what lies there may be a program.
      if (known) return shell.showItemInFolder(known.path);
      await makeOwnFolder(place);
      await shell.openPath(place);
    },
    'extensions.answer': ({ sessionId, questionId, answer }) => {
      if (!extensionDesk.answer(sessionId, questionId, answer))
        throw new AppError('refused', 'This question is over: its extension no longer waits for an answer.');
    },
    'extensions.type': ({ sessionId, viewId, input }) => extensionDesk.viewTakes(sessionId, viewId, { input }),
    'extensions.drawn': async ({ sessionId, name, of, drawnId, columns, isExpanded }) =>
      (await extensionHost?.draw(sessionId, name, { of, id: drawnId, columns, isExpanded })) ?? null,
    'extensions.complete': async ({ sessionId, text, caret }) =>
      (await extensionHost?.complete(sessionId, text, caret)) ?? [],
    'extensions.resize': ({ sessionId, viewId, columns, rows }) => {
      const size = { columns: Math.max(TERMINAL.minColumns, columns), rows: Math.max(TERMINAL.minRows, rows) };
      if (viewId !== undefined) return extensionDesk.viewTakes(sessionId, viewId, size);
      extensionDesk.terminalIs(sessionId, size);
      extensionHost?.sizeChanged(sessionId);
    },
    'extensions.composer': ({ sessionId, text }) => extensionDesk.composerHolds(sessionId, text),
  };
}
