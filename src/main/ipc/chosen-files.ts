import { randomUUID } from 'node:crypto';
import { basename, isAbsolute } from 'node:path';
import { z } from 'zod';
import type { Log } from '../ports';
import { AppError } from './failure';
import { isTrustedSender, type RequestGate } from './request-gate';
import { CHANNELS } from '@shared/ipc/names';
import type { ChosenFile, IpcResult } from '@shared/types';

/** Long enough for the last of many large files, which are imported one after the other. Milliseconds. */
const LIFE_MS = 60 * 60_000;
const MOST = 1000;

/**
 * Paths that a person chose, in a dialog of main or by dropping files, each under a handle for the page to speak of it. A handle
 * can't be guessed, works once and not for ever; the page never gives a path (docs/specs/safety.md C3).
 */
export class ChosenFiles {
  readonly #held = new Map<string, { path: string; until: number }>();

  constructor(private readonly now: () => number = Date.now) {}

  /** Keeps the paths; of more than 1,000 the newest. */
  offer(paths: readonly string[]): ChosenFile[] {
    const until = this.now() + LIFE_MS;
    const files = paths.slice(0, MOST).map((path) => {
      const handle = randomUUID();
      this.#held.set(handle, { path, until });
      return { handle, name: basename(path) };
    });
    for (const handle of [...this.#held.keys()].slice(0, Math.max(0, this.#held.size - MOST)))
      this.#held.delete(handle);
    return files;
  }

  /** The path behind a handle, which is used up. @throws AppError */
  take(handle: string): string {
    const file = this.#held.get(handle);
    this.#held.delete(handle);
    if (!file || file.until < this.now())
      throw new AppError('refused', 'Espalier no longer knows which file that was. Nothing was read; choose it again.');
    return file.path;
  }
}

const PATHS = z.array(z.string().min(1).max(4096).refine(isAbsolute)).max(1000);

/** Takes the paths of dropped files from the preload, which found them itself (`preload/index.ts`), and gives the page handles. */
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
