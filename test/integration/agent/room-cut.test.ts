import { afterEach, expect, it } from 'vitest';
import { promptOf } from '../../support/agent-harness';
import { CompactionTalk } from '../../support/compaction-talk';

let talk: CompactionTalk;
afterEach(() => talk.harness.close());

it('TG6: where the keep budget leaves no cut and the request does not fit, Compact cuts at the newest turn and sends', async () => {
  talk = await CompactionTalk.start(4, {
    settings: { 'compaction.keepRecentTokens': 50_000, 'compaction.enabled': false },
  });
  const { harness } = talk;
  harness.models.window = 2000;
  const before = harness.events.filter(({ type }) => type === 'settled').length;
  await harness.session.prompt(promptOf('On?'));
  await harness.settled(before + 1);
  const { failure } = await harness.session.snapshot();
  expect(failure?.title).toBe('The session is too long for this model');
  expect(failure?.actions).toEqual(['compact', 'model', 'retry', 'dismiss']);
  await harness.session.compact({ retry: true });
  await harness.settled(before + 2);
  expect(talk.compactions).toHaveLength(1);
  expect(harness.messages().at(-1)).toMatch(/^assistant\(stop\)/);
  expect(talk.lastSent.at(-1)).toBe('On?');
});
