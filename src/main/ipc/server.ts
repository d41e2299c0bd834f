import { z } from 'zod';
import { REQUESTS, type RequestHandlers, type RequestName } from '@shared/ipc/contract';
import { CHANNELS } from '@shared/ipc/names';
import type { IpcResult } from '@shared/types';
import type { Log } from '../ports';
import { toFailure } from './failure';
import { isTrustedSender, type Sender } from './sender';
import { whatIsTooMuch } from './too-much';

/** Registers one channel: `ipcMain.handle` in the app, a map in tests. */
type Handle = (channel: string, listener: (event: Sender, message: unknown) => Promise<IpcResult<unknown>>) => void;

const MESSAGE = z.strictObject({
  name: z.string().refine((name) => Object.hasOwn(REQUESTS, name)),
  params: z.unknown(),
});

/**
 * Serves every request of the contract: sender, then name, then parameters, then handler. What is refused never
 * reaches the handler (QS5). Results are values: `{ok, value}` or `{ok, error}` with a sentence for a person.
 */
export function serveRequests(
  handlers: RequestHandlers,
  options: { windowId: () => number | undefined; log: Log; handle: Handle },
): void {
  options.handle(CHANNELS.request, (event, message) => answer(event, message, handlers, options));
}

async function answer(
  event: Sender,
  input: unknown,
  handlers: RequestHandlers,
  { windowId, log }: { windowId: () => number | undefined; log: Log },
): Promise<IpcResult<unknown>> {
  if (!isTrustedSender(event, windowId())) {
    log.warn("Refused a request from a frame that is not the window's own page.");
    return { ok: false, error: { code: 'refused', message: 'This page may not ask Espalier for anything.' } };
  }
  const message = MESSAGE.safeParse(input);
  if (!message.success) {
    log.warn('Refused a request that is not in the contract.');
    return { ok: false, error: { code: 'invalid', message: 'Unknown request. Nothing was changed.' } };
  }
  const name = message.data.name as RequestName;
  const parsed = REQUESTS[name].params.safeParse(message.data.params);
  if (!parsed.success) {
    log.warn(
      `Refused ${name}: ${parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.code}`).join('; ')}`,
    );
    const message =
      whatIsTooMuch(name, parsed.error.issues) ?? 'Espalier did not understand that request. Nothing was changed.';
    return { ok: false, error: { code: 'invalid', message } };
  }
  try {
    // The compiler can't follow that `name` picks schema and handler alike.
    const run = handlers[name] as (input: unknown) => unknown;
    return { ok: true, value: await run(parsed.data) };
  } catch (error) {
    const { failure, expected } = toFailure(error);
    if (!expected) log.error(`${name} failed`, error);
    return { ok: false, error: failure };
  }
}
