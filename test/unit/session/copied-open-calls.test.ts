import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { PendingCalls } from '../../../src/main/approvals/pending-calls';
import { forkSession } from '../../../src/main/session/branches/forks';
import { openCalls, readTurnEnd, resultsOf } from '../../../src/main/session/machine/interrupted';
import type { SessionLog } from '../../../src/main/ports';
import { editedDraft } from '@shared/session/tree/drafts';
import type { EntryDraft } from '@shared/session/records/entry';
import { assistant, openStoreBench, user, type StoreBench } from '../../support/journal';

let bench: StoreBench;
let asked: PendingCalls;
let log: SessionLog;
beforeEach(async () => {
  bench = await openStoreBench();
  asked = await PendingCalls.open(join(bench.home, 'asked.json'), { warn: () => undefined });
  log = await bench.store.create({ workspace: '/w' });
  const draft = assistant('');
  const content = ['one', 'two'].map((id) => ({ type: 'toolCall', id, name: 'bash', arguments: { command: id } }));
  const message = { ...('message' in draft ? draft.message : {}), content, stopReason: 'toolUse' };
  const [, reply] = await log.append([user('Go'), { ...draft, message } as EntryDraft]);
  // The first call waits for the person.
  asked.ask({ sessionId: log.sessionId, replyId: reply!.entry.id, callId: 'one' });
});
afterEach(() => bench.dispose());

const unbegun = async (of: SessionLog): Promise<string[]> =>
  (await readTurnEnd(of, (replyId) => asked.firstUnbegun({ sessionId: of.sessionId, replyId }))).neverBegan;

it('AG11: a fork that was made while a call waited claims nothing of it: it may have begun since where it was made', async () => {
  expect(await unbegun(log)).toEqual(['one', 'two']);
  const { log: fork } = await forkSession(bench.store, log, undefined, { workspace: '/w', title: 'F', demo: false });
  expect(await unbegun(fork)).toEqual([]);
});

it('AG11: nor does a session that was exported then and imported', async () => {
  const file = join(bench.home, 'exported.jsonl');
  await bench.store.exportTo(log.sessionId, file, false);
  expect(await unbegun(await bench.store.importFile(file))).toEqual([]);
});

it('HF4, SF11: a fork at a reply, or at the result of another of its calls, knows the command that the person made of one', async () => {
  const [first] = await log.append([editedDraft('one', 'echo 1')]);
  const result = { role: 'toolResult', toolCallId: 'one', toolName: 'bash', content: [], isError: false, timestamp: 0 };
  const [answer] = await log.append([{ type: 'message', message: result } as EntryDraft]);
  await log.append([editedDraft('two', 'echo 2'), user('Go on')]);
  const told = async (at: string): Promise<string[]> => {
    const { log: fork } = await forkSession(bench.store, log, at, { workspace: '/w', title: 'F', demo: false });
    return resultsOf(await openCalls(fork), 0).map((draft) => JSON.stringify(draft));
  };
  const [one, two] = await told(log.tree.node(first!.entry.id)!.parent!.id);
  expect([one, two]).toEqual([
    expect.stringContaining('If it ran, it was this: echo 1'),
    expect.stringContaining('If it ran, it was this: echo 2'),
  ]);
  expect(await told(answer!.entry.id)).toEqual([two]);
});
