import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createInlineTransport } from '../../../src/main/agent/stream/inline-transport';
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

describe.each(WIRES)('a hostile server on the %s wire', (wire) => {
  it.each(hostileCases.map((hostile) => [hostile.name, hostile] as const))('%s', async (_name, hostile) => {
    server.script(hostile.reply);
    expect(await runHostileCase(transport, server, hostile, wire)).toEqual([]);
  });
});
