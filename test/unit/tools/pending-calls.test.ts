import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PendingCalls, type PendingCall } from '../../../src/main/approvals/pending-calls';
import { StorageError } from '../../../src/main/own-files/storage-error';

/** Some systems take the name of the computer from the network. */
const computer = vi.hoisted(() => ({ name: 'here' }));
vi.mock('node:os', async (real) => ({ ...(await real<typeof import('node:os')>()), hostname: () => computer.name }));

let home: string;
let file: string;
let warnings: string[];
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'espalier-asked-'));
  file = join(home, 'asked.json');
  warnings = [];
});
afterEach(() => rm(home, { recursive: true, force: true }));

const open = (): Promise<PendingCalls> => PendingCalls.open(file, { warn: (message) => warnings.push(message) });
const of = (sessionId: string, callId: string, replyId = 'reply'): PendingCall => ({ sessionId, replyId, callId });
const isNoted = (asked: PendingCalls, call: PendingCall): boolean => asked.firstUnbegun(call) === call.callId;
/** Resolves when what was asked so far is on disk. */
const written = async (asked: PendingCalls): Promise<void> => {
  asked.ask(of('other', 'x'));
  await asked.begin(of('other', 'x'), ['x'], null);
};

it('AG11: what was asked and not allowed is known after a restart, of each session by itself', async () => {
  const asked = await open();
  asked.ask(of('s', 'one', 'first'));
  asked.ask(of('s', 'two', 'second'));
  await asked.begin(of('s', 'one', 'first'), ['one'], null);
  const after = await open();
  expect(['first', 'second'].map((replyId) => after.firstUnbegun({ sessionId: 's', replyId }))).toEqual([null, 'two']);
  expect(after.firstUnbegun({ sessionId: 't', replyId: 'second' })).toBeNull();
});

it('AG11: whatever calls are asked about and begin, in whatever order, none that began is noted', async () => {
  const calls = ['a', 'b', 'c', 'd'];
  const step = fc.record({
    kind: fc.constantFrom('ask', 'begin'),
    at: fc.nat(3),
    next: fc.nat(3),
    restart: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
      await rm(file, { force: true });
      let asked = await open();
      let begun = -1;
      for (const { kind, at, next, restart } of steps) {
        // A call is asked about before it begins; the one behind it that is noted with it comes later.
        if (kind === 'ask' && at > begun) asked.ask(of('s', calls[at]!));
        if (kind === 'begin')
          await asked.begin(of('s', calls[at]!), calls, calls[Math.max(at, begun) + 1 + next] ?? null);
        if (kind === 'begin') begun = Math.max(begun, at);
        if (restart) {
          await written(asked);
          asked = await open();
        }
        for (const known of [asked, await open()]) {
          const first = known.firstUnbegun(of('s', ''));
          expect(first === null || calls.indexOf(first) > begun).toBe(true);
        }
      }
      await written(asked);
    }),
  );
});

it('AG11: a call whose id was asked about before and that needs no question now is noted as begun', async () => {
  (await open()).ask(of('s', 'one'));
  const asked = await open();
  await written(asked);
  await asked.begin(of('s', 'one'), ['one'], null);
  expect(isNoted(await open(), of('s', 'one'))).toBe(false);
});

it('AG11: a call does not begin while the disk still says that it never did', async () => {
  const asked = await open();
  asked.ask(of('s', 'one'));
  await written(asked);
  await rm(file);
  await mkdir(file);
  await expect(asked.begin(of('s', 'one'), ['one'], null)).rejects.toThrow();
  expect(isNoted(asked, of('s', 'one'))).toBe(true);
  await rm(file, { recursive: true });
  await asked.begin(of('s', 'one'), ['one'], null);
  expect(isNoted(asked, of('s', 'one'))).toBe(false);
});

it('AG11: what cannot be noted stops no question; the newest two hundred are kept', async () => {
  await mkdir(file);
  const asked = await open();
  asked.ask(of('s', 'one'));
  await asked.begin(of('s', 'one'), ['one'], null);
  await rm(file, { recursive: true });
  const other = await open();
  for (let at = 0; at <= 200; at += 1) other.ask(of('s', 'one', `${at}`));
  other.ask(of('s', 'x'.repeat(1_000)));
  await written(other);
  expect((JSON.parse(await readFile(file, 'utf8')) as { asked: unknown[] }).asked).toHaveLength(199);
  expect(warnings).toEqual([]);
});

it('AG11: a call of another reply with the same id has a note of its own', async () => {
  const asked = await open();
  asked.ask(of('s', 'call_0', 'first'));
  await asked.begin(of('s', 'call_0', 'first'), ['call_0'], null);
  asked.ask(of('s', 'call_0', 'second'));
  await written(asked);
  const after = await open();
  expect(['first', 'second'].map((reply) => isNoted(after, of('s', 'call_0', reply)))).toEqual([false, true]);
});

it('AG11: a note that gave way is off the disk before its call begins', async () => {
  const asked = await open();
  asked.ask(of('s', 'one'));
  await written(asked);
  for (let at = 0; at < 200; at += 1) asked.ask(of('t', 'one', `${at}`));
  await asked.begin(of('s', 'one'), ['one'], null);
  expect(isNoted(await open(), of('s', 'one'))).toBe(false);
});

it('AG11: what another computer noted in a shared folder counts for it alone', async () => {
  const asked = await open();
  asked.ask(of('s', 'one'));
  await written(asked);
  await writeFile(file, (await readFile(file, 'utf8')).replaceAll(JSON.stringify(computer.name), '"another"'));
  const after = await open();
  expect([isNoted(after, of('s', 'one')), after.problems]).toEqual([false, []]);
});

it('AG11: a computer that gets another name while a call waits knows its notes', async () => {
  const asked = await open();
  asked.ask(of('s', 'call'));
  await written(asked);
  computer.name = 'there';
  await asked.begin(of('s', 'call'), ['call'], null);
  computer.name = 'here';
  expect((await open()).firstUnbegun(of('s', ''))).toBeNull();
});

it('AG11: a link in its place gives way, and what it leads to stays', async () => {
  const target = join(home, 'target');
  await writeFile(target, '{"asked":[]}');
  await symlink(target, file);
  await written(await open());
  expect(await readFile(target, 'utf8')).toBe('{"asked":[]}');
});

it('AG11: an error of the disk is a sentence for the person', async () => {
  const asked = await open();
  asked.ask(of('s', 'one'));
  await written(asked);
  await rm(home, { recursive: true });
  await expect(asked.begin(of('s', 'one'), ['one'], null)).rejects.toThrow(StorageError);
});
