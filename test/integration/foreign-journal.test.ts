import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeFs } from '../../src/main/journal/file/fs';
import { Computer } from '../support/computer';
import { randomHex } from '../support/journal';

/** Something that is no session file stands in the place of a journal (JN32): on the real disk, with a real database. */
let home: string;
let a: Computer;
let servers: Server[];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'espalier-foreign-'));
  a = new Computer('a', home, Date.now, randomHex);
  servers = [];
});
afterEach(() => {
  for (const server of servers) server.close();
  rmSync(home, { recursive: true, force: true });
});

const journal = (id: string): string => join(home, 'sessions', `${id}.jsonl`);
const asides = (): string[] => readdirSync(join(home, 'sessions')).filter((name) => name.includes('.bad-'));

const GIGABYTE = 1024 ** 3;
const SPARSE = 'a file with a line that does not end';
const SHORT = 'a file with more than 500,000 lines that are too short for a session';

/** How it is put there, and what is said of it. */
const FORMS: Record<string, [put: (path: string) => unknown, what: string]> = {
  'a socket': [
    (path) => new Promise<void>((done) => void servers.push(createServer().listen(path, () => done()))),
    'a socket',
  ],
  'a folder with files': [
    (path) => {
      mkdirSync(path);
      writeFileSync(join(path, 'mine'), 'x');
    },
    'a folder',
  ],
  'a link to itself': [(path) => symlinkSync(path, path), 'a link that leads to itself'],
  'a link to nothing': [(path) => symlinkSync('/no/such/place', path), 'a link that leads nowhere'],
  'a named pipe': [(path) => execFileSync('mkfifo', [path]), 'a pipe or a device'],
  'a link to an endless device': [(path) => symlinkSync('/dev/zero', path), 'a pipe or a device'],
  'a link to a device that takes all': [(path) => symlinkSync('/dev/null', path), 'a pipe or a device'],
  'three gigabytes of nothing': [
    (path) => {
      writeFileSync(path, '');
      truncateSync(path, 3 * GIGABYTE);
    },
    SPARSE,
  ],
  'a header and a million lines of one character': [
    (path) => {
      const header = { type: 'session', version: 3, id: 'tiny', timestamp: new Date(0).toISOString(), cwd: '/' };
      writeFileSync(path, `${JSON.stringify(header)}\n${'x\n'.repeat(1_000_000)}`);
    },
    SHORT,
  ],
};

interface Shown {
  texts: string[];
  damage: readonly string[] | undefined;
}

async function shown(sessionId: string): Promise<Shown> {
  const entries = (await a.shown()).get(sessionId) ?? [];
  const texts = entries.map(
    (entry) => (entry as { message: { content: { text: string }[] } }).message.content[0]?.text,
  );
  const listed = (await a.store.list()).find((session) => session.sessionId === sessionId);
  return { texts: texts.map(String), damage: listed?.damage };
}

/** Two sessions; the first has something else in its place, `open`: while it is in use. */
async function replaced(put: (path: string) => unknown, open = false): Promise<{ id: string; other: string }> {
  await a.start(nodeFs);
  const { sessionId: id } = await a.create(['one', 'two']);
  const { sessionId: other } = await a.create(['other']);
  await a.settle();
  if (!open) await a.stop();
  rmSync(journal(id));
  await put(journal(id));
  return { id, other };
}

const told = (what: string): object => ({
  code: 'journal-restored',
  text: `The file of “Garden” had been replaced by ${what}. The session was restored from its second copy.`,
});

describe.each(Object.entries(FORMS))('JN32: %s in the place of a journal', (_name, [put, what]) => {
  it.each(['while the app is closed', 'while the session is open'])(
    '%s: the session is brought back, what was there is kept, and both is told',
    async (when) => {
      const isOpen = when === 'while the session is open';
      const { id, other } = await replaced(put, isOpen);
      const { mode, size } = lstatSync(journal(id));
      if (!isOpen) await a.start(nodeFs);
      await a.say(id, ['three']);
      expect(await shown(id)).toEqual({ texts: ['one', 'two', 'three'], damage: [] });
      expect(await shown(other)).toEqual({ texts: ['other'], damage: [] });
      expect(a.notices).toMatchObject([told(what)]);
      const [aside = ''] = asides();
      expect(a.notices[0]?.detail).toBe(`The other file is kept next to it as ${aside}.`);
      expect(lstatSync(join(home, 'sessions', aside))).toMatchObject({ mode, size });
      expect(a.problems).toEqual([]);
      await a.stop();
      await a.start(nodeFs);
      expect((await shown(id)).texts).toEqual(['one', 'two', 'three']);
      expect(a.notices).toHaveLength(1);
      await a.stop();
    },
  );

  it('without a second copy: it is left alone, said, and the others are as before', async () => {
    const { id, other } = await replaced(put);
    const { mode, size } = lstatSync(journal(id));
    a.loseDatabase();
    await a.start(nodeFs);
    const isNowhere = what === 'a link that leads nowhere';
    const words = isNowhere ? 'The file of this session is gone.' : `In the place of this session’s file is ${what}.`;
    expect(await shown(id)).toEqual({ texts: [], damage: [expect.stringContaining(words)] });
    await expect(a.store.open(id)).rejects.toThrow(words);
    // A file can be exported whatever is in it.
    if (what !== SPARSE && what !== SHORT)
      await expect(a.store.exportTo(id, join(home, 'out.jsonl'), false)).rejects.toThrow();
    expect((await shown(other)).texts).toEqual(['other']);
    expect(lstatSync(journal(id))).toMatchObject({ mode, size });
    expect(a.problems).toEqual([]);
    await a.stop();
  });

  it('is deleted with the session and its rows, and comes back with them', async () => {
    const { id } = await replaced(put, true);
    await a.remove(id);
    expect(readdirSync(join(home, 'sessions')).filter((name) => name.startsWith(id))).toEqual([]);
    expect((await a.rows()).has(id)).toBe(false);
    await a.stop();
    await a.start(nodeFs);
    expect([...(await a.shown()).keys()]).not.toContain(id);
    await a.store.restore(id).catch(() => undefined);
    await a.compare();
    await a.settle();
    expect((await shown(id)).texts).toEqual(['one', 'two']);
    expect(a.notices).toMatchObject([told(what)]);
    expect(asides()).toHaveLength(1);
    await a.stop();
  });
});

it('JN32: what never was a session is a row that says what it is', async () => {
  mkdirSync(join(home, 'sessions'));
  for (const [at, [put]] of Object.values(FORMS).entries()) await put(journal(`mine-${at}`));
  await a.start(nodeFs);
  const listed = await a.store.list();
  const said = Object.fromEntries(listed.map(({ sessionId, foreign }) => [sessionId, foreign?.what]));
  const what = Object.values(FORMS).map(([, words], at) => [`mine-${at}`, words] as const);
  // A link to nothing is told as a file that is gone.
  const expected = what.map(([id, words]) => [id, words === 'a link that leads nowhere' ? undefined : words]);
  expect(said).toEqual(Object.fromEntries(expected));
  await a.stop();
});

describe('JN32: an empty file in the place of a journal', () => {
  it('is written anew from the database', async () => {
    const { id } = await replaced((path) => writeFileSync(path, ''));
    await a.start(nodeFs);
    expect(await shown(id)).toEqual({ texts: ['one', 'two'], damage: [] });
    expect(a.notices).toMatchObject([told('an empty file')]);
    await a.stop();
  });

  it('JN39: without a second copy: what is missing is said', async () => {
    const { id } = await replaced((path) => writeFileSync(path, ''));
    a.loseDatabase();
    await a.start(nodeFs);
    expect((await shown(id)).damage).toEqual([expect.stringContaining('3 lines are missing')]);
    await a.stop();
  });
});

describe('JN32: a journal with a hole behind its lines', () => {
  it('is brought back whole, and opening it does not fill the memory', async () => {
    const { id } = await replaced(() => undefined);
    await a.start(nodeFs);
    await a.stop();
    truncateSync(journal(id), 3 * GIGABYTE);
    const before = process.memoryUsage().rss;
    await a.start(nodeFs);
    expect(process.memoryUsage().rss - before).toBeLessThan(GIGABYTE);
    expect(await shown(id)).toEqual({ texts: ['one', 'two'], damage: [] });
    expect(a.notices.slice(1)).toMatchObject([told(SPARSE)]);
    await a.stop();
  });
});

describe('JN32: a journal that may not be opened', () => {
  const isRoot = process.getuid?.() === 0;
  const NOBODY = 65_534;
  /** Root may open everything: the test is somebody else meanwhile. */
  const asNobody = async (work: () => Promise<void>): Promise<void> => {
    if (!isRoot) return work();
    for (const path of ['', ...(readdirSync(home, { recursive: true }) as string[])])
      chownSync(join(home, path), NOBODY, NOBODY);
    process.seteuid?.(NOBODY);
    try {
      await work();
    } finally {
      process.seteuid?.(0);
    }
  };

  it('is kept as a copy, and what it had more is taken in as soon as it can be read', async () => {
    await a.start(nodeFs);
    const { sessionId: id } = await a.create(['one', 'two']);
    await a.settle();
    await a.stop();
    await asNobody(async () => {
      chmodSync(journal(id), 0);
      await a.start(nodeFs);
      expect(await shown(id)).toEqual({ texts: ['one', 'two'], damage: [] });
      expect(a.notices).toMatchObject([told('a file that may not be opened')]);
      await a.say(id, ['three']);
      await a.stop();
      const copy = readdirSync(join(home, 'sessions')).find((name) => name.includes('.copy-')) ?? '';
      expect(a.notices[0]?.detail).toContain(copy);
      await a.start(nodeFs);
      await a.stop();
      chmodSync(join(home, 'sessions', copy), 0o600);
      await a.start(nodeFs);
      expect((await shown(id)).texts).toEqual(['one', 'two', 'three']);
      expect(readdirSync(join(home, 'sessions'))).not.toContain(copy);
      expect(a.problems).toEqual([]);
      expect(a.notices).toHaveLength(1);
      await a.stop();
    });
  });
});

describe('a damaged journal in the trash', () => {
  it('something else in its place there: the other sessions are compared as ever', async () => {
    const { id, other } = await replaced(() => undefined);
    await a.start(nodeFs);
    const [folder = ''] = await a.store.trash(id).then(() => readdirSync(join(home, 'trash')));
    await a.stop();
    const path = join(home, 'trash', folder, `${id}.jsonl`);
    renameSync(path, join(home, 'kept'));
    symlinkSync(path, path);
    await a.start(nodeFs);
    // The rows are all there is of it.
    expect((await shown(id)).texts).toEqual(['one', 'two']);
    expect((await shown(other)).texts).toEqual(['other']);
    expect(a.problems).toEqual([]);
    await a.stop();
  });
});
