import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { launchApp, newHome, removeHome, writeEndpoint, type RunningApp } from '../support/electron-app';
import { answerCard, answered } from '../support/e2e/chat';
import { endpointOn, modelOf } from '../support/e2e/loopback';
import { AppWindow } from '../support/e2e/window';
import { sentMessages, startModelServer, type ModelServer } from '../support/model-server';

/** Tools in the real Electron: what a command inherits (docs/specs/safety.md D2), files in their threads (A6), rights (D4). */
const base = newHome();
const home = join(base, 'data');
let app: RunningApp;
let window: AppWindow;
let server: ModelServer;

test.beforeAll(async () => {
  server = await startModelServer();
  const umask = process.umask(0);
  mkdirSync(home);
  writeEndpoint(home, endpointOn(server.url, 'loopback'));
  app = await launchApp({ home });
  process.umask(umask);
  window = new AppWindow(app);
  await window.startSession('Commands', modelOf(endpointOn(server.url, 'loopback')));
});
test.afterAll(async () => {
  await app.close();
  await server.close();
  removeHome(base);
});

/** What a tool gave the model. */
async function resultOf(name: string, args: Record<string, unknown>): Promise<string> {
  const end = `Done with ${name} ${server.requests.length}.`;
  server.script([{ content: [{ type: 'toolCall', id: `c${server.requests.length}`, name, arguments: args }] }, end]);
  await window.say(`Please use ${name}`);
  if (name === 'bash') await answerCard(window.page, 'Run once');
  await answered(window.page, end);
  return sentMessages(server.requests.at(-1)!).at(-1)?.text ?? '';
}

test('own folders are for this user only, with a umask of 0', () => {
  test.skip(process.platform === 'win32');
  for (const name of ['.', 'profile', 'sessions', 'outputs', 'logs'])
    expect((statSync(join(home, name)).mode & 0o777).toString(8), name).toBe('700');
});

test('a command has its three descriptors and can write to no other', async () => {
  test.skip(process.platform !== 'linux');
  const command =
    'ls /proc/self/fd | tr "\\n" " "; for n in $(seq 3 250); do bash -c "echo overwritten >&$n" && echo "wrote $n"; done 2>/dev/null; true';
  // The last one is the listing's own.
  expect((await resultOf('bash', { command })).trim()).toBe('0 1 2 3');
  const pid = String(app.electron.process().pid);
  const open = readdirSync(`/proc/${pid}/fdinfo`).filter((fd) => {
    const flags = /^flags:\s+(\d+)/mu.exec(readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'utf8'))?.[1] ?? '0';
    return Number(fd) > 2 && (Number.parseInt(flags, 8) & 0o2000000) === 0;
  });
  test.info().annotations.push({ type: 'descriptors that a child would inherit', description: String(open.length) });
  console.log(`${open.length} descriptors of main would be inherited`);
});

test('a .gitignore that is a pipe stops nobody', async () => {
  test.skip(process.platform === 'win32');
  const workspace = join(home, 'workspaces/scratch');
  execFileSync('mkfifo', [join(workspace, '.gitignore')]);
  writeFileSync(join(workspace, 'notes.txt'), 'a needle here\n');
  expect(await resultOf('grep', { pattern: 'needle' })).toBe('notes.txt:1: a needle here');
  expect(await resultOf('find', { pattern: '+(+(a)+(a))b' })).toContain('extended patterns');
  expect(await resultOf('read', { path: '.gitignore' })).toContain('a device, pipe or socket');
});
