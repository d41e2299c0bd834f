import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Context } from '../../../src/main/pi/pi-types';
import { emptyReply } from '../../../src/main/pi/pi';
import { createInlineTransport } from '../../support/inline-transport';
import { ask, modelsFor, startModelServer } from '../../support/model-server';
import type { ModelServer, Wire } from '../../support/model-server';

/** WG7: what reaches the server, through the real pi-ai. */

const transport = createInlineTransport();
let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer();
});
afterAll(async () => {
  await transport.close();
  await server.close();
});

it.each<Wire>(['completions', 'responses', 'messages'])(
  'WG7: a lone surrogate is sent as U+FFFD on the %s wire',
  async (wire) => {
    const model = modelsFor(server)[wire];
    const half = (name: string): string => `${name}[\ud83d]`;
    const context: Context = {
      systemPrompt: half('system'),
      messages: [
        { role: 'user', content: half('asked'), timestamp: 1 },
        {
          ...emptyReply(model),
          content: [
            { type: 'text', text: half('said') },
            { type: 'toolCall', id: 'call_1', name: 'read', arguments: { path: half('path') } },
          ],
          stopReason: 'toolUse',
        },
        {
          ...{ role: 'toolResult', toolCallId: 'call_1', toolName: 'read', isError: false, timestamp: 3 },
          content: [{ type: 'text', text: half('result') }],
        },
        { role: 'user', content: [{ type: 'text', text: half('then') }], timestamp: 4 },
      ],
    };
    server.script('Understood.');
    const { outcome } = await ask(transport, model, { context });
    expect(outcome.message.stopReason).toBe('stop');
    const sent = JSON.stringify(server.requests.at(-1)?.body);
    for (const name of ['system', 'asked', 'said', 'path', 'result', 'then']) expect(sent).toContain(`${name}[\ufffd]`);
    // The session's own is left as it is.
    expect(context.systemPrompt).toBe('system[\ud83d]');
  },
);
