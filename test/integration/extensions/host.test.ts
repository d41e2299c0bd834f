import { readFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { type RunningHost, runExtensions } from '../../support/extension-runner';

/** The production host over processes of Node: extensions as files, good and bad (EX12, EX13, EX17). */

let host: RunningHost;
afterEach(() => host.runner.close());

const BEFORE = { preparation: { tokensBefore: 5 }, branchEntries: [], reason: 'manual', willRetry: false };

const compacting = (body: string): string =>
  `export default (pi: any) => { pi.on('session_before_compact', async (event: any, ctx: any) => {${body}}); };`;

const ask = (signal?: AbortSignal) =>
  host.bus.ask('session_before_compact', BEFORE as never, { sessionId: host.sessionId, ...(signal ? { signal } : {}) });

async function errorsOf(name: string): Promise<string> {
  return ((await host.view(name))?.errors ?? []).map(({ event, error }) => `${event}: ${error}`).join('\n');
}

test('EX12: a handler in its process answers, and cancels', async () => {
  host = await runExtensions({ 'a.ts': compacting('return { cancel: event.preparation.tokensBefore === 5 };') });
  expect(await host.view('a')).toMatchObject({ state: 'running', errors: [], origin: 'extensions', workspace: null });
  expect(await ask()).toMatchObject({ cancels: true });
});

test('EX2: what it throws is reported with its name and stack; the default goes on', async () => {
  host = await runExtensions({ 'bad.ts': compacting('throw new TypeError("no good");') });
  expect(await ask()).toBeNull();
  const [fault] = (await host.view('bad'))!.errors;
  expect(fault).toMatchObject({ event: 'session_before_compact', error: 'no good', count: 1 });
  expect(fault?.stack).toContain('bad.ts');
  expect(host.ui.said.filter(([method]) => method === 'failed')).toHaveLength(1);
  await ask();
  expect(host.ui.said.filter(([method]) => method === 'failed')).toHaveLength(1);
});

test('EX2: one that never returns costs its time and no more', async () => {
  host = await runExtensions({ 'slow.ts': compacting('await new Promise(() => {});') }, { beforeMs: 300 });
  expect(await ask()).toBeNull();
  expect(await errorsOf('slow')).toContain('did not answer within 0.3 s');
});

test('EX13: a signal reaches the handler', async () => {
  host = await runExtensions({
    'wait.ts': compacting(
      `await new Promise((done) => event.signal.addEventListener('abort', done)); ctx.ui.notify('stopped');`,
    ),
  });
  const controller = new AbortController();
  const answer = ask(controller.signal);
  setTimeout(() => controller.abort(), 200);
  expect(await answer).toBeNull();
  await expect.poll(() => host.ui.said).toContainEqual(['notify', 'stopped', 'info']);
});

test.each([
  ['ends its process', 'process.exit(7);', /ended/],
  ['is in an endless loop', 'for (;;) {}', /did not give the thread back/],
])('EX12: one that %s is named; the others go on after the restart', async (_what, body, words) => {
  host = await runExtensions({ 'a-bad.ts': compacting(body), 'b-good.ts': compacting('return { cancel: true };') });
  await ask();
  expect(await errorsOf('a-bad')).toMatch(words);
  expect(await errorsOf('b-good')).toBe('');
});

test('EX12: one that ends its process again and again rests; the others go on', async () => {
  host = await runExtensions({
    'a-bad.ts': compacting('process.exit(7);'),
    'b-good.ts': compacting('return { cancel: true };'),
  });
  for (let times = 0; times < 3; times++) await ask();
  await expect.poll(async () => (await host.view('a-bad'))?.state).toBe('resting');
  await expect.poll(() => ask()).toMatchObject({ cancels: true });
  expect((await host.view('b-good'))?.errors).toEqual([]);
  await host.runner.reload();
  expect((await host.view('a-bad'))?.state).toBe('running');
});

test('EX12: one that fills its memory ends its process, not the app', async () => {
  host = await runExtensions({
    'fat.ts': compacting(`const all = []; for (;;) all.push(Array.from({ length: 100_000 }, (_, i) => ({ i })));`),
  });
  expect(await ask()).toBeNull();
  expect(await errorsOf('fat')).toMatch(/ended/);
});

test('EX13: a result that is too large, or can’t be read, is its failure', async () => {
  host = await runExtensions({
    'large.ts': compacting(`return { compaction: { summary: 'x'.repeat(100_000_000) } };`),
    'getter.ts': compacting(`return { get cancel() { throw new Error('do not look'); } };`),
    'cycle.ts': compacting(`const a: any = {}; a.a = a; return a;`),
  });
  expect(await ask()).toBeNull();
  expect(await errorsOf('large')).toContain('larger than the 16 MB');
  expect(await errorsOf('getter')).toContain('do not look');
  expect(await errorsOf('cycle')).toContain('contains itself');
});

test('EX16: of 200,000 notifications and changes a few messages come, those said last among them', async () => {
  host = await runExtensions({
    'loud.ts': compacting(
      // A process that is long at work answers its beats.
      `for (let i = 0; i < 200_000; i++) {
        ctx.ui.notify('n' + i); ctx.ui.setStatus('s', 'at ' + i); ctx.ui.setWidget('w', ['line ' + i]); ctx.ui.setStatus('k' + i, 'x');
        if (i % 5_000 === 0) await new Promise(setImmediate);
      }`,
    ),
  });
  const startedAt = Date.now();
  await ask();
  const { said } = host.ui;
  await expect.poll(() => said).toContainEqual(['setStatus', 's', 'at 199999']);
  await expect.poll(() => said).toContainEqual(['setWidget', 'w', ['line 199999'], 'aboveEditor']);
  await expect.poll(() => said).toContainEqual(['notify', 'n199999', 'info']);
  // Every one is told, or counted.
  const told = said.filter(([method]) => method === 'notify').length;
  const leftOut = said.reduce((sum, [method, count]) => sum + (method === 'noticesLeftOut' ? Number(count) : 0), 0);
  expect(told + leftOut).toBe(200_000);
  // However slow the machine is: some a second.
  const seconds = (Date.now() - startedAt) / 1_000;
  expect(told).toBeLessThan(20 + 5 * seconds);
  expect(said.length).toBeLessThan(100 + 50 * seconds);
  expect(await errorsOf('loud')).toContain('more things at a time');
});

test('EX16: what is set before a question stands when it is asked; what is said as the process ends is heard', async () => {
  host = await runExtensions({
    'order.ts': compacting(`
      for (let i = 0; i < 50; i++) { ctx.ui.notify('n' + i); ctx.ui.setStatus('s', 'at ' + i); }
      await ctx.ui.confirm('Sure?', '');
      ctx.ui.setStatus('s', 'said last');
      ctx.ui.notify('Bye');
      process.exit(0);`),
  });
  await ask();
  const { said } = host.ui;
  const asked = said.findIndex(([method]) => method === 'confirm');
  const before = said.slice(0, asked);
  expect(before.findLast(([method]) => method === 'setStatus')).toEqual(['setStatus', 's', 'at 49']);
  expect(before.findLast(([method]) => method === 'notify')).toEqual(['notify', 'n49', 'info']);
  await expect.poll(() => said).toContainEqual(['setStatus', 's', 'said last']);
  await expect.poll(() => said).toContainEqual(['notify', 'Bye', 'info']);
});

test('EX17: what goes wrong thousands of times is listed a few times, and that there is more', async () => {
  host = await runExtensions({
    'bad.ts': compacting(`
      for (let i = 0; i < 1_000; i++) void Promise.reject(new Error('no. ' + i));
      for (let i = 0; i < 1_000; i++) pi.setLabel(i, 'not text ' + i);`),
  });
  await ask();
  await expect.poll(() => errorsOf('bad'), { timeout: 30_000 }).toContain('More went wrong than is listed here');
  const { errors } = (await host.view('bad'))!;
  expect(errors.reduce((sum, { count }) => sum + count, 0)).toBeLessThan(100);
});

test('EX14: both scopes resolve to the same modules; a missing name throws when it is used', async () => {
  host = await runExtensions({
    'both.ts': `
      import { Type } from 'typebox';
      import { StringEnum } from '@mariozechner/pi-ai';
      import { truncateHead, Later } from '@earendil-works/pi-coding-agent';
      import { visibleWidth } from '@earendil-works/pi-tui';
      class Fine extends (Later as any) {}
      export default (pi: any) => {
        pi.appendEntry('seen', [Type.String().type, visibleWidth('ab'), truncateHead('a\\nb', { maxLines: 1 }).content, typeof StringEnum]);
        try { new Fine(); } catch (error) { pi.setSessionName(String((error as Error).message)); }
      };`,
  });
  expect((await host.view('both'))?.problem).toBeUndefined();
  await expect.poll(() => host.done).toContainEqual(['appendEntry', 'seen', ['string', 2, 'a', 'function']]);
  expect(host.done).toContainEqual([
    'setName',
    'Later of @earendil-works/pi-coding-agent is not available in Espalier; the extension “both” uses it.',
  ]);
});

test('EX13: what is true of the session is pushed before the next event', async () => {
  host = await runExtensions({
    'facts.ts': compacting(
      `ctx.ui.notify(ctx.isIdle() + ' ' + pi.getSessionName() + ' ' + ctx.getContextUsage().contextWindow);`,
    ),
  });
  Object.assign(host.facts, { name: 'Another', isIdle: false });
  host.factsChanged();
  await ask();
  await expect.poll(() => host.ui.said).toContainEqual(['notify', 'false Another 1000', 'info']);
});

test('EX13: a handler changes an event in place', async () => {
  host = await runExtensions({
    'gate.ts': `export default (pi: any) => { pi.on('tool_call', (event: any) => { event.input.path = '/else'; }); };`,
  });
  const payload = () => ({ toolName: 'read', toolCallId: '1', input: { path: '/here' } });
  const given: unknown[] = [];
  for await (const reply of host.bus.each('tool_call', payload, { sessionId: host.sessionId }))
    given.push(reply.given.input);
  expect(given).toEqual([{ path: '/else' }]);
});

test('EX12: after a reload old contexts are stale', async () => {
  host = await runExtensions({
    'old.ts': `export default (pi: any) => { pi.on('session_before_compact', (_event: any, ctx: any) => {
      setTimeout(() => { try { ctx.ui.notify('still here'); } catch (error) { console.error(error); } }, 300); }); };`,
  });
  await ask();
  await host.runner.reload();
  await new Promise((done) => setTimeout(done, 500));
  expect(host.ui.said).not.toContainEqual(['notify', 'still here', 'info']);
});

test('EX14: an extension that calls what is missing has failed, and says so', async () => {
  host = await runExtensions({
    'missing.ts': `import { noSuchThing } from '@mariozechner/pi-coding-agent'; export default () => { noSuchThing(); };`,
  });
  const view = await host.view('missing');
  expect(view?.state).toBe('failed');
  expect(view?.problem).toBe(
    'noSuchThing of @mariozechner/pi-coding-agent is not available in Espalier; the extension “missing” uses it.',
  );
});

/** The worked examples of docs/extensions.md, in their order. */
const examples = [...readFileSync('docs/extensions.md', 'utf8').matchAll(/```ts\n([\s\S]*?)```/g)].map(
  ([, code = '']) => code,
);

test('EX15: the worked examples of the page load, and do what it says', async () => {
  const [tests = '', lines = '', model = '', tool = '', view = ''] = examples;
  expect(examples).toHaveLength(5);
  const asked: unknown[] = [];
  const usable = { provider: 'p', id: 'm', name: 'M' };
  const said = { role: 'assistant', content: [{ type: 'text', text: 'In short.' }] };
  host = await runExtensions(
    { 'c-model.ts': model, 'a-tests.ts': tests, 'b-lines.ts': lines, 'd-tool.ts': tool, 'e-view.ts': view },
    {
      start: () => ({ agentDir: '', cacheDir: '/nowhere', models: [usable], available: ['p/m'], version: '0' }),
      callModel: async (params) => {
        asked.push(params);
        return said;
      },
    },
  );
  expect((await host.runner.list()).map(({ name, state, errors }) => [name, state, errors])).toEqual(
    ['a-tests', 'b-lines', 'c-model', 'd-tool', 'e-view'].map((name) => [name, 'running', []]),
  );
  // There is no package to test here: the tests are red.
  expect(await ask()).toMatchObject({ cancels: true });
  const moment = { sessionId: host.sessionId };
  expect(await host.bus.ask('session.compacting', { sessionId: host.sessionId, messages: [] }, moment)).toMatchObject({
    result: { context: ['Name the ticket of each change.'] },
  });
  await host.runner.setEnabled((await host.view('a-tests'))!.id, false);
  const preparation = {
    ...{ messagesToSummarize: [{ role: 'user', content: 'Hi', timestamp: 0 }], turnPrefixMessages: [] },
    ...{ firstKeptEntryId: 'e', tokensBefore: 7 },
  };
  expect(await host.bus.ask('session_before_compact', { ...BEFORE, preparation } as never, moment)).toMatchObject({
    result: { compaction: { summary: 'In short.', firstKeptEntryId: 'e', tokensBefore: 7 } },
  });
  expect(JSON.stringify(asked)).toContain('[User]: Hi');
  const [{ extension, scope } = expect.fail()] = host.runner
    .extensionsOf(host.sessionId)
    .filter(({ extension: each }) => each.tools.length > 0);
  const call = { args: { sides: 1 }, signal: new AbortController().signal, onUpdate: () => undefined };
  expect(await scope.calls.runTool(extension, 'roll', call)).toMatchObject({ content: [{ type: 'text', text: '1' }] });
  host.ui.answers.set('input', 'Dice');
  await scope.calls.runCommand(extension, 'name-it', '');
  await expect.poll(() => host.done).toContainEqual(['setName', 'Dice']);
  const rated = host.runner.extensionsOf(host.sessionId).find((each) => each.extension.extension.name === 'e-view')!;
  const ran = rated.scope.calls.runCommand(rated.extension, 'rate', '');
  const shown = () => [...host.ui.views.values()][0];
  await expect
    .poll(() => JSON.stringify(shown()?.frame?.pieces ?? '').match(/★/g), { timeout: 10_000 })
    .toHaveLength(3);
  shown()!.take({ input: '\u001b[C' });
  shown()!.take({ input: '\r' });
  await ran;
  expect(host.done).toContainEqual(['appendEntry', 'rating', { stars: 4 }]);
});
