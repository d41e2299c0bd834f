import { writeFileSync } from 'node:fs';
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
  return scope.calls.runCommand(extension, name, '');
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

test('EX24: widgets, header and footer that are components are drawn, and drawn anew when they ask', async () => {
  host = await runExtensions(
    {
      'a.ts': `${HEAD}
export default (pi: any) => {
  pi.on('session_start', (_event: any, ctx: any) => {
    let n = 0;
    ctx.ui.setStatus('s', 'three');
    ctx.ui.setWidget('w', (tui: any, theme: any) => {
      setTimeout(() => { n += 1; tui.requestRender(); }, 300);
      return { render: () => [theme.fg('accent', 'widget') + ' ' + n], invalidate() {} };
    });
    ctx.ui.setHeader(() => ({ render: (width: number) => ['head ' + width], invalidate() {} }));
    ctx.ui.setFooter((_tui: any, _theme: any, data: any) => ({ render: () => ['foot ' + data.getExtensionStatuses().get('s')], invalidate() {} }));
    ctx.ui.setWidget('bad', () => ({ render() { throw new Error('no widget'); }, invalidate() {} }));
  });
};`,
    },
    { terminal: { columns: 50, rows: 20 } },
  );
  await host.bus.tell('session_start', { reason: 'startup' } as never, { sessionId: host.sessionId });
  const drawn = (key: string) => textOf(host.ui.drawn.get(key) ?? undefined);
  await expect.poll(() => drawn('undefined w').trim(), { timeout: 10_000 }).toBe('widget 1');
  expect(drawn('header ')).toBe('head 50');
  expect(drawn('footer ')).toBe('foot three');
  await expect.poll(async () => (await host.view('a'))!.errors.map(({ error }) => error)).toEqual(['no widget']);
});

test('EX24: messages and calls are drawn by their extension, and a renderer that throws is named', async () => {
  host = await runExtensions({
    'a.ts': `${HEAD}
export default (pi: any) => {
  pi.registerMessageRenderer('note', (message: any, { expanded }: any, theme: any) => new Text(theme.fg('success', message.content) + (expanded ? ' all' : ''), 0, 0));
  pi.registerMessageRenderer('bad', () => { throw new Error('no message'); });
  pi.registerTool({
    name: 'roll', label: 'Roll', description: 'x', parameters: { type: 'object' }, execute: async () => ({ content: [] }),
    renderCall: (args: any, theme: any) => new Text(theme.bold('roll') + ' ' + args.sides, 0, 0),
    renderResult: (result: any) => new Text('got ' + result.details.value, 0, 0),
  });
};`,
  });
  const at = new Date(0).toISOString();
  const lines = [
    {
      type: 'custom_message',
      id: 'm1',
      parentId: null,
      timestamp: at,
      customType: 'note',
      content: 'Hello',
      display: true,
    },
    { type: 'custom_message', id: 'm2', parentId: 'm1', timestamp: at, customType: 'bad', content: 'x', display: true },
    {
      type: 'message',
      id: 'a1',
      parentId: 'm2',
      timestamp: at,
      message: { role: 'assistant', content: [{ type: 'toolCall', id: 'c1', name: 'roll', arguments: { sides: 6 } }] },
    },
    {
      type: 'message',
      id: 'r1',
      parentId: 'a1',
      timestamp: at,
      message: { role: 'toolResult', toolCallId: 'c1', toolName: 'roll', content: [], details: { value: 4 } },
    },
  ];
  writeFileSync(host.facts.file, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
  const draw = async (name: string, of: 'call' | 'result' | 'entry', id: string, isExpanded = false) =>
    textOf((await host.runner.draw(host.sessionId, name, { of, id, columns: 40, isExpanded })) ?? undefined).trim();
  expect(await draw('note', 'entry', 'm1')).toBe('Hello');
  expect(await draw('note', 'entry', 'm1', true)).toBe('Hello all');
  expect(await draw('roll', 'call', 'c1')).toBe('roll 6');
  expect(await draw('roll', 'result', 'c1')).toBe('got 4');
  expect(await draw('other', 'call', 'c1')).toBe('');
  expect(await draw('bad', 'entry', 'm2')).toBe('');
  expect((await host.view('a'))!.errors.map(({ error }) => error)).toEqual(['no message']);
});
