import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { extensionsOf } from '../../../src/main/project/extension-files';
import { askToolCall } from '../../../src/main/extensions/run-hooks';
import { SessionEvents } from '../../../src/main/extensions/session-events';
import type { SessionDoor } from '../../../src/main/extensions/session-door';
import { SessionLives } from '../../../src/main/session/extensions/session-life';
import { type RunningHost, runExtensions } from '../../support/extension-runner';

/** Extensions begin and end with their sessions, however these overlap (EX2, EX12): what guards a call is never off without a word. */

let host: RunningHost;
afterEach(() => host.runner.close());

const GUARD = `pi.on('tool_call', () => ({ block: true, reason: 'guarded' }));`;
const BEFORE = { preparation: { tokensBefore: 5 }, branchEntries: [], reason: 'manual', willRetry: false };
const ENDS = `export default (pi: any) => pi.on('session_before_compact', () => process.exit(7));`;

const endProcess = () => host.bus.ask('session_before_compact', BEFORE as never, { sessionId: host.sessionId });
const call = (sessionId: string) => {
  const asked = { toolName: 'bash', toolCallId: 'c', input: { command: 'rm' } };
  return askToolCall(new SessionEvents(host.bus, sessionId), asked);
};
const temporary = (name: string): string => join(mkdtempSync(join(tmpdir(), 'lives-')), name);

/** Another session of the same folder. */
function doorOf(sessionId: string) {
  return {
    ...{ sessionId, close: () => undefined, lookAtTrust: () => Promise.resolve() },
    ...{ facts: () => ({ ...host.facts, sessionId }), onFacts: () => () => undefined },
  } as unknown as SessionDoor & Parameters<SessionLives['begin']>[0];
}

/** An extension whose factory waits for a file once another one is there: it says so with a third. */
const slow = (flag: string): string =>
  `import { existsSync, writeFileSync } from 'node:fs';
  export default async () => {
    if (!existsSync('${flag}') || existsSync('${flag}.waits')) return;
    writeFileSync('${flag}.waits', '');
    while (!existsSync('${flag}.go')) await new Promise((done) => setTimeout(done, 20));
    writeFileSync('${flag}.gone', '');
  };`;

test('EX12: what says its last word for long does not take what was loaded after it', async () => {
  const flag = temporary('flag');
  host = await runExtensions({
    'a-slow.ts': `import { writeFileSync } from 'node:fs';
      export default (pi: any) => pi.on('session_shutdown', async () => {
        await new Promise((done) => setTimeout(done, 3000));
        writeFileSync('${flag}', '');
      });`,
    'b-guard.ts': `export default (pi: any) => { ${GUARD} };`,
  });
  const lives = new SessionLives(host.bus, host.runner);
  lives.begin(doorOf('s2'));
  await lives.ready('s2');
  await lives.reload('s2');
  // The other session keeps the process, in which the handler goes on.
  await expect.poll(() => existsSync(flag), { timeout: 10_000 }).toBe(true);
  await call(host.sessionId);
  expect(await call('s2')).toMatchObject({ blocked: 'guarded' });
  await lives.end('s2');
});

test('EX12: a session that is opened again while it is let go of keeps its extensions', async () => {
  host = await runExtensions({
    'a.ts': `export default (pi: any) => {
      pi.on('session_shutdown', () => new Promise((done) => setTimeout(done, 500)));
      ${GUARD}
    };`,
  });
  const lives = new SessionLives(host.bus, host.runner);
  lives.begin(doorOf('s2'));
  await lives.ready('s2');
  const ending = lives.end('s2');
  lives.begin(doorOf('s2'));
  await lives.ready('s2');
  await ending;
  expect(await call('s2')).toMatchObject({ blocked: 'guarded' });
  // One that is closed while it begins has none.
  const reload = lives.reload('s2');
  await lives.end('s2');
  await reload;
  expect(host.runner.extensionsOf('s2')).toEqual([]);
});

test('EX12: a session that begins while the process is to be restarted has its extensions, and is greeted once', async () => {
  host = await runExtensions({
    'a-bad.ts': ENDS,
    'b-guard.ts': `export default (pi: any) => {
      ${GUARD}
      pi.on('session_start', (event: any, ctx: any) => ctx.ui.notify(ctx.sessionManager.getSessionId() + ' ' + event.reason));
    };`,
  });
  await endProcess();
  const lives = new SessionLives(host.bus, host.runner);
  lives.begin(doorOf('s2'));
  await lives.ready('s2');
  expect(await call('s2')).toMatchObject({ blocked: 'guarded' });
  expect(await host.view('b-guard')).toMatchObject({ state: 'running' });
  await expect.poll(() => host.ui.said.flat()).toContain(`${host.sessionId} reload`);
  expect(host.ui.said.flat().filter((said) => String(said).startsWith('s2 '))).toEqual(['s2 startup']);
});

test('EX12: a session that is closed while its extensions are loaded is nobody’s failure', async () => {
  const flag = temporary('flag');
  host = await runExtensions({ 'a-slow.ts': slow(flag), 'b-fine.ts': `export default () => {};` });
  writeFileSync(flag, '');
  const attached = host.runner.attach(doorOf('s2'));
  await expect.poll(() => existsSync(`${flag}.waits`)).toBe(true);
  await host.runner.detach('s2');
  writeFileSync(`${flag}.go`, '');
  await attached;
  expect(await host.view('b-fine')).toMatchObject({ state: 'running', errors: [] });
});

test('EX12: of a loading that another overtook nothing stays on the bus', async () => {
  const flag = temporary('flag');
  host = await runExtensions({
    'a-slow.ts': slow(flag),
    'b-guard.ts': `export default (pi: any) => { ${GUARD} pi.on('context', () => {}); };`,
  });
  writeFileSync(flag, '');
  const first = host.runner.attach(doorOf('s2'));
  await expect.poll(() => existsSync(`${flag}.waits`)).toBe(true);
  await host.runner.attach(doorOf('s2'));
  expect(await call('s2')).toMatchObject({ blocked: 'guarded' });
  writeFileSync(`${flag}.go`, '');
  await first;
  expect(await call('s2')).toMatchObject({ blocked: 'guarded' });
  await host.runner.detach('s2');
  expect(['tool_call', 'context'].filter((event) => host.bus.has(event as 'context', 's2'))).toEqual([]);
  expect(await call('s2')).not.toHaveProperty('blocked');
});

test('EX2: a guard that could not be loaded again lets no call through', async () => {
  const flag = temporary('flag');
  host = await runExtensions({
    'a-bad.ts': ENDS,
    'b-guard.ts': `import { existsSync } from 'node:fs';
      export default (pi: any) => { if (existsSync('${flag}')) throw new Error('cannot load'); ${GUARD} };`,
  });
  expect(await call(host.sessionId)).toMatchObject({ blocked: 'guarded' });
  writeFileSync(flag, '');
  await endProcess();
  expect(await call(host.sessionId)).toHaveProperty('blocked');
  // Switched off by the person, it guards nothing.
  await host.runner.setEnabled((await host.view('b-guard'))!.id, false);
  expect(await call(host.sessionId)).not.toHaveProperty('blocked');
});

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

test('EX12: what an extension started ends with its process, in whatever group it is', async () => {
  const file = temporary('pids');
  host = await runExtensions({
    'a.ts': `import { spawn } from 'node:child_process';
      export default (pi: any) => pi.on('session_before_compact', () => {
        spawn('sh', ['-c', 'echo $$ >> ${file}; exec sleep 120'], { detached: true, stdio: 'ignore' }).unref();
        void pi.exec('sh', ['-c', 'echo $$ >> ${file}; sleep 120; true']);
      });`,
  });
  await endProcess();
  const pids = (): number[] => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : []);
  await expect.poll(() => pids().length).toBe(2);
  host.runner.close();
  await expect.poll(() => pids().filter(isAlive), { timeout: 5_000 }).toEqual([]);
});

test('EX15: pi.exec ends in its time, whatever holds the output open', async () => {
  const file = temporary('pid');
  host = await runExtensions({
    'a.ts': `export default (pi: any) => pi.on('session_before_compact', async (_event: any, ctx: any) => {
      const ended = await pi.exec('sh', ['-c', 'echo said; echo $$ > ${file}; sleep 60; true'], { timeout: 500 });
      const left = await pi.exec('sh', ['-c', 'echo left; sleep 60 & true']);
      ctx.ui.notify(JSON.stringify([ended.stdout, ended.killed, left.stdout, left.code]));
    });`,
  });
  await endProcess();
  expect(host.ui.said).toContainEqual(['notify', JSON.stringify(['said\n', true, 'left\n', 0]), 'info']);
  expect(isAlive(Number(readFileSync(file, 'utf8')))).toBe(false);
});

test('EX11, EX17: a session that came to its folder by a link begins anew with it, and loses what is no longer trusted', async () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'lives-')));
  const real = join(base, 'real');
  const file = join(real, '.pi/extensions/w.ts');
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, `export default (pi: any) => { ${GUARD} };`);
  symlinkSync(real, join(base, 'link'));
  let isTrusted = true;
  host = await runExtensions(
    {},
    {
      find: async () => [
        { workspace: null, extensions: [] },
        ...(isTrusted ? [{ workspace: real, extensions: await extensionsOf(real) }] : []),
      ],
      facts: { cwd: join(base, 'link') },
    },
  );
  expect(await call(host.sessionId)).toMatchObject({ blocked: 'guarded' });
  writeFileSync(file, `export default (pi: any) => { ${GUARD.replace('guarded', 'changed')} };`);
  await expect.poll(() => call(host.sessionId), { timeout: 10_000 }).toMatchObject({ blocked: 'changed' });
  isTrusted = false;
  await host.runner.trustChanged([real]);
  expect(host.runner.extensionsOf(host.sessionId)).toEqual([]);
  expect(await host.runner.list()).toEqual([]);
  expect(await call(host.sessionId)).not.toHaveProperty('blocked');
});

test('EX22: of the output of a call that nobody heard of yet the last is told: its result does not wait for all of them', async () => {
  host = await runExtensions({
    'a.ts': `export default (pi: any) => {
      pi.on('tool_execution_update', async (event: any, ctx: any) => {
        ctx.ui.notify(event.toolCallId + ' ' + event.partialResult);
        await new Promise((done) => setTimeout(done, 200));
      });
      pi.on('tool_result', () => {});
    };`,
  });
  const events = new SessionEvents(host.bus, host.sessionId);
  for (let at = 1; at <= 25; at += 1)
    for (const toolCallId of ['a', 'b'])
      events.tell(
        'tool_execution_update',
        () => ({ toolCallId, toolName: 'bash', args: {}, partialResult: at }) as never,
      );
  for await (const _ of events.each('tool_result', () => ({}) as never)) break;
  expect(host.ui.said.map(([, said]) => said)).toEqual(['a 25', 'b 25']);
});

test('EX2: an editor in the place of the composer’s field gives a handler no more time', async () => {
  host = await runExtensions(
    {
      'a.ts': `export default (pi: any) => pi.on('session_before_compact', async (_event: any, ctx: any) => {
        ctx.ui.setEditorComponent(() => ({ render: () => ['x'], invalidate() {}, getText: () => '', setText() {}, handleInput() {} }));
        await new Promise(() => {});
      });`,
    },
    { beforeMs: 1_000 },
  );
  expect(await endProcess()).toBeNull();
  expect((await host.view('a'))?.errors[0]?.error).toContain('did not answer within');
});
