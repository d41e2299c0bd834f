import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runStateOf } from '@shared/session-state/attention';
import { defaultSettings } from '../../../src/shared/settings';
import { Approvals } from '../../../src/main/approvals/approvals';
import { AttentionDesk } from '../../../src/main/attention/attention-desk';
import { approvalChangeOf } from '../../../src/main/ipc/approval-view';
import { SessionHost } from '../../../src/main/session/host/session-host';
import { plainTools, promptOf, startHarness, type Harness } from '../../support/agent-harness';
import { openStoreBench, type StoreBench } from '../../support/journal';
import { sentMessages } from '../../support/model-server';

/** Several sessions with real runs, real questions and a real store: what the desk counts and tells of them, also after a restart. */

let harness: Harness;
let bench: StoreBench;
let host: SessionHost;
let approvals: Approvals;
let desk: AttentionDesk;
const notes: string[] = [];
let count = 0;

beforeEach(async () => {
  harness = await startHarness({ settings: { 'retry.enabled': false } });
  bench = await openStoreBench();
  notes.length = count = 0;
  await begin();
  harness.server.script((request) => {
    const last = sentMessages(request).at(-1);
    if (last?.text.startsWith('fail')) return { error: { status: 400, body: { error: { message: 'No' } } } };
    if (!last?.text.startsWith('ask')) return `answer to ${last?.text ?? ''}`;
    return { content: [{ type: 'toolCall', name: 'echo', arguments: { text: last.text } }] };
  });
});
afterEach(async () => {
  await host.dispose();
  await bench.dispose();
  await harness.close();
});

/** The app on the store as it is: nobody remembers anything. */
async function begin(): Promise<void> {
  approvals = await Approvals.open({
    file: join(harness.dir, 'approvals.json'),
    onChange: (event) => {
      const told = approvalChangeOf(event);
      if (told) host.tellApproval(told.sessionId, told.change);
    },
  });
  desk = new AttentionDesk({
    desktop: {
      support: () => ({ notifications: true, badge: true }),
      isHere: () => false,
      notify: ({ title, body }) => (notes.push(`${title}: ${body}`), () => void notes.push(`back: ${title}`)),
      setCount: (waiting) => void (count = waiting),
      ...{ call: () => undefined, calm: () => undefined, bringForward: () => undefined },
    },
    settings: defaultSettings,
    now: Date.now,
    soon: setImmediate,
    tellWindow: () => true,
  });
  host = new SessionHost({
    ...harness.ports,
    ...{ store: bench.store, sessionsDir: bench.dir, scratchDir: bench.dir },
    emit: (event) => {
      desk.hear(event);
      harness.ports.emit(event);
    },
    createTools: ({ sessionId, onOutput }) => ({
      ...plainTools(onOutput),
      async beforeToolCall({ toolCall, args }, signal) {
        const { text } = args as { text: string };
        const exact = { kind: 'call' as const, tool: 'echo', args: text };
        const ask = { toolCallId: toolCall.id, tool: 'echo', title: `Use ${text}`, reason: 'test', exact, scopes: {} };
        const { outcome } = await approvals.request(sessionId, ask as never, signal);
        return outcome === 'allowed' ? undefined : { block: true, reason: 'Declined.', outcome: 'declined' as never };
      },
    }),
  });
}

async function start(title: string, text: string): Promise<string> {
  const { id } = await host.create({ workspace: harness.dir });
  await host.rename(id, title);
  await (await host.session(id)).prompt(promptOf(text));
  return id;
}

/** Polls a state that has no event of its own here. */
const until = (isSo: () => boolean): Promise<void> =>
  expect
    .poll(isSo, { timeout: 10_000 })
    .toBe(true)
    .then(() => undefined);
const runOf = (id: string) => runStateOf(host.summary(id));

it('NT1, NT2: what waits is counted and told once; answered it is taken back and goes on', async () => {
  const a = await start('A', 'ask one');
  const b = await start('B', 'ask two');
  await until(() => count === 2);
  expect(notes).toEqual(['A: Waiting for your answer', 'B: Waiting for your answer']);
  const [first] = approvals.pending(a);
  expect(host.summary(a).waiting).toEqual({ what: 'Use ask one', more: 0, since: first!.createdAt });
  expect([runOf(a), runOf(b)]).toEqual(['needsYou', 'needsYou']);
  await approvals.answer(first!.id, first!.contentHash, 'once');
  await until(() => runOf(a) === 'done');
  expect([count, host.summary(a).waiting, approvals.pending().length]).toEqual([1, undefined, 1]);
  expect(notes.slice(2)).toEqual(['back: A']);
  // Stopped by the person: nobody is told, and it is no longer counted.
  await (await host.session(b)).stop();
  await until(() => count === 0);
  expect(runOf(b)).toBe('stoppedEarly');
  expect(notes.slice(3)).toEqual(['back: B']);
});

it('NT1, NT2: a deleted session waits for nobody', async () => {
  const a = await start('A', 'ask one');
  await until(() => count === 1);
  await host.remove(a);
  await until(() => count === 0);
  expect(notes).toEqual(['A: Waiting for your answer', 'back: A']);
});

it('NT1, NT2: a failure is told; after a restart each session is marked as it was left, and nobody is told', async () => {
  const failed = await start('F', 'fail now');
  await until(() => notes.length === 1);
  expect(notes).toEqual(['F: Stopped early: something failed']);
  const done = await start('D', 'say it');
  const asked = await start('A', 'ask one');
  await until(() => count === 1 && runOf(done) === 'done');
  desk.close();
  notes.length = 0;
  await host.dispose();
  await bench.restart();
  await begin();
  const list = await host.list();
  const listed = (id: string) => list.find((session) => session.id === id)!;
  expect([failed, done, asked].map((id) => runStateOf(listed(id)))).toEqual(['stoppedEarly', 'done', 'stoppedEarly']);
  expect([listed(failed).state, listed(asked).state]).toEqual(['error', 'idle']);
  // Opened, they say the same.
  for (const { id, state, turn } of list) {
    await host.session(id);
    expect(host.summary(id)).toMatchObject({ state, turn });
  }
  await new Promise(setImmediate);
  expect([notes, count]).toEqual([[], 0]);
});

it('NT1: going elsewhere in a session that stopped early leaves no mark where nothing is open', async () => {
  const id = await start('F', 'say it');
  await until(() => runOf(id) === 'done');
  const session = await host.session(id);
  const reply = session.log.tree.leafId!;
  await session.prompt(promptOf('fail now'));
  await until(() => runOf(id) === 'stoppedEarly' && host.summary(id).state === 'error');
  await session.branches.navigate({ targetId: reply, summarize: false });
  await until(() => runOf(id) === 'done');
});
