import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Approvals } from '../../../src/main/approvals/approvals';
import { PendingCalls } from '../../../src/main/approvals/pending-calls';
import { createToolHost } from '../../../src/main/approvals/tool-host';
import { MAYBE_BEGAN, NEVER_BEGAN } from '../../../src/shared/policy/call-outcome';
import type { ApprovalRequest } from '../../../src/shared/policy/approval';
import type { Settings } from '../../../src/shared/settings';
import type { ToolResultMessage } from '@shared/session/records/entry';
import { promptOf, startHarness, type Harness } from '../../support/agent-harness';
import { testFileWorkers } from '../../support/file-workers';
import type { MemoryLog } from '../../support/memory-log';
import { sentMessages, type ModelReply } from '../../support/model-server';
import { makeSandbox, type Sandbox } from '../../unit/tools/support/host';

/** What is known of the calls that a crash left open: the app's own tools, its notes on disk, the real loop. */

let sandbox: Sandbox;
let harness: Harness;
let approvals: Approvals;
beforeEach(async () => {
  sandbox = await makeSandbox();
  approvals = await Approvals.open({ file: join(sandbox.dataDir, 'approvals.json') });
});
afterEach(async () => {
  await harness.close();
  sandbox.remove();
});

const notes = (name = 'asked.json'): Promise<PendingCalls> =>
  PendingCalls.open(join(sandbox.dataDir, name), { warn: () => undefined });

const callsOf = (...commands: string[]): ModelReply => ({
  content: commands.map((command, at) => ({ type: 'toolCall', id: `c${at}`, name: 'bash', arguments: { command } })),
});

async function start(first: ModelReply, settings: Partial<Settings> = {}): Promise<void> {
  const [asked, files] = [await notes(), await testFileWorkers()];
  harness = await startHarness({
    settings,
    tools: (own) =>
      createToolHost({
        ...{ ...sandbox, ...own, asked, files, approvals },
        isTrusted: () => Promise.resolve(true),
        settings: () => ({ policy: {}, deniedPaths: [] }),
      }),
  });
  harness.server.script([first, 'Done.']);
  await harness.session.prompt(promptOf('Go'));
}

/** Resolves with the question about a command once it is open. */
const question = (command: string): Promise<ApprovalRequest> =>
  expect.poll(() => pendingOf(command), { timeout: 20_000 }).toBeDefined().then(() => pendingOf(command)!); // prettier-ignore
const pendingOf = (command: string): ApprovalRequest | undefined =>
  approvals.pending().find(({ exact }) => exact.kind === 'command' && exact.command === command);

async function allow(command: string): Promise<void> {
  const { id, contentHash } = await question(command);
  expect(await approvals.answer(id, contentHash, 'once')).toEqual({ ok: true });
}
/** The command runs: it prints that it does. */
const running = (callId: string): Promise<unknown> =>
  harness.until('tool_output', (event) => event.toolCallId === callId);

/** The session as it is found when the app is started on this file with these notes. */
async function found(log: MemoryLog, asked: PendingCalls): Promise<Awaited<ReturnType<Harness['reopen']>>> {
  harness.ports.firstUnbegun = (reply) => asked.firstUnbegun(reply);
  return harness.reopen(log.reopen());
}
const LONG = 'echo on; sleep 60';

it('AG11: of two commands of a reply the second has not begun while the first runs', async () => {
  await start(callsOf(LONG, 'echo two'));
  await allow(LONG);
  await running('c0');
  const again = await found(harness.log, await notes());
  expect(await again.snapshot()).toMatchObject({ interrupted: true, neverBegan: ['c1'] });
  await again.retry();
  await harness.settled();
  const told = sentMessages(harness.server.requests[1]!).filter(({ role }) => role === 'tool');
  expect(told.map(({ text }) => text)).toEqual([MAYBE_BEGAN, NEVER_BEGAN]);
});

it('AG11: a call that the person is asked about has not begun, nor has one behind it', async () => {
  await start(callsOf('echo one', 'echo two'));
  await question('echo one');
  await expect.poll(async () => (await notes()).firstUnbegun(replyOf(harness.log))).toBe('c0');
  expect((await (await found(harness.log, await notes())).snapshot()).neverBegan).toEqual(['c0', 'c1']);
});

it('AG11: once the second command begins nothing is claimed of it, by an older copy of the file either', async () => {
  await start(callsOf('echo on; sleep 0.3', LONG));
  await allow('echo on; sleep 0.3');
  await running('c0');
  const older = harness.log.reopen();
  await allow(LONG);
  await running('c1');
  for (const log of [harness.log, older])
    expect(await (await found(log, await notes())).snapshot()).toMatchObject({ interrupted: true, neverBegan: [] });
});

it('AG11, SF11: the command that the person made of a call is in the file before it runs, and the model is told of it', async () => {
  await start(callsOf('echo asked'));
  const asked = await question('echo asked');
  expect(await approvals.edit(asked.id, asked.contentHash, LONG)).toEqual({ ok: true });
  await allow(LONG);
  await running('c0');
  const edits = { c0: editOf(harness.log) };
  expect(await harness.session.snapshot()).toMatchObject({ edits });
  const again = await found(harness.log, await notes());
  expect(await again.snapshot()).toMatchObject({ interrupted: true, neverBegan: [], edits });
  await again.retry();
  await harness.settled();
  const [told] = sentMessages(harness.server.requests[1]!).filter(({ role }) => role === 'tool');
  expect(told?.text).toBe(`${MAYBE_BEGAN}\n[The person changed the command. If it ran, it was this: ${LONG}]`);
  const result = messagesOf(again.log as MemoryLog).find((one): one is ToolResultMessage => one.role === 'toolResult');
  expect(result?.details).toMatchObject({
    espalier: { edited: { asked: 'echo asked', ran: LONG }, outcome: 'interrupted' },
  });
});

/** A command that the person changed was cut off, in a session with enough before it to sum up. */
async function cutOffEdited(): Promise<Harness['session']> {
  await start({ content: [{ type: 'text', text: 'word '.repeat(4_000) }] }, { 'compaction.keepRecentTokens': 1 });
  await harness.settled();
  harness.server.script([callsOf('echo asked'), 'The summary.', 'Done.']);
  await harness.session.prompt(promptOf('Once more'));
  const asked = await question('echo asked');
  expect(await approvals.edit(asked.id, asked.contentHash, LONG)).toEqual({ ok: true });
  await allow(LONG);
  await running('c0');
  return found(harness.log, await notes());
}
const sent = (): string => JSON.stringify(harness.server.requests.at(-1)?.body);
const TOLD = `If it ran, it was this: ${LONG}`;

it('AG11: a compaction stores first what is known of open calls: no request names the command that did not run alone', async () => {
  const again = await cutOffEdited();
  await again.compact({});
  await harness.until('compaction_end');
  const results = messagesOf(again.log as MemoryLog).filter(({ role }) => role === 'toolResult');
  expect(JSON.stringify(results)).toContain(TOLD);
  await again.prompt(promptOf('And now?'));
  await harness.settled(2);
  expect(sent()).toContain(TOLD);
});

it('AG11: so do the summary of a branch that is left, and a handoff', async () => {
  const again = await cutOffEdited();
  await again.branches.draftHandoff('go on elsewhere');
  expect(sent()).toContain(TOLD);
});

it('AG11: and back on the reply itself the command that ran is found below it', async () => {
  const again = await cutOffEdited();
  const nodes = again.log.tree.entriesInOrder();
  const reply = nodes.find(({ facts }) => facts.calls)!;
  const user = nodes.find(({ facts }) => facts.role === 'user')!;
  await again.branches.navigate({ targetId: user.id, summarize: false, exact: true });
  await again.branches.navigate({ targetId: reply.id, summarize: false, exact: true });
  expect((await again.snapshot()).edits).toEqual({ c0: editOf(harness.log) });
  await again.retry();
  await harness.settled(2);
  expect(sent()).toContain(TOLD);
});

it('AG11: what was noted of a stopped reply does not count for another one with the same ids', async () => {
  await start(callsOf('echo asked'));
  const asked = await question('echo asked');
  expect(await approvals.edit(asked.id, asked.contentHash, LONG)).toEqual({ ok: true });
  await allow(LONG);
  await running('c0');
  await harness.session.stop();
  await harness.settled();
  const user = harness.log.tree.entriesInOrder().find(({ facts }) => facts.role === 'user');
  await harness.session.branches.navigate({ targetId: user!.id, summarize: false, exact: true });
  expect((await harness.session.snapshot()).edits).toEqual({});
});

it('AG11: back on a branch whose calls a crash left open, they are shown as they were', async () => {
  await start(callsOf(LONG, 'echo two'));
  await allow(LONG);
  await running('c0');
  const again = await found(harness.log, await notes());
  const log = again.log;
  const [user, reply] = log.tree.entriesInOrder().filter(({ facts }) => facts.type === 'message');
  await again.branches.navigate({ targetId: user!.id, summarize: false, exact: true });
  expect((await again.snapshot()).interrupted).toBe(false);
  await again.branches.navigate({ targetId: reply!.id, summarize: false, exact: true });
  expect(await again.snapshot()).toMatchObject({ interrupted: true, neverBegan: ['c1'] });
});

/** What a summary request that the session makes next says of the calls of its last reply. */
async function toldOfCalls(work: () => Promise<unknown>): Promise<string> {
  harness.server.script(['The summary.']);
  await work();
  const text = sentMessages(harness.server.requests.at(-1)!).at(-1)?.text ?? '';
  return text.split('[Assistant tool calls]: ').at(-1)?.split('\n')[0] ?? '';
}
async function bringHere(sourceId: string, session: Harness['session']): Promise<void> {
  const user = session.log.tree.entriesInOrder().find(({ facts }) => facts.role === 'user')!;
  await session.branches.navigate({ targetId: user.id, summarize: false, exact: true });
  const done = session.branches.bringOver({ sourceId, targetId: user.id });
  await expect.poll(async () => (await session.snapshot()).job?.review ?? null).not.toBeNull();
  session.answerReview('Mine.');
  await done;
}

it('SU19: a summary that is brought over says of a call that was cut off what may have run in its place', async () => {
  const again = await cutOffEdited();
  expect(await toldOfCalls(() => bringHere(again.log.tree.leafId!, again))).toBe(
    `bash(command="echo asked") [result unknown, may have run as "${LONG}"]`,
  );
});

it('SU19: and of one that never began that it was not run', async () => {
  await start(callsOf('rm -rf precious'));
  await question('rm -rf precious');
  await expect.poll(async () => (await notes()).firstUnbegun(replyOf(harness.log))).toBe('c0');
  const again = await found(harness.log, await notes());
  expect(await toldOfCalls(() => bringHere(again.log.tree.leafId!, again))).toBe(
    'bash(command="rm -rf precious") [not run: interrupted]',
  );
});

const ENDS = [
  ['declined', 'declined by the person'],
  ['changed', 'ran as "echo harmless"'],
] as const;
for (const [how, told] of ENDS)
  it(`SU19: back on a reply whose call was ${how}, each summary says so`, async () => {
    await start({ content: [{ type: 'text', text: 'word '.repeat(400) }] });
    await harness.settled();
    harness.server.script([callsOf('rm -rf precious'), 'Done.']);
    await harness.session.prompt(promptOf('Once more'));
    const { id, contentHash } = await question('rm -rf precious');
    if (how === 'declined') await approvals.answer(id, contentHash, 'deny');
    else {
      await approvals.edit(id, contentHash, 'echo harmless');
      await allow('echo harmless');
    }
    await harness.settled(2);
    const { branches, log } = harness.session;
    const nodes = log.tree.entriesInOrder();
    const reply = nodes.find(({ facts }) => facts.calls)!;
    const user = nodes.find(({ facts }) => facts.role === 'user')!;
    const last = log.tree.leafId!;
    // With its result on the branch, which a branch summary does not tell.
    expect(await toldOfCalls(() => bringHere(last, harness.session))).toBe(`bash(command="rm -rf precious") [${told}]`);
    await branches.go({ targetId: reply.id, choice: { summarize: false } });
    expect(log.tree.leafId).toBe(reply.id);
    for (const work of [
      () => branches.draftHandoff('go on elsewhere'),
      () => branches.navigate({ targetId: user.id, exact: true, summarize: true }),
    ])
      expect(await toldOfCalls(work)).toBe(`bash(command="rm -rf precious") [${told}]`);
  });

/** Two commands were cut off, the second before it began; the session then went on from the question. What is left is no job's to tell. */
async function leftOpen(): Promise<{ session: Harness['session']; open: string; other: string }> {
  await start(callsOf('echo asked', 'echo two'));
  const { id, contentHash } = await question('echo asked');
  expect(await approvals.edit(id, contentHash, LONG)).toEqual({ ok: true });
  await allow(LONG);
  await running('c0');
  const session = await found(harness.log, await notes());
  const { tree } = session.log;
  const open = tree.leafId!;
  const user = tree.entriesInOrder().find(({ facts }) => facts.role === 'user')!;
  await session.branches.navigate({ targetId: user.id, summarize: false, exact: true });
  harness.server.script(['Elsewhere.', 'The summary.', 'Done.']);
  await session.prompt(promptOf('Try elsewhere'));
  await harness.settled();
  return { session, open, other: tree.leafId! };
}

const RETURNS = {
  'back on it with a summary': async ({ session, open }) => {
    await session.branches.navigate({ targetId: open, summarize: true });
  },
  'with a branch brought over onto it': async ({ session, open, other }) => {
    await session.branches.navigate({ targetId: open, summarize: false });
    expect(await session.snapshot()).toMatchObject({ interrupted: true, neverBegan: ['c1'] });
    const done = session.branches.bringOver({ sourceId: other, targetId: open });
    await expect.poll(async () => (await session.snapshot()).job?.review ?? null).not.toBeNull();
    session.answerReview('Mine.');
    await done;
  },
} satisfies Record<string, (left: Awaited<ReturnType<typeof leftOpen>>) => Promise<void>>;
for (const [how, goBack] of Object.entries(RETURNS))
  it(`AG11: ${how}, what is known of a reply's open calls is stored before the summary`, async () => {
    const left = await leftOpen();
    const { session, open } = left;
    await goBack(left);
    const { tree } = session.log;
    const path = tree.pathTo(tree.leafId!).slice(tree.pathTo(open).length);
    expect(path.map(({ facts }) => facts.answers ?? facts.type)).toEqual(['c0', 'c1', 'branch_summary']);
    expect((await session.snapshot()).rows.slice(-3).map(({ id }) => id)).toEqual(path.map(({ id }) => id));
    await session.prompt(promptOf('And now?'));
    await harness.settled(2);
    const told = sentMessages(harness.server.requests.at(-1)!).filter(({ role }) => role === 'tool');
    expect(told.map(({ text }) => text)).toEqual([
      `${MAYBE_BEGAN}\n[The person changed the command. ${TOLD}]`,
      NEVER_BEGAN,
    ]);
  });

it('AG11: where that can’t be stored the summary is not either', async () => {
  const { session, open, other } = await leftOpen();
  const log = session.log as MemoryLog;
  const before = log.stored.length;
  log.failures.push(new Error('The disk is full'));
  await expect(session.branches.navigate({ targetId: open, summarize: true })).rejects.toThrow('The disk is full');
  expect(log.stored).toHaveLength(before);
  expect(log.tree.leafId).toBe(other);
});

it('AG11: nor is a branch summary or a handoff written where what is known of open calls can’t be stored', async () => {
  const again = await cutOffEdited();
  const log = again.log as MemoryLog;
  const [before, leaf] = [log.stored.length, log.tree.leafId];
  const user = log.tree.entriesInOrder().find(({ facts }) => facts.role === 'user')!;
  for (const work of [
    () => again.branches.navigate({ targetId: user.id, exact: true, summarize: true }),
    () => again.branches.draftHandoff('go on elsewhere'),
  ]) {
    log.failures.push(new Error('The disk is full'));
    await expect(work()).rejects.toThrow('The disk is full');
    expect(log.failures).toHaveLength(0);
    expect([log.stored.length, log.tree.leafId]).toEqual([before, leaf]);
  }
  expect(harness.server.requests).toHaveLength(2);
  await again.branches.draftHandoff('go on elsewhere');
  expect(sent()).toContain(TOLD);
});

it('AG11: where what is known of open calls can’t be stored, a compaction fails in words and changes nothing', async () => {
  const again = await cutOffEdited();
  const log = again.log as MemoryLog;
  const before = log.stored.length;
  log.failures.push(new Error('The disk is full'));
  await again.compact({});
  const end = await harness.until('compaction_end');
  expect(end).toMatchObject({ errorMessage: expect.stringContaining('The disk is full') as string });
  expect(log.stored).toHaveLength(before);
  expect(harness.server.requests).toHaveLength(2);
  await again.prompt(promptOf('And now?'));
  await harness.settled(2);
  expect(sent()).toContain(TOLD);
});

const messagesOf = (log: MemoryLog): { role: string }[] =>
  log.stored.flatMap(({ line }) => {
    const { message } = JSON.parse(line) as { message?: { role: string } };
    return message ? [message] : [];
  });
const replyOf = (log: MemoryLog): { sessionId: string; replyId: string } => ({
  sessionId: log.sessionId,
  replyId: log.tree.entriesInOrder().find(({ facts }) => facts.calls)!.id,
});
const editOf = (log: MemoryLog): string =>
  log.tree.entriesInOrder().find(({ facts }) => facts.customType === 'espalier.edited')!.id;
