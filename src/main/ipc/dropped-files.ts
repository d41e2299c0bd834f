import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { CHANNELS } from '@shared/ipc/names';
import type { ChosenFile, IpcResult } from '@shared/types';
import type { Log } from '../ports';
import type { ChosenFiles } from './chosen-files';
import type { RequestGate } from './request-gate';
import { isTrustedSender } from './sender';

const PATHS = z.array(z.string().min(1).max(4096).refine(isAbsolute)).max(1000);

/** Takes the paths of dropped files from the preload, which found them itself (`preload/file-paths.ts`), and gives the page handles. */
export function serveDroppedFiles(
  chosen: ChosenFiles,
  { windowId, log, handle }: { windowId: () => number | undefined; log: Log; handle: RequestGate['serve'] },
): void {
  handle(CHANNELS.files, (event, input): IpcResult<ChosenFile[]> => {
    const paths = PATHS.safeParse(input);
    if (!isTrustedSender(event, windowId()) || !paths.success) {
      log.warn('Refused dropped files.');
      return { ok: false, error: { code: 'refused', message: 'Those files could not be taken. Nothing was read.' } };
    }
    return { ok: true, value: chosen.offer(paths.data) };
  });
}
