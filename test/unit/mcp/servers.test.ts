import { get } from 'node:http';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ConsentQuestion } from '../../../src/main/consent/consent';
import { createMcp, type McpOptions, type McpParts } from '../../../src/main/mcp/mcp-parts';
import type { McpPort } from '../../../src/main/mcp/link';
import { McpVault } from '../../../src/main/mcp/vault';
import { testFileWorkers } from '../../support/file-workers';
import { mcpProcesses } from '../../support/mcp/process';
import { startOAuthServer } from '../../support/mcp/oauth-server';
import { hostile, reference } from '../../support/mcp/programs';
import type { McpServerView } from '../../../src/shared/mcp';

let start: () => McpPort;
beforeAll(async () => {
  start = await mcpProcesses();
}, 60_000);

const open: { parts: McpParts; home: string }[] = [];
afterEach(async () => {
  for (const { parts, home } of open.splice(0)) {
    await parts.close();
    rmSync(home, { recursive: true, force: true });
  }
});

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

/** The person's folder, a workspace, and all of MCP over them. What is asked is answered with yes unless said otherwise. */
async function bench(more: Partial<McpOptions> = {}) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'espalier-mcps-')));
  const data = join(home, '.espalier');
  const folder = join(home, 'work');
  mkdirSync(data);
  mkdirSync(folder);
  const asked: ConsentQuestion[] = [];
  const state = { isTrusted: true, answers: true, window: 0 };
  const secrets = new Map<string, string>();
  const parts = await createMcp({
    startProcess: start,
    paths: { mcp: join(data, 'mcp.json'), mcpDecisions: join(data, 'd.json'), data, outputs: join(data, 'outputs') },
    deniedPaths: () => [],
    files: await testFileWorkers(),
    ask: async (question) => {
      asked.push(question);
      return state.answers ? question.choices[0]!.id : null;
    },
    vault: new McpVault(
      {
        get: (name) => secrets.get(name),
        source: (name) => (secrets.has(name) ? 'stored' : 'none'),
        set: async (name, secret) => void secrets.set(name, secret),
        remove: async (name) => void secrets.delete(name),
      },
      () => true,
    ),
    openLink: async () => false,
    isTrusted: async () => state.isTrusted,
    workspaceOf: () => folder,
    onChange: () => undefined,
    warn: () => undefined,
    backOff: () => 50,
    home,
    ...more,
  });
  open.push({ parts, home });
  const write = (path: string, mcpServers: object): void => {
    mkdirSync(join(home, path, '..'), { recursive: true });
    writeFileSync(join(home, path), JSON.stringify({ mcpServers }));
  };
  const view = async (name: string): Promise<McpServerView> => {
    const { servers } = await parts.desk.list('s');
    return servers.find((server) => server.name === name)!;
  };
  const review = async (name: string): Promise<boolean> => parts.desk.review('s', (await view(name)).id);
  const ready = (name: string): Promise<void> =>
    vi.waitFor(async () => expect((await view(name)).status).toBe('ready'), { timeout: 10_000 });
  const names = (): string[] => parts.tools.toolsOf('s').map((tool) => tool.name);
  const join_ = (): void => parts.join('s', () => state.window);
  join_();
  return { parts, home, data, folder, asked, state, write, view, review, ready, names, join: join_, secrets };
}

describe('EX20: which servers start', () => {
  it('none by itself: each is asked about with its command and its file, and remembered as it was shown', async () => {
    const { write, view, review, ready, asked, names, parts, data, join: joinAgain } = await bench();
    write('.espalier/mcp.json', { mine: hostile() });
    write('work/.mcp.json', { theirs: { ...hostile('on=well'), env: { TOKEN_FILE: 'x', LATER: '${NOWHERE_SET}' } } });
    write('work/.pi/mcp.json', { pis: hostile() });
    write('.pi/agent/mcp.json', { old: hostile() });
    const { servers } = await parts.desk.list('s');
    expect(servers.map(({ name, status, file }) => [name, status, file])).toEqual([
      ['mine', 'unasked', '~/.espalier/mcp.json'],
      ['pis', 'unasked', '.pi/mcp.json'],
      ['theirs', 'unasked', '.mcp.json'],
      ['old', 'unasked', '~/.pi/agent/mcp.json'],
    ]);
    expect(await review('mine')).toBe(true);
    await ready('mine');
    expect(names()).toContain('mcp__mine__echo');
    expect(names().every((name) => name.startsWith('mcp__mine__'))).toBe(true);
    expect(asked).toHaveLength(1);
    expect(asked[0]!.facts.find(({ label }) => label === 'Runs')?.value).toContain('hostile-server.mjs');
    await review('theirs');
    const facts = asked[1]!.facts.map(({ value }) => value);
    expect(facts).toEqual(expect.arrayContaining(['TOKEN_FILE=x', 'NOWHERE_SET']));
    await vi.waitFor(async () =>
      expect(await view('theirs')).toMatchObject({ problem: 'The variable NOWHERE_SET that it names is not set.' }),
    );
    // Another definition under the same name is another one.
    write('.espalier/mcp.json', { mine: hostile('on=greets') });
    joinAgain();
    await vi.waitFor(async () => expect((await view('mine')).status).toBe('unasked'));
    await vi.waitFor(() => expect(names()).toEqual([]));
    write('.espalier/mcp.json', { mine: hostile() });
    joinAgain();
    await ready('mine');
    expect(readFileSync(join(data, 'd.json'), 'utf8')).toContain('"agreed"');
  }, 30_000);

  it('in a folder that is not trusted nothing of it is read, and no program starts', async () => {
    const { write, view, review, ready, state, parts, names } = await bench();
    write('.espalier/mcp.json', { mine: hostile() });
    write('work/.mcp.json', { theirs: hostile() });
    await review('mine');
    await ready('mine');
    state.isTrusted = false;
    await parts.servers.refresh();
    expect((await view('mine')).status).toBe('untrusted');
    expect(await view('theirs')).toBeUndefined();
    await vi.waitFor(() => expect(names()).toEqual([]));
  }, 30_000);

  it('a no is kept to; of one name the first counts; what can’t be used is said', async () => {
    const { write, review, state, parts, view } = await bench();
    write('.espalier/mcp.json', { 'a-b': hostile() });
    write('work/.mcp.json', {
      a_b: hostile(),
      'no name!': hostile(),
      both: { command: 'x', url: 'https://x' },
      bang: { command: 'x', env: { A: '!whoami' } },
    });
    writeFileSync(join(open.at(-1)!.home, '.claude.json'), '{ not json');
    state.answers = false;
    expect(await review('a-b')).toBe(false);
    expect((await view('a-b')).status).toBe('unasked');
    expect(await view('a_b')).toMatchObject({ status: 'behind', problem: '~/.espalier/mcp.json' });
    const { problems } = await parts.desk.list('s');
    expect(problems).toHaveLength(4);
    expect(problems.join('\n')).toContain('runs a command for a value');
    expect(problems.join('\n')).toContain('.claude.json is not valid JSON');
  });
});

describe('EX20: a server in a session', () => {
  it('that crashes is started again; one that keeps failing rests, and says why', async () => {
    const { write, review, ready, parts, view } = await bench();
    write('.espalier/mcp.json', { mine: hostile(), dies: hostile('on=exits') });
    await review('mine');
    await ready('mine');
    const tool = parts.tools.toolsOf('s').find(({ name }) => name === 'mcp__mine__crash')!;
    await expect(tool.execute('c', {}, new AbortController().signal, () => undefined)).rejects.toThrow(
      'The MCP server mine failed. It ended before it answered.',
    );
    await vi.waitFor(async () => expect((await view('mine')).status).toMatch(/waiting|starting/));
    await ready('mine');
    await review('dies');
    await vi.waitFor(async () => expect((await view('dies')).status).toBe('failed'), { timeout: 10_000 });
    expect(await view('dies')).toMatchObject({ problem: 'It ended with code 3.' });
    const { log } = await parts.desk.details('s', (await view('dies')).id);
    expect(log.some((line) => line.includes('no such database'))).toBe(true);
  }, 40_000);

  it('whose tools change tells so; a run keeps what it has, the next one has the others', async () => {
    const { write, review, ready, parts, names } = await bench();
    write('.espalier/mcp.json', { mine: hostile() });
    await review('mine');
    await ready('mine');
    const before = parts.tools.toolsOf('s');
    const run = [...before];
    await run
      .find(({ name }) => name === 'mcp__mine__more_tools')!
      .execute('c', {}, new AbortController().signal, () => undefined);
    await vi.waitFor(() => expect(names()).toContain('mcp__mine__top_union'));
    expect(run.map(({ name }) => name)).toContain('mcp__mine__echo');
    // Names that come to the same are told apart.
    expect(names().filter((name) => name.startsWith('mcp__mine__odd_name'))).toHaveLength(2);
    for (const name of names()) expect(name).toMatch(/^[A-Za-z0-9_]{1,64}$/);
  }, 30_000);

  it('its tools can be switched off, and “read-only” is believed only after a yes', async () => {
    const { write, review, ready, parts, names, view, asked, state, join: again } = await bench();
    write('.espalier/mcp.json', { mine: hostile() });
    await review('mine');
    await ready('mine');
    const { id } = await view('mine');
    await parts.desk.setTool('s', id, 'fail', false);
    expect(names()).not.toContain('mcp__mine__fail');
    expect(await view('mine')).toMatchObject({ toolsOff: 1 });
    const echo = () => parts.tools.toolsOf('s').find(({ name }) => name === 'mcp__mine__echo')!;
    expect(echo()).toMatchObject({ readOnlyHint: true, isConfirmedReadOnly: false });
    state.answers = false;
    await parts.desk.trustReadOnly('s', id, true);
    expect(echo()).toMatchObject({ isConfirmedReadOnly: false });
    state.answers = true;
    await parts.desk.trustReadOnly('s', id, true);
    expect(echo()).toMatchObject({ isConfirmedReadOnly: true });
    expect(asked.at(-1)?.facts.find(({ label }) => label === 'Marked now')?.value).toBe('echo');
    // Another program of this name is another server: nothing is believed of it, though the name was.
    await parts.desk.remove('s', id);
    await parts.desk.add('s', 'mine', { ...hostile('on=greets'), env: {} });
    again();
    await ready('mine');
    expect(asked.at(-1)?.paragraphs.join()).toContain('each call is asked for');
    expect(echo()).toMatchObject({ readOnlyHint: true, isConfirmedReadOnly: false });
    await parts.desk.switchOff('s', (await view('mine')).id);
    expect(names()).toEqual([]);
    expect((await view('mine')).status).toBe('off');
  }, 30_000);

  it('with a thousand tools has them searched where they take more than a tenth of the window', async () => {
    const { write, review, ready, parts, names, state } = await bench();
    write('.espalier/mcp.json', { many: hostile('tools=thousand') });
    state.window = 2_000_000;
    await review('many');
    await ready('many');
    expect(names()).toHaveLength(1_000);
    state.window = 100_000;
    expect(names()).toEqual(['tool_search', 'tool_call']);
    const [search, call] = parts.tools.toolsOf('s');
    const { signal } = new AbortController();
    const found = await search!.execute('c', { query: 'ledger year 417' }, signal, () => undefined);
    expect(found.content[0]).toMatchObject({ text: expect.stringMatching(/^mcp__many__tool_417\n/) as string });
    const args = { tool: 'mcp__many__tool_417', arguments: {} };
    const done = await call!.execute('c', args, signal, () => undefined);
    expect(done.content).toEqual([{ type: 'text', text: 'Done: tool_417' }]);
    await expect(call!.execute('c', { tool: 'constructor' }, signal, () => undefined)).rejects.toThrow('no tool');
  }, 30_000);

  it('has its prompts behind a slash', async () => {
    const { write, review, ready, parts } = await bench();
    write('.espalier/mcp.json', { all: reference('everything') });
    await review('all');
    await ready('all');
    const commands = parts.prompts.list('s');
    const simple = commands.find(({ argumentHint }) => argumentHint === '')!;
    expect(simple.name).toMatch(/^all:/);
    expect((await parts.prompts.run('s', simple.name, ''))?.text).not.toBe('');
    const withArgs = commands.find(({ argumentHint = '' }) => argumentHint.startsWith('<'))!;
    await expect(parts.prompts.run('s', withArgs.name, '')).rejects.toThrow('It needs');
    expect(await parts.prompts.run('s', 'all:none', '')).toBeNull();
  }, 30_000);

  it('is left with its last session, and ends', async () => {
    const { write, review, ready, parts, home } = await bench();
    const notes = join(home, 'notes.txt');
    write('.espalier/mcp.json', { mine: hostile('on=deaf', `notes=${notes}`) });
    await review('mine');
    await ready('mine');
    const pid = Number(/start (\d+)/.exec(readFileSync(notes, 'utf8'))?.[1]);
    parts.leave('s');
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow(), { timeout: 8_000 });
  }, 30_000);
});

it('EX20: a server that is restarted twice is there once, and ends with the app', async () => {
  const { write, review, parts, home, view, ready } = await bench();
  const notes = join(home, 'notes.txt');
  const { command, args } = hostile('on=deaf', `notes=${notes}`);
  write('.espalier/mcp.json', {
    mine: { command: 'sh', args: ['-c', `sleep 1; exec ${[command, ...args].join(' ')}`] },
  });
  await review('mine');
  await ready('mine');
  const { id } = await view('mine');
  const alive = (): number =>
    [...readFileSync(notes, 'utf8').matchAll(/start (\d+)/g)].filter(([, pid]) => isAlive(Number(pid))).length;
  const first = parts.desk.restart('s', id);
  await vi.waitFor(async () => expect((await view('mine')).status).toBe('stopped'));
  await Promise.all([first, parts.desk.restart('s', id)]);
  await ready('mine');
  expect(alive()).toBe(1);
  // One that is let go of while it is restarted does not come back.
  const last = parts.desk.restart('s', id);
  await vi.waitFor(async () => expect((await view('mine')).status).toBe('stopped'));
  parts.leave('s');
  await last;
  expect(alive()).toBe(0);
}, 60_000);

it.each([
  ['its standard error', 'exec yes >&2'],
  ['its standard output', 'exec yes'],
])(
  'EX20: a server that writes to %s without end costs no other server',
  async (_, program) => {
    const { write, review, ready, parts, view } = await bench();
    write('.espalier/mcp.json', { mine: hostile(), loud: { command: 'sh', args: ['-c', program] } });
    await review('mine');
    await ready('mine');
    const echo = parts.tools.toolsOf('s').find(({ name }) => name === 'mcp__mine__echo')!;
    await review('loud');
    const { id } = await view('loud');
    const log = async (): Promise<string> => (await parts.desk.details('s', id)).log.join('\n');
    await vi.waitFor(async () => expect(await log()).toContain('more lines are left out'), { timeout: 10_000 });
    const { content } = await echo.execute('c', { text: 'hi' }, AbortSignal.timeout(5_000), () => undefined);
    expect(content).toEqual([{ type: 'text', text: 'You said: hi' }]);
  },
  60_000,
);

it('EX20: mcp.json keeps what it has besides, and is not written over when it is damaged', async () => {
  const { parts, data } = await bench();
  const file = join(data, 'mcp.json');
  writeFileSync(file, JSON.stringify({ note: 'mine', mcpServers: { bad: 1 } }));
  await parts.desk.add('s', 'new', { ...hostile(), env: {} });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ note: 'mine', mcpServers: { bad: 1, new: {} } });
  await expect(parts.desk.add('s', 'new', { ...hostile(), env: {} })).rejects.toThrow('already');
  await expect(parts.desk.add('s', 'a b', { ...hostile(), env: {} })).rejects.toThrow('can’t be used');
  writeFileSync(file, '{ damaged');
  await expect(parts.desk.add('s', 'other', { ...hostile(), env: {} })).rejects.toThrow('not valid');
  expect(readFileSync(file, 'utf8')).toBe('{ damaged');
});

const knock = (port: number): Promise<unknown> =>
  new Promise((resolve) => {
    get({ host: '127.0.0.1', port, path: '//' }, (answer) => resolve(answer.resume())).on('error', resolve);
  });

describe('EX20: a remote server', () => {
  it('that wants a sign-in gets one through the browser; it is kept, renewed, and can be ended', async () => {
    const server = await startOAuthServer();
    const opened: string[] = [];
    const go = { isWanted: true };
    const { write, review, ready, view, parts, names, secrets, home } = await bench({
      openLink: async (url) => {
        opened.push(url);
        // Another page of the browser has found the port, and asks for what is no address.
        await knock(Number(new URL(new URL(url).searchParams.get('redirect_uri')!).port));
        // As the browser does, for as long as the person likes.
        if (go.isWanted) void fetch(url);
        return go.isWanted;
      },
    });
    write('.espalier/mcp.json', { far: { url: server.url } });
    await review('far');
    await vi.waitFor(async () => expect((await view('far')).status).toBe('signIn'), { timeout: 10_000 });
    expect(server.seen).not.toContain('POST /register');
    const { id } = await view('far');
    go.isWanted = false;
    await expect(parts.desk.signIn('s', id)).rejects.toThrow('You are not signed in.');
    go.isWanted = true;
    server.person = 'refuses';
    await expect(parts.desk.signIn('s', id)).rejects.toThrow('The sign-in was refused. access_denied');
    server.person = 'agrees';
    await parts.desk.signIn('s', id);
    await ready('far');
    const asked = new URL(opened.at(-1)!);
    expect(asked.searchParams.get('code_challenge_method')).toBe('S256');
    expect(new URL(asked.searchParams.get('redirect_uri')!).hostname).toBe('127.0.0.1');
    expect(names()).toEqual(['mcp__far__where']);
    const [where] = parts.tools.toolsOf('s');
    const { signal } = new AbortController();
    expect((await where!.execute('c', {}, signal, () => undefined)).content).toEqual([
      { type: 'text', text: 'Far away.' },
    ]);
    // What was kept is in the vault alone.
    expect([...secrets.values()].join()).toContain('refresh_token');
    expect(readFileSync(join(home, '.espalier', 'mcp.json'), 'utf8')).not.toContain('token');
    // A token that is good no longer is renewed without the person.
    const before = opened.length;
    server.tokens.clear();
    expect((await where!.execute('c', {}, signal, () => undefined)).content).toEqual([
      { type: 'text', text: 'Far away.' },
    ]);
    expect(opened).toHaveLength(before);
    await parts.desk.signOut('s', id);
    await vi.waitFor(async () => expect(await view('far')).toMatchObject({ status: 'signIn', isSignedIn: false }));
    await server.close();
  }, 60_000);
});
