import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { launchApp, newHome, removeHome, writeEndpoint } from '../support/electron-app';
import { PATIENCE } from '../support/patience';
import { LONG } from '../support/e2e/chat';
import { journals } from '../support/e2e/files';
import { endpointOn, modelOf } from '../support/e2e/loopback';
import { AppWindow } from '../support/e2e/window';
import { canHang, mountThatHangs, type HungMount } from '../support/hung-mount';
import { sentMessages, startModelServer } from '../support/model-server';
import { trustFolder } from '../support/trust-folder';

/** docs/specs/safety.md A12: folders that stop answering (real mounts, FUSE) take nothing else with them. */
test.skip(!canHang(), 'No file system that hangs can be had here: it takes Linux, root and /dev/fuse.');

const SILENT = 'This folder is not responding';
/** The guard of a quit ends the process after 15 seconds, and what is closed in order has five. */
const QUIT_MS = 3_000;

/** Whether a thread of a process waits in the kernel for a FUSE mount. */
function waitsForMount(pid: number): boolean {
  const tasks = join('/proc', String(pid), 'task');
  return readdirSync(tasks).some((task) =>
    /request_wait_answer|fuse/.test(readFileSync(join(tasks, task, 'wchan'), 'utf8')),
  );
}

test('three hung folders: another session goes on, it is told where one looks, and the quit ends', async () => {
  test.setTimeout(300_000 * PATIENCE);
  const home = newHome();
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'espalier-hung-')));
  const server = await startModelServer();
  const endpoint = endpointOn(server.url, 'loopback');
  writeEndpoint(home, endpoint);
  server.script((request) => ({ text: `Heard: ${sentMessages(request).at(-1)?.text ?? ''}` }));
  const mounts: HungMount[] = [];
  try {
    for (const name of ['one', 'two', 'three']) mounts.push(await mountThatHangs(join(base, name)));
    for (const { dir } of mounts) trustFolder(home, dir);
    const app = await launchApp({ home });
    const window = new AppWindow(app);
    const strip = app.page.locator('[data-folder-strip]');
    const hung: string[] = [];
    for (const { dir } of mounts) {
      const id = await window.startSession(dir, modelOf(endpoint));
      await window.setWorkspace(id, dir, null);
      hung.push(id);
    }
    const other = await window.startSession('Another', modelOf(endpoint));
    await window.say('before');
    await expect(window.transcript).toContainText('Heard: before');

    for (const mount of mounts) await mount.hang();
    for (const id of hung) {
      await window.show(id);
      await window.say('anybody there?');
    }
    // At once, while all three still wait for their folders: the turn is on the disk and answered.
    await window.show(other);
    const said = Date.now();
    await window.say('after');
    await expect(window.transcript).toContainText('Heard: after', { timeout: LONG });
    const answeredMs = Date.now() - said;
    expect(journals(home)).toContain('"Heard: after"');
    for (const id of hung) {
      await window.show(id);
      await expect(strip).toContainText(SILENT, { timeout: LONG });
      await expect(window.transcript).toContainText('Heard: anybody there?', { timeout: LONG });
    }
    await window.shot('hung-folder');

    const quit = Date.now();
    await app.close();
    const quitMs = Date.now() - quit;
    test
      .info()
      .annotations.push({ type: 'figures', description: `answered in ${answeredMs} ms, quit in ${quitMs} ms` });
    console.log(`answered in ${answeredMs} ms, quit in ${quitMs} ms`);
    expect(quitMs).toBeLessThan(QUIT_MS);
    expect(readFileSync(join(home, 'logs', 'main.log'), 'utf8')).not.toContain('did not end within');

    // Started anew it is told again, and when one answers that is found without anybody asking.
    const again = await launchApp({ home });
    const later = new AppWindow(again);
    await later.show(hung[0]!);
    const laterStrip = again.page.locator('[data-folder-strip]');
    await expect(laterStrip).toContainText(SILENT, { timeout: LONG });
    await mounts.shift()!.remove();
    await expect(laterStrip).not.toContainText(SILENT, { timeout: 90_000 * PATIENCE });
    await again.close();
  } finally {
    for (const mount of mounts) await mount.remove();
    await server.close();
    rmSync(base, { recursive: true, force: true });
    removeHome(home);
  }
});

test('picked files on a hung mount: each is told in its time, what is saved meanwhile is saved, and the quit ends', async () => {
  const home = newHome();
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'espalier-hung-')));
  const server = await startModelServer();
  const endpoint = endpointOn(server.url, 'loopback');
  writeEndpoint(home, endpoint);
  server.script((request) => ({ text: `Heard: ${sentMessages(request).at(-1)?.text ?? ''}` }));
  let mount: HungMount | undefined;
  try {
    mount = await mountThatHangs(join(base, 'one'));
    const app = await launchApp({ home });
    const window = new AppWindow(app);
    const session = await window.startSession('Another', modelOf(endpoint));
    await window.say('before');
    await expect(window.transcript).toContainText('Heard: before');
    const names = ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}.jsonl`);
    const handles: string[] = [];
    for (const name of names) handles.push(await window.handleOf(join(base, 'one', name)));
    await app.electron.evaluate(
      ({ dialog }, filePath) => {
        dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath }) as never;
      },
      join(base, 'one', 'out.jsonl'),
    );

    await mount.hang();
    // As many as the threads that main has for files, and one more.
    const refused = [
      ...handles.map((file) => window.refusal('sessions.import', { file })),
      window.refusal('sessions.export', { sessionId: session, as: 'session' }),
    ];
    await window.say('after');
    await expect(window.transcript).toContainText('Heard: after', { timeout: LONG });
    await expect.poll(() => journals(home), { timeout: 10_000 }).toContain('"Heard: after"');
    const metrics = await app.electron.evaluate(({ app: running }) => running.getAppMetrics());
    expect(metrics.filter(({ pid }) => waitsForMount(pid))).toHaveLength(1);
    const told = (await Promise.all(refused)).map(({ message }) => message);
    for (const [index, name] of names.entries())
      expect(told[index]).toContain(`Nothing was imported: ${name} did not respond within 20 seconds.`);
    expect(told.at(-1)).toContain('Could not save: out.jsonl did not respond within 20 seconds.');

    const quit = Date.now();
    await app.close();
    expect(Date.now() - quit).toBeLessThan(QUIT_MS);
  } finally {
    await mount?.remove();
    await server.close();
    rmSync(base, { recursive: true, force: true });
    removeHome(home);
  }
});
