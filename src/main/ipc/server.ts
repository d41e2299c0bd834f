import { z } from 'zod';
import type { Log } from '../ports';
import type { AgentSession } from '../session/host/agent-session';
import type { SessionHost } from '../session/host/session-host';
import { toFailure } from './failure';
import { isTrustedSender, type Sender } from './request-gate';
import {
  type InGroup,
  type RequestHandlers,
  type RequestName,
  type RequestParams,
  type RequestResult,
  REQUESTS,
} from '@shared/ipc/contract';
import { CHANNELS } from '@shared/ipc/names';
import type { IpcResult } from '@shared/types';

/** Texts of requests that a person writes, by their names in the contract. */
const WRITTEN = new Map([
  ['title', 'The title'],
  ['label', 'The label'],
  ['instructions', 'The instructions'],
  ['goal', 'The goal'],
  ['summary', 'The summary'],
  ['command', 'The command'],
  ['why', 'The reason'],
  ['text', 'The text'],
]);

/**
 * Why a request was refused in which a text that a person wrote, or a list of files, is beyond its bound: with that bound, and what to do.
 * Null for everything else that the contract does not allow, which no person can cause.
 */
function whatIsTooMuch(name: RequestName, issues: readonly z.core.$ZodIssue[]): string | null {
  for (const issue of issues) {
    if (issue.code !== 'too_big') continue;
    const most = Number(issue.maximum).toLocaleString('en-US');
    const isPrompt = name === 'session.prompt';
    const field = String(issue.path.at(-1));
    if (isPrompt && field === 'attachments')
      return `A message can have ${most} attachments. Remove some and try again; nothing was sent.`;
    if (isPrompt && field === 'data')
      return `An attached file is longer than the limit of ${most} characters. Remove it and try again; nothing was sent.`;
    if (isPrompt && field === 'text')
      return `The message is longer than the limit of ${most} characters. Shorten it, or send it in parts; nothing was sent.`;
    const what = issue.origin === 'string' ? WRITTEN.get(field) : undefined;
    if (what !== undefined)
      return `${what} can have at most ${most} characters. Shorten it and try again; nothing was changed.`;
  }
  return null;
}

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

type SessionGroup = 'session' | 'queue';

/** What each request of a group does with its live session. */
export type SessionHandlers<G extends SessionGroup> = {
  [K in InGroup<G>]: (
    session: AgentSession,
    params: Omit<RequestParams<`${G}.${K}` & keyof RequestHandlers>, 'sessionId'>,
  ) => Promise<RequestResult<`${G}.${K}` & keyof RequestHandlers>> | RequestResult<`${G}.${K}` & keyof RequestHandlers>;
};

type Bound<G extends SessionGroup> = Pick<RequestHandlers, `${G}.${InGroup<G>}` & keyof RequestHandlers>;

/** Binds the requests of a group to the session that each names, which is loaded if need be: the one place where that is done. */
export function boundSession<G extends SessionGroup>(
  host: Pick<SessionHost, 'session'>,
  group: G,
  handlers: SessionHandlers<G>,
): Bound<G> {
  const bound = Object.entries(handlers).map(([name, handle]) => [
    `${group}.${name}`,
    async ({ sessionId, ...params }: { sessionId: string }) =>
      // The compiler can't follow that the name picks both.
      (handle as (session: AgentSession, params: object) => unknown)(await host.session(sessionId), params),
  ]);
  return Object.fromEntries(bound) as Bound<G>;
}
