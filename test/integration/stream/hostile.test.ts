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
});
