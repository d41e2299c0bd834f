import { afterEach, expect, test } from 'vitest';
import type { TerminalFrame } from '@shared/extensions/terminal';
import { type RunningHost, runExtensions } from '../../support/extension-runner';

/** Editors, completions and notifications of extensions, over the production host and processes of Node (EX16, EX24). */

let host: RunningHost;
afterEach(() => host.runner.close());

const start = (): Promise<unknown> =>
  host.bus.tell('session_start', { reason: 'startup' } as never, { sessionId: host.sessionId });
const atStart = (body: string, imports = ''): string => `${imports}
export default (pi: any) => pi.on('session_start', (_event: any, ctx: any) => { ${body} });`;
const EDITOR = `import { CustomEditor } from '@earendil-works/pi-coding-agent';
class Loud extends CustomEditor {
  render(width: number) { return super.render(width).map((line) => line.replace(/hello/g, 'HELLO')); }
}`;
const editor = () => [...host.ui.views.values()].at(-1);
const textOf = (frame?: TerminalFrame): string =>
  (frame?.pieces ?? []).map(({ text }) => text.replace(/\u001b\[[\d;]*m/g, '')).join('\n');
const shown = () => expect.poll(() => textOf(editor()?.frame), { timeout: 10_000 });
const says = () =>
  host.ui.said.filter(([what]) => what === 'editorSays').map(([, does, text]) => `${String(does)} ${String(text)}`);
const errors = async (name: string) => ((await host.view(name))?.errors ?? []).map(({ error }) => error);
const type = (text: string): void => {
  for (const input of text) editor()!.take({ input });
};

test('EX24: what is written in an editor of an extension is told, sent with Enter, queued with Alt+Enter', async () => {
  host = await runExtensions({
    'loud.ts': atStart(
      `ctx.ui.setEditorComponent((tui: any, theme: any, keys: any) => new Loud(tui, theme, keys));`,
      EDITOR,
    ),
  });
  host.ui.holds('a draft');
  await start();
  await shown().toContain('a draft');
  type(' hello');
  await shown().toContain('a draft HELLO');
  await expect.poll(() => says().at(-1)).toBe('hold a draft hello');
  type('\r');
  await expect.poll(() => says().at(-1)).toBe('submit a draft hello');
  await shown().not.toContain('HELLO');
  type('later');
  editor()!.take({ input: '\u001b[13;3u' });
  await expect.poll(() => says().at(-1)).toBe('followUp later');
  editor()!.take({ input: '\u001b' });
  await expect.poll(() => says().at(-1)).toBe('escape ');
  // The composer has another text by itself: a message that could not be sent, or one of the history.
  host.ui.holds('back again');
  await shown().toContain('back again');
  expect(says().at(-1)).toBe('escape ');
});

test('EX24: an editor is taken back, and without a terminal there is none', async () => {
  host = await runExtensions({
    'loud.ts': `${EDITOR}
export default (pi: any) => {
  pi.on('session_start', (_event: any, ctx: any) => {
    const factory = (tui: any, theme: any, keys: any) => new Loud(tui, theme, keys);
    ctx.ui.setEditorComponent(factory);
    ctx.ui.notify('same ' + (ctx.ui.getEditorComponent() === factory));
  });
  pi.on('session_info_changed', (_event: any, ctx: any) => ctx.ui.setEditorComponent(undefined));
};`,
  });
  await start();
  await expect.poll(() => editor()?.isOpen, { timeout: 10_000 }).toBe(true);
  expect(host.ui.said).toContainEqual(['notify', 'same true', 'info']);
  await host.bus.tell('session_info_changed', { name: 'x' }, { sessionId: host.sessionId });
  await expect.poll(() => editor()!.isOpen).toBe(false);
  host.ui.views.clear();
  await host.runner.setMode((await host.view('loud'))!.id, 'rpc');
  await start();
  expect(host.ui.views.size).toBe(0);
});

test.each([
  ['throws', `throw new Error('no editor');`, 'no editor'],
  ['is none', `return { render: () => [] };`, 'functions `getText` and `setText`'],
  ['throws at a key', `const made = new Loud(tui, theme, keys); made.handleInput = () => { throw new Error('no key'); }; return made;`, 'no key'],
])('EX24: an editor that %s is closed, and named', async (_what, body, words) => {
  host = await runExtensions({
    'bad.ts': atStart(`ctx.ui.setEditorComponent((tui: any, theme: any, keys: any) => { ${body} });`, EDITOR),
  });
  await start();
  await expect.poll(() => editor()?.isOpen !== undefined, { timeout: 10_000 }).toBe(true);
  if (editor()!.isOpen) type('x');
  await expect.poll(() => editor()!.isOpen).toBe(false);
  expect((await errors('bad')).join()).toContain(words);
  expect(await host.view('bad')).toMatchObject({ state: 'running' });
}); // prettier-ignore

const ISSUES = `
ctx.ui.addAutocompleteProvider((current: any) => ({
  async getSuggestions(lines: string[], line: number, column: number, options: any) {
    const word = /#(\\d*)$/.exec(lines[line].slice(0, column));
    if (!word) return current.getSuggestions(lines, line, column, options);
    return { prefix: word[0], items: ['#12', '#17'].map((value) => ({ value, label: value, description: 'Issue ' + value })) };
  },
  applyCompletion: (...args: any[]) => current.applyCompletion(...args),
}));`;

test('EX16: an extension completes what is written, as the one change that it comes to', async () => {
  host = await runExtensions({ 'issues.ts': atStart(ISSUES) });
  await start();
  await expect.poll(() => host.ui.said).toContainEqual(['setCompletes', true]);
  const text = 'One\nSee #1, please';
  expect(await host.runner.complete(host.sessionId, text, 10)).toEqual([
    { label: '#12', description: 'Issue #12', from: 10, to: 10, by: '2', caret: 11 },
    { label: '#17', description: 'Issue #17', from: 10, to: 10, by: '7', caret: 11 },
  ]);
  expect(await host.runner.complete(host.sessionId, text, 3)).toBeNull();
});

test('EX16: what completes and throws, or answers something else, offers nothing and is named', async () => {
  host = await runExtensions({
    'bad.ts': atStart(`ctx.ui.addAutocompleteProvider(() => ({ getSuggestions() { throw new Error('no words'); } }));`),
    'odd.ts': atStart(`ctx.ui.addAutocompleteProvider(() => ({ getSuggestions: () => ({ items: [7, { value: 1 }], prefix: 'x' }), applyCompletion: () => ({}) }));`),
  }); // prettier-ignore
  await start();
  expect(await host.runner.complete(host.sessionId, 'x', 1)).toBeNull();
  expect(await errors('bad')).toEqual(['no words']);
});

test('EX16: what is written to the terminal as a notification is a notice', async () => {
  host = await runExtensions({
    'bell.ts': atStart(`
      process.stdout.write('\\x1b]777;notify;Pi;Ready for input\\x07');
      process.stdout.write('\\x1b]99;i=1:d=0;Title\\x1b\\\\');
      process.stdout.write('\\x1b]99;i=1:p=body;Body\\x1b\\\\');
      process.stdout.write('\\x1b]0;a title\\x07 plain words');
      setTimeout(() => process.stdout.write('\\x1b]9;Later\\x07'), 20);`),
  });
  await start();
  const notices = () => host.ui.said.filter(([what]) => what === 'notify').map(([, text]) => text);
  await expect.poll(notices).toEqual(['Pi: Ready for input', 'Title: Body', 'Later']);
});
