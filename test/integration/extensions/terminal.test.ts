import { afterEach, expect, test } from 'vitest';
import type { TerminalFrame } from '@shared/extensions/terminal';
import { type RunningHost, runExtensions } from '../../support/extension-runner';

/** Terminal views over the production host and processes of Node (EX24). */

let host: RunningHost;
afterEach(() => host.runner.close());

const HEAD = `import { matchesKey, Text } from '@earendil-works/pi-tui';\n`;

/** A command that shows a component and says what came of it. */
const showing = (component: string, options = '{}'): string => `${HEAD}
export default (pi: any) => {
  pi.registerCommand('show', {
    handler: async (_args: string, ctx: any) => {
      const result = await ctx.ui.custom((tui: any, theme: any, keys: any, done: any) => (${component}), ${options});
      ctx.ui.notify('result ' + JSON.stringify(result));
    },
  });
};`;

const run = (name = 'show'): Promise<void> => {
  const [{ extension, scope }] = host.runner.extensionsOf(host.sessionId) as [
    ReturnType<RunningHost['runner']['extensionsOf']>[number],
  ];
  return scope.runCommand(extension, name, '');
};

const view = () => [...host.ui.views.values()].at(-1);
const textOf = (frame?: TerminalFrame): string =>
  (frame?.pieces ?? []).map(({ text }) => text.replace(/\u001b\[[\d;]*m/g, '')).join('\n');
const shown = () => expect.poll(() => textOf(view()?.frame), { timeout: 10_000 });
const said = () => expect.poll(() => host.ui.said.map((each) => each.join(' ')), { timeout: 10_000 });

const COUNTER = `{
  n: 0,
  render(width: number) { return [theme.fg('accent', 'count ' + this.n), 'width ' + width]; },
  invalidate() {},
  handleInput(data: string) {
    if (matchesKey(data, 'up')) this.n += 1;
    else if (matchesKey(data, 'enter')) done({ n: this.n });
    tui.requestRender();
  },
}`;

test('EX24: a component is drawn in a grid, hears keys and sizes, and its result goes back', async () => {
  host = await runExtensions({ 'a.ts': showing(COUNTER) }, { terminal: { columns: 60, rows: 20 } });
  const ran = run();
  await shown().toBe('count 0\nwidth 60');
  expect(view()).toMatchObject({ isOverlay: false, isOpen: true });
  view()!.take({ input: '\u001b[A' });
  await shown().toBe('count 1\nwidth 60');
  expect(view()!.frame).toMatchObject({ columns: 60, rows: 2, isOverlay: false });
  expect(view()!.frame!.pieces[0]).toEqual({ row: 0, at: 0, width: 7, text: '\u001b[0;36mcount 1' });
  view()!.take({ columns: 30, rows: 10 });
  await shown().toBe('count 1\nwidth 30');
  view()!.take({ input: '\r' });
  await ran;
  await said().toContain('notify result {"n":1} info');
  expect(view()!.isOpen).toBe(false);
});

test('EX24: who closes the view gives undefined, and the command goes on', async () => {
  host = await runExtensions({ 'a.ts': showing(COUNTER) });
  const ran = run();
  await shown().toContain('count 0');
  view()!.close();
  await ran;
  await said().toContain('notify result undefined info');
});

test('EX24: an overlay is drawn where it wants to be, and what it leaves free is seen through', async () => {
  host = await runExtensions(
    { 'a.ts': showing(COUNTER, `{ overlay: true, overlayOptions: { anchor: 'top-right', width: 20, margin: 1 } }`) },
    { terminal: { columns: 80, rows: 24 } },
  );
  const ran = run();
  await shown().toContain('width 20');
  const { frame } = view()!;
  expect(frame).toMatchObject({ isOverlay: true, columns: 80, rows: 24 });
  expect(frame!.pieces.map(({ row, at, width }) => [row, at, width])).toEqual([
    [1, 59, 20],
    [2, 59, 20],
  ]);
  view()!.take({ input: '\r' });
  await ran;
});

test.each([
  ['throws as it draws', `{ render() { throw new Error('no paint'); } }`, 'no paint'],
  ['throws at a key', `{ render: () => ['here'], handleInput() { throw new Error('no key'); } }`, 'no key'],
  ['paints a million lines', `{ render: () => Array(1e6).fill('x') }`, '1,000,000 lines'],
  ['draws no lines', `{ render: () => 'text' }`, 'no list of lines'],
])('EX24: one that %s is closed, and named', async (_what, component, error) => {
  host = await runExtensions({ 'bad.ts': showing(component) });
  const ran = run();
  await expect.poll(view).toBeDefined();
  await expect.poll(() => view()!.isOpen && textOf(view()!.frame) !== 'here').toBe(false);
  view()!.take({ input: 'a' });
  await ran;
  await said().toContain('notify result undefined info');
  expect(view()!.isOpen).toBe(false);
  expect((await host.view('bad'))!.errors.map((each) => each.error).join()).toContain(error);
  expect(await host.view('bad')).toMatchObject({ state: 'running' });
});

test('EX24: one that never gets to draw can be closed', async () => {
  host = await runExtensions({ 'slow.ts': showing('new Promise(() => {})') });
  const ran = run();
  await expect.poll(() => view()?.isOpen).toBe(true);
  view()!.close();
  await ran;
  await said().toContain('notify result undefined info');
});

test('EX24: one that floods is drawn thirty times a second at most', async () => {
  host = await runExtensions({
    'flood.ts': showing(`{
      n: 0,
      render() { return ['frame ' + this.n++]; },
      timer: setInterval(() => { for (let i = 0; i < 1000; i += 1) tui.requestRender(); }, 1),
      dispose() { clearInterval(this.timer); },
    }`),
  });
  const frames: number[] = [];
  const { draw } = host.ui;
  host.ui.draw = (key, frame) => {
    frames.push(Date.now());
    draw(key, frame);
  };
  const ran = run();
  await expect.poll(() => frames.length, { timeout: 20_000 }).toBeGreaterThan(20);
  view()!.close();
  await ran;
  // Not less than the time that so many take; a slow computer draws fewer.
  expect(frames.at(-1)! - frames[0]!).toBeGreaterThan((frames.length - 2) * 30);
});

test('EX24: an endless loop at a key ends the process, and the view with it, by name', async () => {
  host = await runExtensions({
    'loop.ts': showing(`{ render: () => ['ready'], handleInput() { for (;;) {} } }`),
  });
  const ran = run().catch((error: Error) => error.message);
  await shown().toBe('ready');
  view()!.take({ input: 'x' });
  expect(await ran).toBeTruthy();
  await expect
    .poll(async () => (await host.view('loop'))!.errors.map(({ event, error }) => `${event}: ${error}`).join())
    .toContain('did not give the thread back');
});

test('EX16: without a terminal nothing is chosen', async () => {
  host = await runExtensions({ 'a.ts': showing(COUNTER) });
  const { id } = (await host.view('a'))!;
  await host.runner.setMode(id, 'rpc');
  await run();
  await said().toContain('notify result undefined info');
  expect(host.ui.views.size).toBe(0);
});
