import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { Approvals } from '../../../src/main/approvals/approvals';
import { createToolHost } from '../../../src/main/approvals/tool-host';
import type { ToolSettings } from '../../../src/main/approvals/tool-host-options';
import type { ApprovalEvent, ApprovalRequest } from '../../../src/shared/policy/approval';
import type { ToolResultMessage } from '@shared/session/records/entry';
import { promptOf, startHarness, type Harness } from '../../support/agent-harness';
import { testFileWorkers } from '../../support/file-workers';
import { sentMessages, type ModelReply } from '../../support/model-server';
import { makeSandbox, type Sandbox } from '../../unit/tools/support/host';

const isTrusted = (): Promise<boolean> => Promise.resolve(true);

/** What a person can answer besides yes and no, through the real loop, provider code and wire. */

interface Talk {
  harness: Harness;
  sandbox: Sandbox;
  approvals: Approvals;
  events: ApprovalEvent[];
  settings: ToolSettings;
  /** Resolves with the question once it is open with this command. */
  asked(command: string): Promise<ApprovalRequest>;
  /** The stored tool results, in order. */
  results(): ToolResultMessage[];
  /** The texts of the tool results that the model was sent with the request. */
  sentResults(request: number): string[];
}

const open: Talk[] = [];
afterEach(async () => {
  for (const { harness, sandbox } of open.splice(0)) {
    await harness.close();
    sandbox.remove();
  }
});

const callOf = (...commands: string[]): ModelReply => ({
  content: commands.map((command, at) => ({
    type: 'toolCall',
    id: `call_${at}`,
    name: 'bash',
    arguments: { command },
  })),
});

async function startTalk(first: ModelReply): Promise<Talk> {
  const sandbox = await makeSandbox();
  const events: ApprovalEvent[] = [];
  const waiting = new Set<() => void>();
  const settings = { policy: {}, deniedPaths: [] as string[] };
  const approvals = await Approvals.open({
    file: join(sandbox.dataDir, 'approvals.json'),
    onChange: (event) => {
      events.push(event);
      for (const look of [...waiting]) look();
    },
  });
  const files = await testFileWorkers();
  const harness = await startHarness({
    tools: ({ onOutput }) =>
      createToolHost({ ...sandbox, files, sessionId: 's1', approvals, onOutput, settings: () => settings, isTrusted }),
  });
  harness.server.script([first, 'Done.']);
  const talk: Talk = {
    harness,
    sandbox,
    approvals,
    events,
    settings,
    asked: (command) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = approvals.pending().find(({ exact }) => exact.kind === 'command' && exact.command === command);
          if (!found) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    results: () =>
      harness.log.stored.flatMap(({ line }) => {
        const { message } = JSON.parse(line) as { message?: ToolResultMessage };
        return message?.role === 'toolResult' ? [message] : [];
      }),
    sentResults: (request) => {
      const sent = harness.server.requests[request];
      return sent ? sentMessages(sent).flatMap(({ role, text }) => (role === 'tool' ? [text] : [])) : [];
    },
  };
  open.push(talk);
  return talk;
}

const textOf = (result: ToolResultMessage | undefined): string =>
  (result?.content as { text?: string }[] | undefined)?.map((block) => block.text ?? '').join('') ?? '';

test('an edited command is asked as that call, runs instead, and the model is told in the first line', async () => {
  const talk = await startTalk(callOf('echo asked > out.txt'));
  await talk.harness.session.prompt(promptOf('go'));
  const asked = await talk.asked('echo asked > out.txt');
  expect(asked.canEdit).toBe(true);
  expect(await talk.approvals.edit(asked.id, asked.contentHash, 'echo ran | tee out.txt')).toEqual({ ok: true });
  // It is a question of its own: nothing has run, and the old answer is worth nothing.
  const edited = await talk.asked('echo ran | tee out.txt');
  expect(edited).toMatchObject({ id: asked.id, scopes: {}, edited: { asked: 'echo asked > out.txt' } });
  expect(edited.contentHash).not.toBe(asked.contentHash);
  expect(existsSync(join(talk.sandbox.workspaceDir, 'out.txt'))).toBe(false);
  expect(await talk.approvals.answer(asked.id, asked.contentHash, 'once')).toMatchObject({ ok: false });
  expect(await talk.approvals.answer(edited.id, edited.contentHash, 'always')).toMatchObject({ ok: false });
  expect(await talk.approvals.answer(edited.id, edited.contentHash, 'once')).toEqual({ ok: true });
  await talk.harness.settled();
  expect(await readFile(join(talk.sandbox.workspaceDir, 'out.txt'), 'utf8')).toBe('ran\n');
  const [result] = talk.results();
  expect(textOf(result).split('\n')[0]).toBe(
    '[The person changed the command before it ran. This ran instead: echo ran | tee out.txt]',
  );
  expect(result?.isError).toBe(false);
  expect(result?.details).toMatchObject({
    command: 'echo ran | tee out.txt',
    exitCode: 0,
    espalier: { edited: { asked: 'echo asked > out.txt', ran: 'echo ran | tee out.txt' } },
  });
  expect(talk.sentResults(1)[0]).toContain('This ran instead: echo ran | tee out.txt');
  expect(talk.approvals.rules()).toEqual([]);
  expect(talk.approvals.remembered('s1', edited.scopes)).toBeUndefined();
});

test('a failed command that was edited keeps its line, its exit code and its error', async () => {
  const talk = await startTalk(callOf('true'));
  await talk.harness.session.prompt(promptOf('go'));
  const asked = await talk.asked('true');
  const command = 'echo one\nexit 3';
  await talk.approvals.edit(asked.id, asked.contentHash, command);
  const edited = await talk.asked(command);
  await talk.approvals.answer(edited.id, edited.contentHash, 'once');
  await talk.harness.settled();
  const [result] = talk.results();
  expect(result?.isError).toBe(true);
  expect(textOf(result)).toBe(
    '[The person changed the command before it ran. This ran instead: "echo one\\nexit 3"]\none\n\n[Exit code 3.]',
  );
});

test('an edited command passes the same gate: what cannot run is refused and the first question stays', async () => {
  const talk = await startTalk(callOf('echo asked'));
  await talk.harness.session.prompt(promptOf('go'));
  const asked = await talk.asked('echo asked');
  for (const command of ['', '  \n', 'echo \0', 'echo \ud800', 'x'.repeat(100_000 * 2)]) {
    expect(await talk.approvals.edit(asked.id, asked.contentHash, command)).toMatchObject({ ok: false });
  }
  talk.settings.policy = { bash: 'deny' };
  const refused = await talk.approvals.edit(asked.id, asked.contentHash, 'echo other');
  expect(refused).toEqual({ ok: false, reason: 'The tool bash is turned off in Settings.' });
  expect(talk.approvals.pending()).toEqual([asked]);
  // What may run without a question is still a question when the person wrote it.
  talk.settings.policy = { bash: 'allow' };
  expect(await talk.approvals.edit(asked.id, asked.contentHash, 'echo other')).toEqual({ ok: true });
  await talk.asked('echo other');
  await talk.harness.session.stop();
});

test('two edits at once: one counts, the other is told', async () => {
  const talk = await startTalk(callOf('echo asked'));
  await talk.harness.session.prompt(promptOf('go'));
  const asked = await talk.asked('echo asked');
  const answers = await Promise.all(
    ['echo a', 'echo b'].map((command) => talk.approvals.edit(asked.id, asked.contentHash, command)),
  );
  expect(answers.map((answer) => answer.ok).sort()).toEqual([false, true]);
  await talk.harness.session.stop();
});

test('a "no" with a reason: the model gets the reason as the result', async () => {
  const talk = await startTalk(callOf('npm install left-pad'));
  await talk.harness.session.prompt(promptOf('go'));
  const asked = await talk.asked('npm install left-pad');
  const answer = await talk.approvals.answer(
    asked.id,
    asked.contentHash,
    'deny',
    'Use what is there; no new packages.',
  );
  expect(answer).toEqual({ ok: true });
  await talk.harness.settled();
  const [result] = talk.results();
  expect(result?.isError).toBe(true);
  expect(textOf(result)).toContain('The person declined this and says why: Use what is there; no new packages.');
  expect(talk.sentResults(1)[0]).toContain('Use what is there; no new packages.');
});

test('stop while a command is edited or answered: nothing runs, and the late answer is told', async () => {
  const talk = await startTalk(callOf('touch ran'));
  await talk.harness.session.prompt(promptOf('go'));
  const asked = await talk.asked('touch ran');
  const editing = talk.approvals.edit(asked.id, asked.contentHash, 'touch ran2');
  await talk.harness.session.stop();
  const edited = await editing;
  expect(edited.ok === false || talk.approvals.pending().length === 0).toBe(true);
  for (const late of [
    await talk.approvals.answer(asked.id, asked.contentHash, 'once'),
    await talk.approvals.answer(asked.id, asked.contentHash, 'always'),
    await talk.approvals.edit(asked.id, asked.contentHash, 'touch ran3'),
  ]) {
    expect(late).toEqual({ ok: false, reason: expect.stringContaining('already answered, or its run was stopped') });
  }
  expect(talk.approvals.rules()).toEqual([]);
  for (const name of ['ran', 'ran2', 'ran3']) expect(existsSync(join(talk.sandbox.workspaceDir, name))).toBe(false);
});

test('a double press: the second answer changes nothing, also while an "always" is being written', async () => {
  const talk = await startTalk(callOf('echo one >> log.txt'));
  await talk.harness.session.prompt(promptOf('go'));
  const asked = await talk.asked('echo one >> log.txt');
  const [first, second, third] = await Promise.all([
    talk.approvals.answer(asked.id, asked.contentHash, 'always'),
    talk.approvals.answer(asked.id, asked.contentHash, 'deny'),
    talk.approvals.edit(asked.id, asked.contentHash, 'echo two >> log.txt'),
  ]);
  expect([first, second, third].map((answer) => answer.ok)).toEqual([true, false, false]);
  await talk.harness.settled();
  expect(await readFile(join(talk.sandbox.workspaceDir, 'log.txt'), 'utf8')).toBe('one\n');
});

test('two calls in a reply: each is asked by itself, in order; an answer to one says nothing about the other', async () => {
  const talk = await startTalk(callOf('echo one >> log.txt', 'echo two >> log.txt'));
  await talk.harness.session.prompt(promptOf('go'));
  const first = await talk.asked('echo one >> log.txt');
  expect(await talk.approvals.answer(first.id, first.contentHash, 'once')).toEqual({ ok: true });
  const second = await talk.asked('echo two >> log.txt');
  expect(await talk.approvals.answer(second.id, first.contentHash, 'once')).toMatchObject({ ok: false });
  expect(await talk.approvals.answer(first.id, first.contentHash, 'once')).toMatchObject({ ok: false });
  await talk.approvals.answer(second.id, second.contentHash, 'deny', 'One is enough.');
  await talk.harness.settled();
  expect(await readFile(join(talk.sandbox.workspaceDir, 'log.txt'), 'utf8')).toBe('one\n');
  expect(talk.results().map((result) => result.isError)).toEqual([false, true]);
});

test('an edited question keeps its place among several', async () => {
  const sandbox = await makeSandbox();
  const approvals = await Approvals.open({ file: join(sandbox.dataDir, 'approvals.json') });
  const host = createToolHost({
    ...sandbox,
    files: await testFileWorkers(),
    sessionId: 's1',
    approvals,
    settings: () => ({ policy: {}, deniedPaths: [] }),
    isTrusted,
  });
  await writeFile(join(sandbox.workspaceDir, 'a'), '');
  const gate = (id: string, command: string) =>
    host.beforeToolCall({ toolCall: { type: 'toolCall', id, name: 'bash', arguments: {} }, args: { command } });
  const calls: Promise<unknown>[] = [];
  for (const [id, command] of [
    ['1', 'one'],
    ['2', 'two'],
    ['3', 'three'],
  ] as const) {
    calls.push(gate(id, command));
    while (approvals.pending().length < calls.length) await new Promise((resolve) => setImmediate(resolve));
  }
  const [, second] = approvals.pending();
  await approvals.edit(second?.id ?? '', second?.contentHash ?? '', 'other');
  const commands = approvals.pending('s1').map(({ exact }) => (exact.kind === 'command' ? exact.command : ''));
  expect(commands).toEqual(['one', 'other', 'three']);
  await host.dispose();
  await Promise.all(calls);
  sandbox.remove();
});
