import { readFile, rm, stat } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Attachment } from '@shared/types';
import type { AssistantMessage } from '../../../src/main/pi/pi-types';
import { cutToRecord, soundArguments } from '../../../src/main/agent/stream/sound-reply';
import { refusalOfMessage, refusalOfResult } from '../../../src/main/agent/message-limits';
import { SessionHost } from '../../../src/main/session/host/session-host';
import { nextId, startHarness, type Harness } from '../../support/agent-harness';
import { openStoreBench, user, type StoreBench } from '../../support/journal';

/** What is accepted can be read again, and what is too large is refused before: docs/specs/safety.md A7. */

let bench: StoreBench;
let harness: Harness;
beforeEach(async () => {
  bench = await openStoreBench();
  harness = await startHarness({ model: { input: ['text', 'image'] } });
});
afterEach(async () => {
  await harness.close();
  await bench.dispose();
});

const MB = 1024 * 1024;
const picture = (bytes: number, name = 'photo.jpg'): Attachment => ({
  ...{ kind: 'image', name, mimeType: 'image/jpeg' },
  data: 'A'.repeat(Math.floor(bytes / 3) * 4),
});
const photos = (count: number, bytes: number): Attachment[] =>
  Array.from({ length: count }, (_, at) => picture(bytes, `photo ${at + 1}.jpg`));

describe('safety A7: a message', () => {
  it('eleven photos are refused with words; the eight that are taken are all there without the index', async () => {
    const host = new SessionHost({
      ...harness.ports,
      store: bench.store,
      sessionsDir: bench.dir,
      scratchDir: bench.home,
    });
    const { id } = await host.create({});
    harness.server.script({ text: 'nice' });
    const send = async (attachments: Attachment[]): Promise<unknown> =>
      (await host.session(id)).prompt({ itemId: nextId(), text: 'look', attachments, mode: 'followUp' });
    await expect(send(photos(11, 4.9 * MB))).rejects.toThrow(
      'A message can have 8 pictures, but this one has 11. Remove 3',
    );
    await expect(send(photos(1, 4.9 * MB))).rejects.toThrow('The picture “photo 1.jpg” is 4.9 MB');
    expect(await stat(bench.journal(id)).catch(() => null)).toBeNull();

    const settled = harness.settled();
    await send(photos(8, 3_700_000));
    await settled;
    const before = await readFile(bench.journal(id));
    await host.dispose();
    await bench.store.close();
    await rm(bench.index(id));
    const log = await (await bench.restart()).open(id);
    const first = log.tree.entriesInOrder().find(({ facts }) => facts.role === 'user');
    expect([log.damage, first?.facts.images]).toEqual([[], 8]);
    expect((await readFile(bench.journal(id))).equals(before)).toBe(true);
  });

  it('text and files are weighed as they will stand in the file', () => {
    const file = (characters: number, letter = 'x'): Attachment => ({
      ...{ kind: 'text', name: 'a.log', mimeType: 'text/plain', data: letter.repeat(characters) },
    });
    expect(refusalOfMessage({ text: 'x'.repeat(5_000_000), attachments: [file(20 * MB)] })).toBeNull();
    expect(refusalOfMessage({ text: '', attachments: [file(49 * MB)] })).toMatch(
      /^The message is 49\.\d MB; the limit is 48 MB\. Remove “a\.log”/,
    );
    // Each of them takes six bytes in JSON.
    expect(refusalOfMessage({ text: '', attachments: [file(9 * MB, '\u0001')] })).toContain('54.');
    expect(refusalOfMessage({ text: '数'.repeat(17 * MB), attachments: [] })).toContain('Remove a part of it');
  });
});

describe('safety A7: the file', () => {
  it('refuses a record over the limit, whatever it is, and takes what was handed in with it', async () => {
    const log = await bench.store.create({ workspace: bench.home });
    await log.append([user('first')]);
    const size = (await stat(bench.journal(log.sessionId))).size;
    const [large, small] = await Promise.allSettled([
      log.append([user('x'.repeat(49 * MB))]),
      log.append([user('small')]),
    ]);
    expect(large).toMatchObject({ status: 'rejected', reason: { name: 'RecordTooLargeError' } });
    expect(String((large as PromiseRejectedResult).reason)).toMatch(/this entry is 49 MB; the limit is 48 MB/);
    expect(small.status).toBe('fulfilled');
    expect((await stat(bench.journal(log.sessionId))).size - size).toBeLessThan(1000);
  });

  it('refuses what could not be read again', async () => {
    const log = await bench.store.create({ workspace: bench.home });
    await log.append([user('first')]);
    const size = (await stat(bench.journal(log.sessionId))).size;
    const wrong = { type: 'message', message: { role: 'assistant', content: [{ type: 'thinking', thinking: 5 }] } };
    await expect(log.append([wrong as never])).rejects.toThrow('`message.content[0].thinking` is a number');
    expect((await stat(bench.journal(log.sessionId))).size).toBe(size);
  });
});

describe('safety A7: a reply and a result', () => {
  const reply = (content: unknown): AssistantMessage => ({ role: 'assistant', content }) as AssistantMessage;

  it('a reply that is too large keeps its beginning', () => {
    const small = reply([{ type: 'text', text: 'x' }]);
    expect([cutToRecord(small), small.content]).toEqual([false, [{ type: 'text', text: 'x' }]]);
    const large = reply([
      { type: 'text', text: 'x'.repeat(50 * MB) },
      { type: 'toolCall', id: 'c', name: 'n', arguments: {} },
    ]);
    expect(cutToRecord(large)).toBe(true);
    expect(large.content).toEqual([{ type: 'text', text: 'x'.repeat(200_000) }]);
  });

  it('arguments that are no object, or nested without end, are none', () => {
    const deep = JSON.parse(`{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`) as object;
    expect([soundArguments({ path: 'a' }), ...[deep, 5, null, 'x', [1]].map(soundArguments)]).toEqual([
      { path: 'a' },
      ...Array<object>(5).fill({}),
    ]);
  });

  it('a result that is too large says so', () => {
    expect(refusalOfResult({ content: [{ type: 'text', text: 'x' }], details: {} })).toBeNull();
    expect(refusalOfResult({ content: [], details: { x: 'x'.repeat(49 * MB) } })).toMatch(/^The result is 49\.\d MB/);
  });

  it('a call with endless arguments leaves a sound reply in the file, and is not run', async () => {
    const args = `{"path":${'['.repeat(2_000)}${']'.repeat(2_000)}}`;
    harness.server.script([
      { content: [{ type: 'toolCall', name: 'echo', arguments: args }], chunkChars: 100_000 },
      { text: 'done' },
    ]);
    const settled = harness.settled();
    await harness.session.prompt({ itemId: nextId(), text: 'go', attachments: [], mode: 'followUp' });
    await settled;
    const stored = harness.log.stored.map(({ line }) => line).join('\n');
    expect(stored).toContain('"arguments":{}');
    expect(stored).not.toContain('[[[[');
  });
});
