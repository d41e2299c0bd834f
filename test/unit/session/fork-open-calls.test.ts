import { afterEach, beforeEach, expect, it } from 'vitest';
import { forkSession } from '../../../src/main/session/fork-session';
import { readTurnEnd } from '../../../src/main/session/interrupted';
import type { EntryDraft } from '../../../src/shared/session/entry';
import { assistant, openStoreBench, user, type StoreBench } from '../../support/journal';

let bench: StoreBench;
beforeEach(async () => {
  bench = await openStoreBench();
});
afterEach(() => bench.dispose());

it('AG11: a fork made before the calls of its reply ran claims nothing of them', async () => {
  const log = await bench.store.create({ workspace: '/w' });
  await log.append([user('Go')]);
  const draft = assistant('');
  const content = ['one', 'two'].map((id) => ({
    type: 'toolCall' as const,
    id,
    name: 'bash',
    arguments: { command: `touch ${id}` },
  }));
  const message = { ...('message' in draft ? draft.message : {}), content, stopReason: 'toolUse' };
  await log.append([{ ...draft, message: { ...message, espalier: { oneByOne: true } } } as EntryDraft]);
  expect((await readTurnEnd(log)).neverBegan).toEqual(['two']);
  // The first call waits for the person.
  const { log: fork } = await forkSession(bench.store, log, undefined, { workspace: '/w', title: 'F', demo: false });
  expect((await readTurnEnd(fork)).neverBegan).toEqual([]);
});
