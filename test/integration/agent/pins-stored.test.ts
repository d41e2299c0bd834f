import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SessionHost } from '../../../src/main/session/host/session-host';
import type { AgentSession } from '../../../src/main/session/host/agent-session';
import { promptOf, startHarness, type Harness } from '../../support/agent-harness';
import { isSummary } from '../../support/compaction-talk';
import { FailingFs, type Fault } from '../../support/failing-fs';
import { openStoreBench, type StoreBench } from '../../support/journal';
import { sentMessages } from '../../support/model-server';

/** Pins on the real store: restart, fork, undo, export and import, damaged and full disks (SF11, HF4, UN1). */
let harness: Harness;
let bench: StoreBench;
let host: SessionHost;
let source: string;
const never: Fault = { at: Infinity, kind: 'ENOSPC', stays: true };
let fault: Fault;
let fs: FailingFs;

beforeEach(async () => {
  const settings = { 'compaction.keepRecentTokens': 60, 'compaction.keepUserMessageTokens': 0 };
  harness = await startHarness({ settings });
  fault = { ...never };
  fs = new FailingFs(fault);
  bench = await openStoreBench({ fs });
  host = hostOn(bench);
  harness.server.script((request) =>
    isSummary(request) ? '## Goal\nGo on.' : `answer to ${sentMessages(request).at(-1)?.text ?? ''}`,
  );
  source = (await host.create({ workspace: harness.dir })).id;
  for (const text of ['one', 'two', 'three', 'four']) await ask(source, `${text} ${'word '.repeat(30)}`);
});
afterEach(async () => {
  await host.dispose();
  await bench.dispose();
  await harness.close();
});

function hostOn({ store, dir }: StoreBench): SessionHost {
  return new SessionHost({ ...harness.ports, store, sessionsDir: dir, scratchDir: dir });
}

async function ask(sessionId: string, text: string): Promise<void> {
  const before = harness.events.filter(({ type }) => type === 'settled').length;
  await (await host.session(sessionId)).prompt(promptOf(text));
  await harness.settled(before + 1);
}

/** Closes everything and opens it again. */
async function restart(): Promise<void> {
  await host.dispose();
  await bench.restart(fs);
  host = hostOn(bench);
}

async function messagesOf(session: AgentSession): Promise<string[]> {
  const { tree } = session.log;
  return tree.pathTo(tree.leafId).flatMap(({ id, facts }) => (facts.visible ? [id] : []));
}

async function compacted(sessionId: string): Promise<void> {
  const before = harness.events.filter(({ type }) => type === 'compaction_end').length;
  await (await host.session(sessionId)).compact({});
  await harness.until('compaction_end', (event) => harness.events.filter(({ type }) => type === 'compaction_end').indexOf(event) >= before); // prettier-ignore
}

/** The block of pins in the newest request; undefined: there is none. */
const block = (): string | undefined =>
  sentMessages(harness.server.requests.filter((one) => !isSummary(one)).at(-1)!).find(({ text }) => text.startsWith('<pinned>'))?.text; // prettier-ignore

describe('a pin in the file', () => {
  it('SF11: is there after a restart, on the request, in list and state', async () => {
    const session = await host.session(source);
    const [first = '', , third = ''] = await messagesOf(session);
    await session.pins.set([first, third], true);
    await session.pins.set([third], false);
    await compacted(source);
    await restart();
    const again = await host.session(source);
    expect((await again.snapshot()).pins).toEqual([first]);
    expect((await again.snapshot()).repeated).toEqual([first]);
    expect(again.pins.list().pins).toMatchObject([{ id: first, kind: 'user', isHidden: true, isAside: false }]);
    await ask(source, 'five');
    expect(block()).toContain(`[entry:${first}] user:\none word`);
    expect(block()).not.toContain(third);
  });

  it('HF4: goes with a fork of its message, and not with one that ends before it', async () => {
    const session = await host.session(source);
    const [first = '', , , fourth = ''] = await messagesOf(session);
    await session.pins.set([first, fourth], true);
    const [whole, part] = [await host.fork(source), await host.fork(source, (await messagesOf(session))[2])];
    expect((await (await host.session(whole.summary.id)).snapshot()).pins).toEqual([first, fourth]);
    expect((await (await host.session(part.summary.id)).snapshot()).pins).toEqual([first]);
    await compacted(whole.summary.id);
    await ask(whole.summary.id, 'five');
    expect(block()).toContain(`[entry:${first}] user:\none word`);
  });

  it('UN1: an undo that repeats messages repeats their pins; each counts once', async () => {
    const session = await host.session(source);
    await compacted(source);
    await ask(source, 'five');
    const five = (await messagesOf(session)).at(-2) ?? '';
    await session.pins.set([five], true);
    const compaction = session.log.tree.pathTo(session.log.tree.leafId).findLast(({ facts }) => facts.type === 'compaction'); // prettier-ignore
    await session.rewriter.undo(compaction?.id ?? '');
    const [copy = ''] = (await messagesOf(session)).slice(-2);
    expect(copy).not.toBe(five);
    expect(session.pins.list().pins.map(({ id }) => id)).toEqual([copy]);
    await session.rewriter.redo(compaction?.id ?? '');
    expect(session.pins.list().pins.map(({ id }) => id)).toEqual([five]);
  });

  it('SF24, IN8: comes and goes with an exported file, byte for byte', async () => {
    const session = await host.session(source);
    const [first = ''] = await messagesOf(session);
    await session.pins.set([first], true);
    const target = join(bench.home, 'out.jsonl');
    await bench.store.exportTo(source, target, false);
    expect(await readFile(target, 'utf8')).toBe(await readFile(bench.journal(source), 'utf8'));
    // Another computer has no such session.
    const other = await openStoreBench();
    const made = await other.store.importFile(target);
    expect([...made.tree.pins]).toEqual([first]);
    await other.dispose();
  });

  it('is made in an archived session as in any other', async () => {
    await host.setArchived(source, true);
    const session = await host.session(source);
    const [first = ''] = await messagesOf(session);
    await session.pins.set([first], true);
    expect(host.summary(source)).toMatchObject({ archived: true });
    expect((await session.snapshot()).pins).toEqual([first]);
  });

  it('SF19: is made behind damaged lines, which stay as they are', async () => {
    const { leafId } = (await host.session(source)).log.tree;
    await host.dispose();
    const broken = '{"type":"custom","customType":"espalier.pin","data":{"v":1,"targetId":';
    await appendFile(bench.journal(source), `${broken}\n{"type":"custom","customType":"espalier.pin","data":{"v":1,"targetId":7,"pinned":"yes"},"id":"00000000deadbeef","parentId":"${leafId}","timestamp":"2026-01-01T00:00:00.000Z"}\n${broken}`); // prettier-ignore
    await bench.restart(fs);
    host = hostOn(bench);
    const session = await host.session(source);
    expect((await session.snapshot()).pins).toEqual([]);
    const [first = ''] = await messagesOf(session);
    await session.pins.set([first], true);
    await restart();
    expect((await (await host.session(source)).snapshot()).pins).toEqual([first]);
    const lines = (await readFile(bench.journal(source), 'utf8')).split('\n');
    expect(lines.filter((line) => line === broken)).toHaveLength(2);
  });

  it('JN: a full disk refuses it in words; file, state and list are as before, and later it is made', async () => {
    const session = await host.session(source);
    const [first = ''] = await messagesOf(session);
    const before = await readFile(bench.journal(source));
    fault.at = fs.calls + 1;
    await expect(session.pins.set([first], true)).rejects.toMatchObject({ name: 'StorageError' });
    fault.at = Infinity;
    expect((await session.snapshot()).pins).toEqual([]);
    expect(session.pins.list()).toMatchObject({ tokens: 0, pins: [] });
    expect(await readFile(bench.journal(source))).toEqual(before);
    await session.pins.set([first], true);
    expect((await session.snapshot()).pins).toEqual([first]);
    await restart();
    expect((await (await host.session(source)).snapshot()).pins).toEqual([first]);
  });

  it('TR11: of two records about one message the last in the file counts, whoever wrote it', async () => {
    const session = await host.session(source);
    const [first = ''] = await messagesOf(session);
    await session.pins.set([first], true);
    await host.dispose();
    const text = await readFile(bench.journal(source), 'utf8');
    const line = text.trimEnd().split('\n').at(-1) ?? '';
    const off = line
      .replace('"pinned":true', '"pinned":false')
      .replace(/"id":"[0-9a-f]{16}"/, '"id":"00000000000000aa"');
    await writeFile(bench.journal(source), `${text}${off}\n`);
    await bench.restart(fs);
    host = hostOn(bench);
    expect((await (await host.session(source)).snapshot()).pins).toEqual([]);
  });
});
