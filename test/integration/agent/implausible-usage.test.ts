import { expect, it } from 'vitest';
import { nextId, startHarness } from '../../support/agent-harness';

it('safety A8: a server that counts millions of tokens starts no compaction and is shown as implausible', async () => {
  const harness = await startHarness({ model: { contextWindow: 32_000 } });
  const say = async (text: string, settled: number): Promise<void> => {
    await harness.session.prompt({ itemId: nextId(), text, attachments: [], mode: 'followUp' });
    await harness.settled(settled);
  };
  harness.server.script([
    { text: 'one', usage: { input: 5_000_000, output: 1 } },
    { text: 'two', usage: { input: 40, output: 1 } },
  ]);
  await say('first', 1);
  const usage = harness.events.findLast(({ type }) => type === 'context_usage');
  expect(usage).toMatchObject({ usage: { implausible: 5_000_001, exact: false } });
  expect((usage as { usage: { tokens: number } }).usage.tokens).toBeLessThan(10_000);
  await say('second', 2);
  expect(harness.server.requests).toHaveLength(2);
  expect(harness.events.filter(({ type }) => type === 'compaction_start' || type === 'failure')).toEqual([]);
  expect(harness.events.findLast(({ type }) => type === 'context_usage')).toMatchObject({
    usage: { implausible: null },
  });
  expect(harness.models.served).toEqual([]);
  await harness.close();
});
