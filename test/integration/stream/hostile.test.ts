import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createInlineTransport } from '../../support/inline-transport';
import { startModelServer } from '../../support/model-server';
import type { ModelServer, Wire } from '../../support/model-server';
import { hostileCases, runHostileCase } from '../../support/model-server/hostile-cases';

const WIRES: Wire[] = ['completions', 'responses', 'messages'];
const transport = createInlineTransport();
let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer();
});
afterAll(async () => {
  await transport.close();
  await server.close();
});

/** Each case on one wire, in turns; the fault run of `npm test` has every case on all three (test/faults/cases/hostile-llm.ts). */
describe('a hostile server', () => {
  it.each(hostileCases.map((hostile, index) => [hostile.name, WIRES[index % WIRES.length]!, hostile] as const))(
    '%s, on the %s wire',
    async (_name, wire, hostile) => {
      server.script(hostile.reply);
      expect(await runHostileCase(transport, server, hostile, wire)).toEqual([]);
    },
  );

  // What pi-ai makes of two calls with one id is another thing on each wire.
  it.each(WIRES)('two calls with one id are never both whole, on the %s wire', async (wire) => {
    const twins = hostileCases.find(({ name }) => name === '23 duplicate call ids')!;
    server.script(twins.reply);
    expect(await runHostileCase(transport, server, twins, wire)).toEqual([]);
  });
});
