import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeHost, makeSandbox, type Sandbox, type TestHost } from './support/host';

let sandbox: Sandbox;
let host: TestHost;
let trusted: boolean;
beforeEach(async () => {
  sandbox = await makeSandbox();
  trusted = true;
  host = await makeHost(sandbox, { isTrusted: () => Promise.resolve(trusted) });
  host.autoAnswer('deny');
});
afterEach(async () => {
  await host.host.dispose();
  sandbox.remove();
});

/** What the model is told of a call. */
const told = (tool: string, args: unknown): Promise<string> =>
  host.call(tool, args).then(
    ({ text }) => text,
    (error: Error) => error.message,
  );
const edit = (path: string, ...oldTexts: string[]): Promise<string> =>
  told('edit', { path, edits: oldTexts.map((oldText) => ({ oldText, newText: 'x' })) });

const NEVER = '\u0001 never there';

describe.each([
  ['outside the workspace', true, () => join(sandbox.base, 'secret.txt')],
  ['in a folder that is not trusted', false, () => join(sandbox.workspaceDir, 'secret.txt')],
])('edits of a file %s', (_where, isTrusted, secretPath) => {
  it('TL8: tell nothing of its text before a yes, right or wrong, and each is a question', async () => {
    trusted = isTrusted;
    const path = secretPath();
    writeFileSync(path, 'token=hunter2\ntoken=hunter2\n  indented\n');
    const answers = [
      await edit(path, 'token=h', NEVER),
      await edit(path, 'token=a', NEVER),
      await edit(path, 'token'),
      await edit(path, 'indented\nno'),
      await edit(path, '  indented'),
    ];
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toContain('declined');
    expect(host.asked).toHaveLength(5);
    expect(host.asked[0]).toMatchObject({ tool: 'edit', title: expect.stringMatching(/^Read /), scopes: {} });
    expect(host.asked[0]?.reason).toContain('the model is told why');
  });

  it('say what is wrong after a yes, and change nothing', async () => {
    trusted = isTrusted;
    const path = secretPath();
    writeFileSync(path, 'token=hunter2\n');
    host.autoAnswer('once');
    expect(await edit(path, 'token=h', NEVER)).toContain('Edit 2 of 2');
    host.autoAnswer('deny');
    expect(await edit(path, 'token=h', NEVER)).toContain('declined');
  });

  it('a yes to be told is none to an edit that fits by now', async () => {
    trusted = isTrusted;
    const path = secretPath();
    writeFileSync(path, 'one\n');
    host.autoAnswer('once');
    const args = { path, edits: [{ oldText: 'two', newText: 'three' }] };
    await expect(host.call('edit', args, { between: () => writeFileSync(path, 'two\n') })).rejects.toThrow(
      'no longer what was allowed',
    );
  });
});

it('in a folder where reading is turned to ask or off, edits tell nothing either', async () => {
  writeFileSync(join(sandbox.workspaceDir, 'a.txt'), 'one\n');
  expect(await edit('a.txt', NEVER)).toContain('does not occur');
  expect(host.asked).toHaveLength(0);
  for (const read of ['ask', 'deny'] as const) {
    host.settings.policy = { read, edit: 'allow' };
    expect(await edit('a.txt', NEVER)).toContain('declined');
  }
  expect(host.asked).toHaveLength(2);
});

const CALLS: [string, (path: string) => unknown][] = [
  ['read', (path) => ({ path })],
  ['write', (path) => ({ path, content: 'x' })],
  ['edit', (path) => ({ path, edits: [{ oldText: 'one', newText: 'two' }] })],
  ['ls', (path) => ({ path })],
  ['find', (path) => ({ path, pattern: '*' })],
  ['grep', (path) => ({ path, pattern: 'x' })],
];

describe.each(CALLS)('%s outside the workspace', (tool, argsOf) => {
  it('TL9: does not say what is there before a yes', async () => {
    const at = (name: string): string => join(sandbox.base, 'there', name);
    mkdirSync(at('folder'), { recursive: true });
    writeFileSync(at('file'), 'one\n');
    writeFileSync(at('fixed'), 'one\n');
    chmodSync(at('fixed'), 0o444);
    symlinkSync('missing', at('dangling'));
    symlinkSync('circle', at('circle'));
    const names = ['folder', 'file', 'fixed', 'missing', 'missing/deep', 'file/deep', 'dangling', 'circle'];
    const answers = new Set<string>();
    for (const name of [...names, 'n'.repeat(300)]) answers.add(await told(tool, argsOf(at(name))));
    expect([...answers]).toEqual([expect.stringContaining('declined')]);
    expect(host.asked).toHaveLength(names.length + 1);
  });

  it('a link of the workspace that leads out does not say whether it leads to something', async () => {
    const link = (target: string, name: string): void => symlinkSync(target, join(sandbox.workspaceDir, name));
    mkdirSync(join(sandbox.base, 'there', 'deep'), { recursive: true });
    writeFileSync(join(sandbox.base, 'there', 'file'), 'one\n');
    link(join(sandbox.base, 'there', 'file'), 'to-file');
    link(join(sandbox.base, 'there', 'missing'), 'to-missing');
    link('to-missing', 'through');
    link(join(sandbox.base, 'there', 'deep'), 'folder');
    // By its letters this one stays inside.
    link('folder/../missing', 'winding');
    const answers = new Set<string>();
    for (const name of ['to-file', 'to-missing', 'through', 'winding', 'to-file/deep', 'folder/missing'])
      answers.add(await told(tool, argsOf(name)));
    expect([...answers]).toEqual([expect.stringContaining('declined')]);
    expect(host.asked).toHaveLength(6);
  });

  it('a refusal does not say where a link leads', async () => {
    symlinkSync('/proc/self/environ', join(sandbox.base, 'a'));
    symlinkSync(sandbox.dataDir, join(sandbox.base, 'b'));
    const [a, b] = [
      await told(tool, argsOf(join(sandbox.base, 'a'))),
      await told(tool, argsOf(join(sandbox.base, 'b'))),
    ];
    expect(a.replace(join(sandbox.base, 'a'), '')).toBe(b.replace(join(sandbox.base, 'b'), ''));
    expect(a).toContain('is not for tools');
  });
});

it('TL9: inside a trusted workspace a path that leads nowhere is explained at once', async () => {
  symlinkSync('nowhere', join(sandbox.workspaceDir, 'link'));
  symlinkSync('circle', join(sandbox.workspaceDir, 'circle'));
  writeFileSync(join(sandbox.workspaceDir, 'file'), '');
  expect(await told('read', { path: 'link' })).toContain('symbolic link to nowhere');
  expect(await told('read', { path: 'circle' })).toContain('in a circle');
  expect(await told('ls', { path: 'file/deep' })).toContain('treats a file as a folder');
  expect(await told('grep', { path: 'none', pattern: 'x' })).toContain('does not exist');
  expect(host.asked).toHaveLength(0);
});

it('TL8: a path with half a character, which would be another name on disk, is refused at once', async () => {
  host.autoAnswer('once');
  writeFileSync(join(sandbox.workspaceDir, '\ufffd.txt'), 'keep');
  for (const path of ['a\ud800.txt', '\udc00.txt', '\ud83d/b.txt']) {
    expect(await told('write', { path, content: 'x' })).toContain('half a character');
    expect(await edit(path, 'keep')).toContain('half a character');
    expect(await told('read', { path })).toContain('half a character');
  }
  expect(host.asked).toEqual([]);
  expect(readdirSync(sandbox.workspaceDir)).toEqual(['\ufffd.txt']);
  expect(readFileSync(join(sandbox.workspaceDir, '\ufffd.txt'), 'utf8')).toBe('keep');
  await told('write', { path: '😀.txt', content: 'x' });
  expect(readFileSync(join(sandbox.workspaceDir, '😀.txt'), 'utf8')).toBe('x');
});
