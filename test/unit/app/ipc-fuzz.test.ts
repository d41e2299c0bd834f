import { expect, it } from 'vitest';
import type { z } from 'zod';
import { BULK, REQUESTS, type BulkName, type RequestHandlers, type RequestName } from '@shared/ipc/contract';
import { CHANNELS } from '@shared/ipc/names';
import type { IpcResult } from '@shared/types';
import { AppError } from '../../../src/main/ipc/failure';
import { type BulkSources, openBulk } from '../../../src/main/ipc/bulk-chunks';
import { serveRequests } from '../../../src/main/ipc/server';
import type { Sender } from '../../../src/main/ipc/request-gate';
import { messagesFor } from './ipc-messages';
import { shortOrLong } from '../../support/long-form';

const REQUEST_NAMES = Object.keys(REQUESTS) as RequestName[];
const BULK_NAMES = Object.keys(BULK) as BulkName[];
/** Per request name: they share a channel (QS5). */
const MESSAGES = shortOrLong(1_000, 10_000);
/** Per name of the bulk channel. */
const BULK_MESSAGES = 10_000;
const ownPage: Sender = { senderFrame: { url: 'app://app/index.html', parent: null }, sender: { id: 7 } };
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** What the schema accepts, with its keys and no other, whatever the schema library made of the message. */
function isValid(schema: z.ZodObject, params: unknown): boolean {
  const isKnown = (key: string | symbol): boolean => typeof key === 'string' && Object.hasOwn(schema.shape, key);
  return Reflect.ownKeys(params as object).every(isKnown) && schema.safeParse(params).success;
}

it(`QS5, EV6: ${MESSAGES} random messages a request: no handler sees an invalid one, none breaks the server`, async () => {
  const calls: { name: string; params: unknown }[] = [];
  const channels = new Map<string, (event: Sender, params: unknown) => Promise<IpcResult<unknown>>>();
  const handlers = Object.fromEntries(
    REQUEST_NAMES.map((name) => [name, (params: unknown) => calls.push({ name, params })]),
  ) as unknown as RequestHandlers;
  const handle = (channel: string, listener: (event: Sender, params: unknown) => Promise<IpcResult<unknown>>): void =>
    void channels.set(channel, listener);
  serveRequests(handlers, { windowId: () => 7, log: silent, handle });
  const wrong: unknown[] = [];
  for (const [index, name] of REQUEST_NAMES.entries()) {
    const schema = REQUESTS[name].params;
    const send = channels.get(CHANNELS.request)!;
    const call = (from: Sender, params: unknown) => send(from, { name, params });
    const messages = messagesFor(schema, index + 1);
    let accepted = 0;
    for (let i = 0; i < MESSAGES; i++) {
      calls.length = 0;
      const { value: message } = messages.next();
      const result = await call(ownPage, message);
      if (result.ok) accepted++;
      const isRight = result.ok
        ? calls.length === 1 && calls[0]!.name === name && isValid(schema, calls[0]!.params)
        : calls.length === 0 && result.error.code === 'invalid';
      if (!isRight) wrong.push([name, message, result]);
    }
    // Both happen, or the messages test nothing.
    expect(accepted, name).toBeGreaterThan(MESSAGES / 100);
    expect(accepted, name).toBeLessThan(MESSAGES);
  }
  expect(wrong.slice(0, 3)).toEqual([]);
  // In the long form over half a million messages: minutes on a machine that is busy.
}, 600_000);

it(`QS5: ${BULK_MESSAGES} random messages a bulk channel: no source sees an invalid one`, () => {
  const opened: { name: string; params: unknown }[] = [];
  const sources = Object.fromEntries(
    BULK_NAMES.map((name) => [name, (params: unknown) => (opened.push({ name, params }), [])]),
  ) as unknown as BulkSources;
  const wrong: unknown[] = [];
  for (const [index, name] of BULK_NAMES.entries()) {
    const params = messagesFor(BULK[name], 1000 + index);
    let accepted = 0;
    for (let i = 0; i < BULK_MESSAGES; i++) {
      opened.length = 0;
      const { value } = params.next();
      const input = [{ name, params: value, bulkId: 'b' }, { name, params: value }, { name: `${name}x`, params: value, bulkId: 'b' }, value][i % 8 < 5 ? 0 : (i % 8) - 4]; // prettier-ignore
      let refusal: unknown = null;
      try {
        openBulk(sources, ownPage, input, 7);
        accepted++;
      } catch (error) {
        refusal = error;
      }
      const isRight = refusal
        ? opened.length === 0 && refusal instanceof AppError && refusal.code === 'invalid'
        : opened.length === 1 && opened[0]!.name === name && isValid(BULK[name], opened[0]!.params);
      if (!isRight) wrong.push([name, input, refusal]);
    }
    expect(accepted, name).toBeGreaterThan(BULK_MESSAGES / 100);
  }
  expect(wrong.slice(0, 3)).toEqual([]);
  expect(() => openBulk(sources, { ...ownPage, sender: { id: 8 } }, { name: 'session.rows' }, 7)).toThrow(
    'may not ask',
  );
});
