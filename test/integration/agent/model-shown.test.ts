import { afterEach, beforeEach, expect, it } from 'vitest';
import { promptOf, startHarness, type Harness } from '../../support/agent-harness';

let harness: Harness;
beforeEach(async () => {
  harness = await startHarness();
});
afterEach(() => harness.close());

const shown = async () => (await harness.session.snapshot()).model;

it('a session in which nothing was said shows the model that the settings name now, which answers', async () => {
  const before = harness.models.initialModel();
  expect(await shown()).toEqual(before);
  harness.models.all.reverse();
  harness.session.limitsChanged();
  const now = harness.models.initialModel();
  expect(now).not.toEqual(before);
  expect(await shown()).toEqual(now);
  expect(harness.events.at(-1)?.type).toBe('context_usage');
  await harness.session.prompt(promptOf('hi'));
  await harness.settled(1);
  expect(harness.server.requests.at(-1)?.body.model).toBe(now.modelId);
  expect(await shown()).toEqual(now);
});

it('once something was said, another default changes nothing', async () => {
  await harness.session.prompt(promptOf('hi'));
  await harness.settled(1);
  const before = await shown();
  harness.models.all.reverse();
  harness.session.limitsChanged();
  expect(await shown()).toEqual(before);
});
