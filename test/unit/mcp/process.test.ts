import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type LinkNews, McpLink, type McpPort } from '../../../src/main/mcp/link';
import type { McpOffer, McpReach, McpResult } from '../../../src/main/mcp/process/messages';
import { mcpProcesses } from '../../support/mcp/process';
import { hostileReach, reference } from '../../support/mcp/programs';

let start: () => McpPort & { pid: number };
let folder: string;
let links: McpLink[] = [];
let files = 0;

beforeAll(async () => {
  start = await mcpProcesses();
  folder = mkdtempSync(join(tmpdir(), 'espalier-mcp-'));
}, 60_000);
afterEach(async () => {
  await Promise.all(links.map((link) => link.close()));
  links = [];
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function newLink(more: Partial<LinkNews> = {}, beatMs?: number, silentMs?: number) {
  const lines: string[] = [];
  const gone: string[] = [];
  const pids: number[] = [];
  const news: LinkNews = {
    log: (_server, line) => lines.push(line),
    gone: (_server, why) => gone.push(why),
    lost: (why) => gone.push(why),
    changed: () => undefined,
    keep: () => undefined,
    ...more,
  };
  const link = new McpLink(
    () => {
      const port = start();
      pids.push(port.pid);
      return port;
    },
    news,
    beatMs,
    silentMs,
  );
  links.push(link);
  return { link, lines, gone, pids };
}

function connect(link: McpLink, ...args: string[]): Promise<McpOffer> {
  return link.ask('connect', { server: 1, reach: hostileReach(folder, ...args), timeoutMs: 20_000 });
}

function call(link: McpLink, tool: string, args: Record<string, unknown> = {}, more = {}): Promise<McpResult> {
  const outputFile = join(folder, `out-${files++}.txt`);
  return link.ask('call', { server: 1, tool, args, timeoutMs: 20_000, outputFile, ...more });
}

const textOf = ({ content: [first] }: McpResult): string => (first?.type === 'text' ? first.text : '');

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe('EX20: a server', () => {
  it('offers tools, answers calls, and its failures are results', async () => {
    const { link } = newLink();
    const offer = await connect(link);
    expect(offer.tools.map(({ name }) => name)).toContain('echo');
    expect(offer.tools.find(({ name }) => name === 'echo')?.readOnly).toBe(true);
    expect(await call(link, 'echo', { text: 'hi' })).toMatchObject({
      content: [{ type: 'text', text: 'You said: hi' }],
      isError: false,
    });
    expect(await call(link, 'fail')).toMatchObject({ isError: true });
    expect((await call(link, 'structured')).content).toEqual([{ type: 'text', text: '{\n  "answer": 42\n}' }]);
  });

  it('gets no variable but those that it is given, and the folder', async () => {
    process.env.ESPALIER_TEST_API_KEY = 'secret';
    const { link } = newLink();
    await connect(link);
    const text = textOf(await call(link, 'environment'));
    delete process.env.ESPALIER_TEST_API_KEY;
    const { names, cwd } = JSON.parse(text) as { names: string[]; cwd: string };
    expect(names.filter((name) => !['PATH', 'PWD', 'SHLVL', '_', 'OLDPWD'].includes(name))).toEqual([]);
    expect(cwd).toBe(folder);
  });

  it('may say 10 MB: a bounded part of it is the result, the whole is in a file', async () => {
    const { link } = newLink();
    await connect(link);
    const result = await call(link, 'ten-megabytes');
    const text = textOf(result);
    expect(text.length).toBeLessThan(51_000);
    expect(text.startsWith('begin\n0123')).toBe(true);
    expect(text).toContain('characters left out');
    expect(text).toContain(result.fullOutputPath);
    const whole = readFileSync(result.fullOutputPath!, 'utf8');
    expect(whole).toHaveLength(10 * 1024 * 1024 + 10);
    expect(whole.endsWith('\nend')).toBe(true);
  });

  it('may give images, which are kept, and what no model reads, which is said', async () => {
    const { link } = newLink();
    await connect(link);
    const { content } = await call(link, 'image');
    expect(content.map(({ type }) => type)).toEqual(['text', 'image']);
    expect(content[0]).toMatchObject({ text: expect.stringContaining('Not shown: image/svg+xml') as string });
    expect(content[0]).toMatchObject({ text: expect.stringContaining('Not shown: audio/wav') as string });
  });

  it('may lie about results: the answer says so', async () => {
    const { link } = newLink();
    await connect(link);
    await expect(call(link, 'no-result')).rejects.toThrow('can’t be read as a result');
    expect(await call(link, 'content-lie')).toMatchObject({ isError: true });
    // It is still there.
    expect(await call(link, 'echo', { text: 'hi' })).toMatchObject({ isError: false });
  });

  it('may lie about tools: what a provider would refuse is left out and said, the others stay', async () => {
    const { link } = newLink();
    const { tools, problems } = await connect(link, 'tools=lies');
    expect(tools.map(({ name }) => name)).toEqual([
      ...['good', 'top-union', 'huge', 'odd name\u202e/../‮', 'odd name\u202e/../_'],
    ]);
    expect(tools.find(({ name }) => name === 'top-union')?.schema).not.toHaveProperty('anyOf');
    expect(tools.find(({ name }) => name === 'huge')?.description).toHaveLength(4_000);
    expect(problems.map(({ tool }) => tool)).toEqual([
      ...['no-schema', 'bad-type', 'text-schema', 'array-schema', 'bad-argument', 'deep', 'huge', 'huge-schema'],
      ...['good', '', ''],
    ]);
  });

  it('may give the same page of tools for ever: it is read once', async () => {
    const { link } = newLink();
    const { tools } = await connect(link, 'tools=thousand', 'cursor=again');
    expect(tools).toHaveLength(1_000);
  });

  it('may talk on its output: that is its log', async () => {
    const { link, lines } = newLink();
    await connect(link, 'on=greets');
    expect(lines).toEqual(['Welcome to the server!', '{"not": "a message"}']);
  });

  it('that does not start says why, and what it wrote is in the log', async () => {
    const { link, lines } = newLink();
    await expect(connect(link, 'on=exits')).rejects.toThrow('It ended with code 3.');
    await vi.waitFor(() => expect(lines).toContain('cannot start: no such database'));
    const reach = { kind: 'stdio', command: 'no-such-program', args: [], env: {}, cwd: folder } satisfies McpReach;
    await expect(link.ask('connect', { server: 2, reach, timeoutMs: 5_000 })).rejects.toThrow('There is no program');
  });

  it('that never answers is given up in its time, and ended', async () => {
    const notes = join(folder, 'silent.txt');
    const { link } = newLink();
    const reach = hostileReach(folder, 'on=silent', `notes=${notes}`);
    await expect(link.ask('connect', { server: 1, reach, timeoutMs: 300 })).rejects.toThrow('did not answer in time');
    const pid = Number(/start (\d+)/.exec(readFileSync(notes, 'utf8'))?.[1]);
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), 5_000);
  });

  it('that floods its output is ended', async () => {
    const { link } = newLink();
    await expect(connect(link, 'on=endless-line')).rejects.toThrow('a message of more than 64 MB');
  }, 30_000);

  it('is told when nobody waits for a call any more', async () => {
    const notes = join(folder, 'cancel.txt');
    const { link } = newLink();
    await connect(link, `notes=${notes}`);
    const controller = new AbortController();
    const params = { server: 1, tool: 'slow', args: {}, timeoutMs: 60_000, outputFile: join(folder, 'none') };
    const slow = link.ask('call', params, { signal: controller.signal });
    await vi.waitFor(() => expect(readFileSync(notes, 'utf8')).toContain('call slow'));
    controller.abort();
    await expect(slow).rejects.toThrow('It was stopped.');
    await vi.waitFor(() => expect(readFileSync(notes, 'utf8')).toContain('cancelled'));
    expect(await call(link, 'echo', { text: 'on' })).toMatchObject({ isError: false });
  });

  it('has its time for a call; progress starts it anew', async () => {
    const { link } = newLink();
    await connect(link);
    await expect(call(link, 'never', {}, { timeoutMs: 200 })).rejects.toThrow('did not answer in time');
    const steps: string[] = [];
    const params = { server: 1, tool: 'progress', args: {}, timeoutMs: 900, outputFile: join(folder, 'none') };
    const result = await link.ask('call', params, { onProgress: (step) => steps.push(step) });
    expect(result.content).toEqual([{ type: 'text', text: 'Done.' }]);
    expect(steps).toEqual(['Step 1', 'Step 2']);
  });

  it('that ends in a call fails that call, and is gone', async () => {
    const { link, gone } = newLink();
    await connect(link);
    await expect(call(link, 'crash')).rejects.toThrow('It ended before it answered.');
    await vi.waitFor(() => expect(gone).toEqual(['It ended with code 7.']));
    await expect(call(link, 'echo')).rejects.toThrow('not connected');
  });

  it('that ignores every request to end is ended all the same', async () => {
    const notes = join(folder, 'deaf.txt');
    const { link } = newLink();
    await connect(link, 'on=deaf', `notes=${notes}`);
    const pid = Number(/start (\d+)/.exec(readFileSync(notes, 'utf8'))?.[1]);
    expect(isAlive(pid)).toBe(true);
    await link.ask('disconnect', { server: 1 });
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false));
  });
});

describe('EX20: the process of the clients', () => {
  it('that hangs is ended with its servers, and the next request starts another', async () => {
    const notes = join(folder, 'hang.txt');
    const { link, gone, pids } = newLink({}, 200, 3_000);
    await connect(link, 'on=deaf', `notes=${notes}`);
    const pid = Number(/start (\d+)/.exec(readFileSync(notes, 'utf8'))?.[1]);
    process.kill(pids[0]!, 'SIGSTOP');
    await vi.waitFor(() => expect(gone).toHaveLength(1), 10_000);
    await vi.waitFor(() => expect([isAlive(pids[0]!), isAlive(pid)]).toEqual([false, false]), 5_000);
    await connect(link);
    expect(await call(link, 'echo', { text: 'again' })).toMatchObject({ isError: false });
    expect(pids).toHaveLength(2);
  }, 30_000);
});

describe('EX20: the reference servers', () => {
  it('filesystem lists and reads', async () => {
    writeFileSync(join(folder, 'pear.txt'), 'a pear');
    const { link } = newLink();
    const reach = {
      kind: 'stdio',
      ...reference('filesystem', folder),
      env: { PATH: process.env.PATH! },
      cwd: folder,
    } satisfies McpReach;
    const { tools, problems } = await link.ask('connect', { server: 1, reach, timeoutMs: 20_000 });
    expect(problems).toEqual([]);
    expect(tools.length).toBeGreaterThan(10);
    expect(await call(link, 'read_text_file', { path: join(folder, 'pear.txt') })).toMatchObject({
      content: [{ type: 'text', text: 'a pear' }],
    });
    expect(await call(link, 'read_text_file', { path: '/etc/passwd' })).toMatchObject({ isError: true });
  });

  it('memory keeps', async () => {
    const { link } = newLink();
    const env = { PATH: process.env.PATH!, MEMORY_FILE_PATH: join(folder, 'memory.json') };
    const reach = { kind: 'stdio', ...reference('memory'), env, cwd: folder } satisfies McpReach;
    await link.ask('connect', { server: 1, reach, timeoutMs: 20_000 });
    const entities = [{ name: 'pear', entityType: 'tree', observations: ['tall'] }];
    await call(link, 'create_entities', { entities });
    expect(readFileSync(env.MEMORY_FILE_PATH, 'utf8')).toContain('pear');
  });

  it('everything has tools, prompts, resources and images', async () => {
    const { link } = newLink();
    const reach = {
      kind: 'stdio',
      ...reference('everything'),
      env: { PATH: process.env.PATH! },
      cwd: folder,
    } satisfies McpReach;
    const offer = await link.ask('connect', { server: 1, reach, timeoutMs: 20_000 });
    expect(offer.problems).toEqual([]);
    expect(offer.tools.map(({ name }) => name)).toContain('echo');
    expect(offer.prompts.length).toBeGreaterThan(0);
    expect(await link.ask('prompt', { server: 1, name: offer.prompts[0]!.name, args: {} })).not.toBe('');
    const [resource] = await link.ask('resources', { server: 1 });
    const read = await link.ask('read', { server: 1, uri: resource!.uri, outputFile: join(folder, 'r.txt') });
    expect(read.content[0]?.type).toBe('text');
    const { content } = await call(link, 'get-tiny-image');
    expect(content.some(({ type }) => type === 'image')).toBe(true);
  });
});
