import {
  readdir,
  readFile,
  rename,
  stat,
  unlink,
  writeFile,
  appendFile,
  rm,
  truncate,
  copyFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AppendedRecord } from '../../../src/main/ports';
import type { StoredLine } from '../../../src/shared/types';
import { newestPage, rowNodesTo } from '../../../src/main/session/machine/rows';
import { referenceDraft } from '@shared/session/tree/drafts';
import { type EntryDraft, EntryNotFoundError } from '@shared/session/records/entry';
import { assistant, modelChange, openStoreBench, textsOf, user } from '../../support/journal';
import type { StoreBench } from '../../support/journal';

let bench: StoreBench;
beforeEach(async () => {
  bench = await openStoreBench();
});
afterEach(() => bench.dispose());

const linesIn = async (path: string): Promise<string[]> => (await readFile(path, 'utf8')).split('\n').slice(0, -1);

async function allLines(
  log: { lines(from: number): AsyncIterable<{ lines: StoredLine[]; crc: number }> },
  from = 0,
): Promise<{ lines: StoredLine[]; crc: number; chunks: number[] }> {
  const lines: StoredLine[] = [];
  const chunks: number[] = [];
  let crc = 0;
  for await (const chunk of log.lines(from)) {
    lines.push(...chunk.lines);
    chunks.push(chunk.lines.length);
    crc = chunk.crc;
  }
  return { lines, crc, chunks };
}

describe('creating (JN1-JN3)', () => {
  it('JN1: writes nothing before the first message, then the header, what waited and the message in one go', async () => {
    const log = await bench.store.create({ workspace: '/w' });
    const told: AppendedRecord[] = [];
    log.onAppended((records) => told.push(...records));
    await log.append([modelChange]);
    await expect(stat(bench.journal(log.sessionId))).rejects.toThrow('ENOENT');
    expect(log.mark()).toEqual({ sessionId: log.sessionId, seq: -1, crc: 0 });
    expect(told).toEqual([]);
    expect(log.tree.size).toBe(1);

    await log.append([user('hello')]);
    const lines = await linesIn(bench.journal(log.sessionId));
    expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual([
      'session',
      'model_change',
      'message',
    ]);
    expect(Object.keys(JSON.parse(lines[0]!) as object)).toEqual(['type', 'version', 'id', 'timestamp', 'cwd']);
    expect(told.map(({ line }) => line.line)).toEqual(lines.slice(1));
    expect(log.mark().seq).toBe(2);
  });

  it('JN1: a session that was handed off to is there at once, with what waited: its draft is kept elsewhere', async () => {
    const log = await bench.store.create({ workspace: '/w', parentSession: 'source' });
    await log.append([modelChange, referenceDraft('source', 'Where it comes from')]);
    const lines = await linesIn(bench.journal(log.sessionId));
    expect(lines.map((line) => (JSON.parse(line) as { customType?: string }).customType)).toEqual([
      undefined,
      undefined,
      'espalier.reference',
    ]);
    expect((await bench.store.list()).map(({ sessionId }) => sessionId)).toContain(log.sessionId);
  });

  it('JN2: never writes over a file that is there already', async () => {
    const log = await bench.store.create({ workspace: '/w' });
    await writeFile(bench.journal(log.sessionId), 'my shopping list\n');
    await expect(log.append([user('hello')])).rejects.toThrow(/^Could not save: a file with the name/);
    expect(await readFile(bench.journal(log.sessionId), 'utf8')).toBe('my shopping list\n');
    expect(log.tree.size).toBe(0);
  });

  it('JN3: gives an empty file its header at the first message', async () => {
    await writeFile(bench.journal('empty'), '');
    const log = await bench.store.open('empty');
    await log.append([user('hello')]);
    expect(await linesIn(bench.journal('empty'))).toHaveLength(2);
    await bench.restart();
    expect(await textsOf(await bench.store.open('empty'))).toEqual(['hello']);
  });
});

describe('appending (JN4-JN9)', () => {
  it('JN4, SY2, EV3: tells the listeners, in order, what is on disk: entry, exact line, running CRC', async () => {
    const log = await bench.store.create({ workspace: '/w' });
    const told: AppendedRecord[] = [];
    const stop = log.onAppended((records) => told.push(...records));
    const returned = [...(await log.append([user('a')])), ...(await log.append([assistant('b')]))];
    expect(told).toEqual(returned);
    expect((await linesIn(bench.journal(log.sessionId))).slice(1)).toEqual(told.map(({ line }) => line.line));
    expect(told.map(({ line }) => line.seq)).toEqual([1, 2]);
    const { lines, crc } = await allLines(log);
    expect(crc).toBe(told[1]!.crc);
    expect(lines.slice(1)).toEqual(told.map(({ line }) => line));
    expect(log.mark()).toEqual({ sessionId: log.sessionId, seq: 2, crc });
    stop();
    await log.append([user('c')]);
    expect(told).toHaveLength(2);
  });

  it('JN5: keeps the order of 1,000 appends made at once and writes them in few writes', async () => {
    const log = await bench.store.create({ workspace: '/w' });
    const texts = Array.from({ length: 1000 }, (_, n) => `message ${n}`);
    const records = await Promise.all(texts.map((text) => log.append([user(text)])));
    expect(await textsOf(log)).toEqual(texts);
    expect(records.map(([record]) => record!.line.seq)).toEqual(texts.map((_, n) => n + 1));
    const ids = records.map(([record]) => record!.entry.id);
    expect(records.map(([record]) => record!.entry.parentId)).toEqual([null, ...ids.slice(0, -1)]);
    const { crc } = await allLines(log);
    const store = await bench.restart();
    const again = await store.open(log.sessionId);
    expect(await textsOf(again)).toEqual(texts);
    expect(again.mark()).toEqual({ sessionId: log.sessionId, seq: 1000, crc });
  });

  it('JN6: hangs a batch where it is told, and side records at the leaf without moving it', async () => {
    const log = await bench.store.create({ workspace: '/w' });
    const [first] = await log.append([user('a')]);
    await log.append([assistant('b')]);
    const [branch] = await log.append([user('c')], { parentId: first!.entry.id });
    expect(branch!.entry.parentId).toBe(first!.entry.id);
    await log.append([{ type: 'label', targetId: first!.entry.id, label: 'here' }]);
    expect(log.tree.leafId).toBe(branch!.entry.id);
    const [root] = await log.append([user('d')], { parentId: null });
    expect(root!.entry.parentId).toBeNull();
    await expect(log.append([user('e')], { parentId: 'nowhere1' })).rejects.toThrow('Entry nowhere1 not found');
    expect(log.tree.leafId).toBe(root!.entry.id);
  });

  it('JN7: moves the leaf durably; an unknown entry is refused', async () => {
    const log = await bench.store.create({ workspace: '/w' });
    const [first] = await log.append([user('a')]);
    await log.append([assistant('b')]);
    await log.moveLeaf(first!.entry.id, 'test');
    expect(log.tree.leafId).toBe(first!.entry.id);
    const store = await bench.restart();
    const again = await store.open(log.sessionId);
    expect(again.tree.leafId).toBe(first!.entry.id);
    await expect(again.moveLeaf('deadbeef', 'test')).rejects.toThrow('Entry deadbeef not found');
    await again.moveLeaf(null, 'test');
    expect(again.tree.leafId).toBeNull();
  });

  it('JN8: one append that cannot be written does not take along those that waited with it', async () => {
    const log = await bench.store.create({ workspace: '/w' });
    const [first] = await log.append([user('a')]);
    const taken = { ...user('again'), id: first!.entry.id } as EntryDraft;
    const results = await Promise.allSettled([log.append([user('b')]), log.append([taken]), log.append([user('c')])]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await textsOf(log)).toEqual(['a', 'b', 'c']);
  });

  it('JN9: the tree holds what the file says, not the objects of the caller', async () => {
    const log = await bench.store.create({ workspace: '/w' });
    const draft = user('as written') as { message: { content: { text: string }[] } } & EntryDraft;
    const [record] = await log.append([draft]);
    draft.message.content[0]!.text = 'changed later';
    expect(await textsOf(log)).toEqual(['as written']);
    expect(JSON.parse(record!.line.line)).toEqual(record!.entry);
  });

  it('refuses after closing', async () => {
    const log = await bench.store.create({ workspace: '/w' });
    await log.close();
    await expect(log.append([user('a')])).rejects.toThrow('Could not save: the session is closed');
  });
});

describe('the file under our hands (JN10 to JN13, JN37)', () => {
  it('JN10: a file that was removed is written anew, whole', async () => {
    const log = await bench.store.create({ workspace: '/w' });
    await log.append([user('a')]);
    const before = await readFile(bench.journal(log.sessionId), 'utf8');
    await unlink(bench.journal(log.sessionId));
    await log.append([user('b')]);
    const after = await readFile(bench.journal(log.sessionId), 'utf8');
    expect(after.startsWith(before)).toBe(true);
    await log.append([user('c')]);
    await rm(bench.dir, { recursive: true });
    await log.append([user('d')]);
    const store = await bench.restart();
    expect(await textsOf(await store.open(log.sessionId))).toEqual(['a', 'b', 'c', 'd']);
  });

  it('JN11: what another program appended is read before we append, and nothing of ours follows it unseen', async () => {
    const log = await bench.store.create({ workspace: '/w' });
    const [first] = await log.append([user('a')]);
    const told: string[] = [];
    log.onAppended((records) => told.push(...records.map(({ entry }) => entry.id)));
    const foreign = {
      ...user('from elsewhere'),
      id: 'f0f0f0f0',
      parentId: first!.entry.id,
      timestamp: new Date(0).toISOString(),
    };
    await appendFile(bench.journal(log.sessionId), `${JSON.stringify(foreign)}\nnot json\n`);
    const [mine] = await log.append([user('b')]);
    expect(mine!.entry.parentId).toBe(first!.entry.id);
    expect(bench.strayed).toEqual([[log.sessionId, 1]]);
    expect(mine!.line.seq).toBe(4);
    expect(told).toEqual(['f0f0f0f0', mine!.entry.id]);
    const crc = log.mark().crc;
    const store = await bench.restart();
    const again = await store.open(log.sessionId);
    expect(await textsOf(again)).toEqual(['a', 'b']);
    expect(again.tree.has('f0f0f0f0')).toBe(true);
    expect(again.mark()).toEqual({ sessionId: log.sessionId, seq: 4, crc });
    expect(again.damage).toEqual([
      '1 line could not be read and was left in place (line 4). The conversation before it may appear as a separate branch.',
    ]);
  });

  it('JN11, JN41: what follows nothing in the file is read, told, and takes the conversation nowhere', async () => {
    const log = await bench.store.create({ workspace: '/w' });
    const [first] = await log.append([user('a')]);
    const foreign = {
      ...user('from elsewhere'),
      id: 'f0f0f0f0',
      parentId: 'nowhere',
      timestamp: new Date(0).toISOString(),
    };
    const line = `${JSON.stringify(foreign)}\n`;
    await appendFile(bench.journal(log.sessionId), line);
    const [mine] = await log.append([user('b')]);
    expect(mine!.entry.parentId).toBe(first!.entry.id);
    expect(bench.strayed).toEqual([[log.sessionId, 1]]);
    expect(log.tree.has('f0f0f0f0')).toBe(true);
    const told = ['1 entry follows one that is not in the file (line 3). It begins a separate branch.'];
    expect(log.damage).toEqual(told);
    // Ended before anything was written behind it: found when the copies are compared.
    await appendFile(bench.journal(log.sessionId), line.replace('f0f0f0f0', 'f1f1f1f1'));
    const store = await bench.restart();
    expect(await store.strayedFrom(log.sessionId, 4)).toBe(1);
    expect((await store.open(log.sessionId)).tree.leafId).toBe(mine!.entry.id);
    expect((await (await bench.restart()).open(log.sessionId)).tree.leafId).toBe(mine!.entry.id);
  });

  it('JN11: a branch that another program wrote beside our leaf takes the conversation nowhere', async () => {
    const log = await bench.store.create({ workspace: '/w' });
    const [first, second] = await log.append([user('a'), user('b')]);
    const branch = { ...user('beside'), timestamp: new Date(0).toISOString() };
    const lines = [
      { ...branch, id: 'f0f0f0f0', parentId: first!.entry.id },
      { ...branch, id: 'f1f1f1f1', parentId: 'f0f0f0f0' },
    ];
    await appendFile(bench.journal(log.sessionId), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const [mine] = await log.append([user('c')]);
    expect(mine!.entry.parentId).toBe(second!.entry.id);
    expect(bench.strayed).toEqual([[log.sessionId, 2]]);
    expect(await textsOf(log)).toEqual(['a', 'b', 'c']);
    expect(log.damage).toEqual([]);
    expect((await (await bench.restart()).open(log.sessionId)).tree.leafId).toBe(mine!.entry.id);
  });

  it.each([true, false])(
    'JN42: lines behind the header that were turned round hide nothing (index: %s)',
    async (index) => {
      const log = await bench.store.create({ workspace: '/w' });
      const said = await log.append([user('a'), user('b')]);
      const last = (await log.append([user('c'), user('d')])).at(-1)!.entry.id;
      await bench.store.close();
      const path = bench.journal(log.sessionId);
      const [header = '', ...lines] = await linesIn(path);
      await writeFile(path, `${[header, ...lines.reverse()].join('\n')}\n`);
      if (!index) await rm(bench.index(log.sessionId));
      const again = await (await bench.restart()).open(log.sessionId);
      expect(again.tree.leafId).toBe(last);
      expect(await textsOf(again)).toEqual(['a', 'b', 'c', 'd']);
      expect(again.damage).toContain(
        'Another program reordered the lines of the session file. They are read by their timestamps; nothing is lost.',
      );
      const [mine] = await again.append([user('e')]);
      expect(mine!.entry.parentId).toBe(last);
      const third = await (await bench.restart()).open(log.sessionId);
      expect(third.tree.leafId).toBe(mine!.entry.id);
      expect(third.tree.pathTo(third.tree.leafId).map(({ id }) => id)).toEqual(
        expect.arrayContaining(said.map(({ entry }) => entry.id)),
      );
    },
  );

  it('JN33: a second record with an id is told and has a row, whatever its size; copies are neither', async () => {
    const log = await bench.store.create({ workspace: '/w' });
    const [first] = await log.append([user('a')]);
    const path = bench.journal(log.sessionId);
    const copy = (await linesIn(path)).at(-1) ?? '';
    // As long as the first in characters and tokens.
    const other = copy.replace('"text":"a"', '"text":"x"');
    await appendFile(path, `${copy}\n${other}\n${copy}\n${other}\n`);
    const [mine] = await log.append([user('b')]);
    expect(mine!.entry.parentId).toBe(first!.entry.id);
    const told = [
      '1 entry has the id of an earlier one and says something else (line 4). It stays in the file and in every export. Each has its own row, and the model does not see it.',
    ];
    const looksAs = async (it: typeof log): Promise<void> => {
      expect(it.damage).toEqual(told);
      expect(await textsOf(it)).toEqual(['a', 'b']);
      const { rows } = newestPage(it.tree, rowNodesTo(it.tree, it.tree.leafId, []));
      expect(rows.map(({ kind, seq, tokens }) => [kind, seq, tokens > 0])).toEqual([
        ['user', 1, true],
        ['opaque', 3, false],
        ['user', 6, true],
      ]);
      const key = rows[1]!.id;
      expect(await it.linesOf([first!.entry.id, key])).toEqual([
        { seq: 1, id: first!.entry.id, line: copy },
        { seq: 3, id: key, line: other },
      ]);
      // For everything that moves, copies or sends entries there is none of that name.
      expect([it.tree.has(key), await it.loadBodies([key])]).toEqual([false, []]);
      await expect(it.moveLeaf(key, 'user')).rejects.toThrow(EntryNotFoundError);
      expect(it.tree.size).toBe(2);
    };
    await looksAs(log);
    await looksAs(await (await bench.restart()).open(log.sessionId));
    await bench.store.close();
    await rm(bench.index(log.sessionId));
    await looksAs(await (await bench.restart()).open(log.sessionId));
    expect(await readFile(path, 'utf8')).not.toContain('espalier.second');
  });

  it('JN33: what a second record says is shown where the first one is damaged, a damaged second is not used', async () => {
    const log = await bench.store.create({ workspace: '/w' });
    await log.append([user('a')]);
    const path = bench.journal(log.sessionId);
    const first = (await linesIn(path)).at(-1) ?? '';
    const other = first.replace('"text":"a"', '"text":"x"');
    await appendFile(path, `${other}\n`);
    await log.append([user('b')]);
    await bench.store.close();
    const whole = await readFile(path, 'utf8');
    const seconds = async (text: string): Promise<number[]> => {
      await writeFile(path, text);
      const again = await (await bench.restart()).open(log.sessionId);
      const { rows } = newestPage(again.tree, rowNodesTo(again.tree, again.tree.leafId, []));
      const found = rows.filter(({ kind }) => kind === 'opaque').map(({ seq }) => seq);
      await bench.store.close();
      return found;
    };
    expect(await seconds(whole)).toEqual([2]);
    expect(await seconds(whole.replace('"text":"a"', '"text":"q"'))).toEqual([2]);
    expect(await seconds(whole.replace('"text":"x"', '"text":"q"'))).toEqual([]);
  });

  it('JN35: entries that hang at themselves, by whatever way, are told, read from the file or added while it is open', async () => {
    const log = await bench.store.create({ workspace: '/w' });
    const [first] = await log.append([user('a')]);
    const said = (id: string, parentId: string): string =>
      `${JSON.stringify({ ...user(id), id, parentId, timestamp: new Date(0).toISOString() })}\n`;
    const lines = [said('self', 'self'), said('one', 'three'), said('two', 'one'), said('three', 'two')];
    await appendFile(bench.journal(log.sessionId), lines.join('') + said('last', first!.entry.id));
    await log.append([user('b')]);
    const told = [
      '2 entries name themselves, or one of their descendants, as their parent (lines 3 and 4). Each begins a separate branch.',
    ];
    expect(log.damage).toEqual(told);
    const again = await (await bench.restart()).open(log.sessionId);
    expect(again.damage).toEqual(told);
    expect(again.tree.size).toBe(7);
  });

  it('JN12: an equal file in its place is taken over; beside another one the log goes on in a file of its own', async () => {
    const log = await bench.store.create({ workspace: '/w' });
    await log.append([user('a')]);
    const path = bench.journal(log.sessionId);
    await copyFile(path, `${path}.copy`);
    await rename(`${path}.copy`, path);
    await log.append([user('b')]);
    const other = (await readFile(path, 'utf8')).replace('"a"', '"x"');
    await writeFile(`${path}.copy`, other);
    await rename(`${path}.copy`, path);
    await log.append([user('c')]);
    expect(await readFile(path, 'utf8')).toBe(other);
    await log.append([user('d')]);
    await log.loadContextBodies();
    expect(await textsOf(log)).toEqual(['a', 'b', 'c', 'd']);
    const [aside] = (await readdir(bench.dir)).filter((name) => name.includes('.apart-'));
    expect(await linesIn(join(bench.dir, aside!))).toHaveLength(5);
  });

  it.each(['in place', 'of the same size', 'cut and written on'])(
    'JN12: a file that another program wrote over (%s) is left alone, and nothing of ours is missing',
    async (how) => {
      const log = await bench.store.create({ workspace: '/w' });
      await log.append([user('a'), user('b')]);
      const path = bench.journal(log.sessionId);
      const text = await readFile(path, 'utf8');
      const lines = text.split('\n');
      const other =
        how === 'in place'
          ? `${lines[0]}\n${lines[1]}\n${lines[2]!.replace('"b"', '"other words"')}\n`
          : how === 'of the same size'
            ? text.replace('"b"', '"y"')
            : `${lines[0]}\n${lines[1]}\n`;
      // The same inode: nothing of ours is left on the disk behind what both have.
      await writeFile(path, other);
      if (how === 'cut and written on') await appendFile(path, `${lines[2]!.replaceAll('b', 'c')}\n`);
      const before = await readFile(path, 'utf8');
      await log.append([user('c')]);
      expect(await readFile(path, 'utf8')).toBe(before);
      await log.loadContextBodies();
      expect(await textsOf(log)).toEqual(['a', 'b', 'c']);
      const [aside] = (await readdir(bench.dir)).filter((name) => name.includes('.apart-'));
      expect((await readFile(join(bench.dir, aside!), 'utf8')).startsWith(text)).toBe(true);
    },
  );

  it('JN13: a file that became shorter is written anew, whole', async () => {
    const log = await bench.store.create({ workspace: '/w' });
    await log.append([user('a')]);
    const before = await readFile(bench.journal(log.sessionId), 'utf8');
    await truncate(bench.journal(log.sessionId), 40);
    await log.append([user('b')]);
    expect((await readFile(bench.journal(log.sessionId), 'utf8')).startsWith(before)).toBe(true);
    const store = await bench.restart();
    expect(await textsOf(await store.open(log.sessionId))).toEqual(['a', 'b']);
  });
});

describe('bodies and lines (JN14-JN16)', () => {
  it('JN14: gives bodies in the order asked for, from memory or file, and leaves unknown ids out', async () => {
    const log = await bench.store.create({ workspace: '/w' });
    const records = (await Promise.all(Array.from({ length: 300 }, (_, n) => log.append([user(`m${n}`)])))).flat();
    const store = await bench.restart();
    const again = await store.open(log.sessionId);
    expect(records.every(({ entry }) => again.tree.body(entry.id) === undefined)).toBe(true);
    const wanted = [records[250]!, records[3]!, records[4]!, records[250]!].map(({ entry }) => entry);
    expect(await again.loadBodies([...wanted.map(({ id }) => id), 'unknown1'])).toEqual(wanted);
    expect(await again.linesOf([records[9]!.entry.id, 'unknown1', records[2]!.entry.id])).toEqual([
      records[9]!.line,
      records[2]!.line,
    ]);
  });

  it('JN15: makes the bodies of the context resident and lets the others go', async () => {
    const log = await bench.store.create({ workspace: '/w' });
    const [a] = await log.append([user('a')]);
    const [b] = await log.append([assistant('b')]);
    const [c] = await log.append([user('c')], { parentId: null });
    await log.loadContextBodies();
    expect([a, b, c].map((record) => log.tree.body(record!.entry.id) !== undefined)).toEqual([false, false, true]);
    await log.moveLeaf(b!.entry.id, 'test');
    await log.loadContextBodies();
    expect([a, b, c].map((record) => log.tree.body(record!.entry.id) !== undefined)).toEqual([true, true, false]);
  });

  it('JN16: gives all records from any number on in chunks of at most 100, with the running CRC', async () => {
    const log = await bench.store.create({ workspace: '/w' });
    await log.append(Array.from({ length: 250 }, (_, n) => user(`m${n}`)));
    const whole = await allLines(log);
    expect(whole.chunks).toEqual([100, 100, 51]);
    expect(whole.lines.map(({ line }) => line)).toEqual(await linesIn(bench.journal(log.sessionId)));
    expect(whole.lines[0]!.id).toBe('');
    const rest = await allLines(log, 200);
    expect(rest.lines).toEqual(whole.lines.slice(200));
    expect(rest.crc).toBe(whole.crc);
    expect(log.mark()).toEqual({ sessionId: log.sessionId, seq: 250, crc: whole.crc });
    expect(await bench.store.crcAt(log.sessionId, 250)).toBe(whole.crc);
    expect(await bench.store.crcAt(log.sessionId, 251)).toBeNull();
  });
});
