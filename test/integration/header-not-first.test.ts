import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeFs } from '../../src/main/journal/file/fs';
import { Computer } from '../support/computer';
import { randomHex } from '../support/journal';

/** Another program put the lines of two computers into one file, its header not first (docs/specs/safety.md, E1). */
let home: string;
let a: Computer;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'espalier-order-'));
  a = new Computer('a', home, Date.now, randomHex);
});
afterEach(async () => {
  await a.stop();
  rmSync(home, { recursive: true, force: true });
});

const journal = (id: string): string => join(home, 'sessions', `${id}.jsonl`);
const linesOf = (id: string): string[] => readFileSync(journal(id), 'utf8').trimEnd().split('\n');

/** What the other computer said behind a line of ours. */
function ofOther(line: string): string[] {
  const entry = JSON.parse(line) as { id: string; timestamp: string; message: { content: object[] } };
  const said = (id: string, parentId: string, text: string): string =>
    JSON.stringify({ ...entry, id, parentId, message: { ...entry.message, content: [{ type: 'text', text }] } });
  return [said('b'.repeat(16), entry.id, 'B one'), said('c'.repeat(16), 'b'.repeat(16), 'B two')];
}

const ORDERS: Record<string, (lines: string[]) => string> = {
  sorted: (lines) => `${[...lines].sort().join('\n')}\n`,
  'turned round': (lines) => `${[...lines].reverse().join('\n')}\n`,
  'with its header last': ([header = '', ...lines]) => `${[...lines, header].join('\n')}\n`,
  'without its header': ([, ...lines]) => `${lines.join('\n')}\n`,
  'with markers before its header': ([header = '', ...lines]) =>
    `<<<<<<< A\n${lines.join('\n')}\n=======\n${header}\n>>>>>>> B\n`,
};

function replace(id: string, content: string): void {
  writeFileSync(`${journal(id)}.other`, content);
  renameSync(`${journal(id)}.other`, journal(id));
}

async function shown(): Promise<string[]> {
  const texts: string[] = [];
  for (const entries of (await a.shown()).values())
    for (const entry of entries)
      if (entry.type === 'message')
        texts.push(
          ...(entry as unknown as { message: { content: { text: string }[] } }).message.content.map(({ text }) => text),
        );
  return [...new Set(texts)].sort();
}

describe.each(Object.entries(ORDERS))('JN40: a file of both computers, %s', (_name, order) => {
  it.each([
    ['closed', true],
    ['closed', false],
    ['running', true],
    ['running', false],
  ])('while the app is %s (it has all of ours: %s): every message is shown, and it is told', async (when, isUnion) => {
    await a.start(nodeFs);
    const { sessionId: id } = await a.create(['one', 'two']);
    const [header = '', ...shared] = linesOf(id);
    await a.say(id, ['three']);
    await a.settle();
    if (when === 'closed') await a.stop();
    const ours = isUnion ? linesOf(id).slice(1) : shared;
    replace(id, order([header, ...ours, ...ofOther(shared.at(-1) ?? '')]));
    if (when === 'closed') await a.start(nodeFs);
    else await a.say(id, ['four']);
    const said = ['B one', 'B two', ...(when === 'closed' ? [] : ['four']), 'one', 'three', 'two'];
    expect(await shown()).toEqual(said);
    expect(a.notices.map(({ text }) => text)).toEqual([
      expect.stringMatching(
        /“Garden” was continued in two places, and another program put both into one file\.|There are two versions of “Garden”\. Both are kept\./,
      ),
    ]);
    expect(a.notices[0]?.detail).toContain('2 messages');
    expect(a.problems).toEqual([]);
    const kept = readdirSync(join(home, 'trash')).filter((name) => name.startsWith(`${id}.damaged-`));
    expect(kept).toHaveLength(1);
    await a.stop();
    await a.start(nodeFs);
    expect(await shown()).toEqual(said);
    expect(JSON.parse(linesOf(id)[0] ?? '')).toMatchObject({ type: 'session', id });
  });

  it('without a database: every message is shown', async () => {
    await a.start(nodeFs);
    const { sessionId: id } = await a.create(['one', 'two']);
    await a.stop();
    const lines = linesOf(id);
    replace(id, order([...lines, ...ofOther(lines.at(-1) ?? '')]));
    a.loseDatabase();
    await a.start(nodeFs);
    expect(await shown()).toEqual(['B one', 'B two', 'one', 'two']);
  });
});

it('records whose line ends were lost are records again', async () => {
  await a.start(nodeFs);
  const { sessionId: id } = await a.create(['one } {"', 'two']);
  await a.stop();
  const lines = linesOf(id);
  replace(id, `${[...lines, ...ofOther(lines.at(-1) ?? '')].join(' ')}\n`);
  rmSync(join(home, 'sessions', `${id}.index`));
  await a.start(nodeFs);
  expect(await shown()).toEqual(['B one', 'B two', 'one } {"', 'two']);
});

it('what is no session of ours is left as it is', async () => {
  await a.start(nodeFs);
  const content = '{"type":"message","id":"x","message":{}}\n{"type":"session","version":3,"id":"of-another"}\n';
  writeFileSync(journal('not-ours'), content);
  expect((await a.store.list()).map(({ damage }) => damage.length)).toEqual([1]);
  expect(readFileSync(journal('not-ours'), 'utf8')).toBe(content);
});
