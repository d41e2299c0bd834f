import { afterAll, beforeAll, expect, it } from 'vitest';
import { createInlineTransport } from '../../support/inline-transport';
import { startModelServer } from '../../support/model-server';
import type { ModelServer } from '../../support/model-server';
import { runTruncations, seededRandom } from '../../support/model-server/truncated-calls';

const transport = createInlineTransport();
let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer();
});
afterAll(async () => {
  await transport.close();
  await server.close();
});

it('runs no tool call that was cut at a random place, however the reply ends (R6)', async () => {
  const cuts = 25; // 1,000 in the fault run
  const ours = await runTruncations(server, { cuts, random: seededRandom(6), transport });
  expect(ours).toMatchObject({ runs: cuts * 4, executed: 0 });
  // The endings that pretend to be complete are answered; the torn ones end the run as errors.
  expect(ours.refused).toBe(cuts * 2);
});

it('would have run them without the seals: the loop alone does', async () => {
  const stock = await runTruncations(server, { cuts: 9, random: seededRandom(6) });
  expect(stock.executed).toBeGreaterThan(9);
});
