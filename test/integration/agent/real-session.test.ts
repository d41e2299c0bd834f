import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createSessionStore } from '../../../src/main/journal/session-store';
import { AgentSession } from '../../../src/main/session/agent-session';
import { promptOf, startHarness } from '../../support/agent-harness';
import { realSessionPath } from '../../support/e2e/session-files';
import { expectedContext } from '../../support/expected-context';
import { sentMessages } from '../../support/model-server';

const source = realSessionPath();

it.skipIf(source === null)(
  'imported and gone on with, the real session sends exactly the context of the spec',
  async () => {
    const path = source ?? '';
    const harness = await startHarness();
    const store = await createSessionStore({
      dir: join(harness.dir, 'sessions'),
      trashDir: join(harness.dir, 'trash'),
      clock: Date.now,
      randomHex: (length) => randomBytes(length).toString('hex').slice(0, length),
      log: { warn: () => undefined },
    });
    try {
      const log = await store.importFile(path);
      const session = await AgentSession.open(log, harness.ports, () => undefined);
      await session.setModel({ provider: 'loopback-openai', modelId: 'loopback' });
      await session.prompt(promptOf('What was the last thing we did?'));
      await harness.settled();
      const [request] = harness.server.requests;
      expect(request && sentMessages(request)).toEqual(expectedContext(path, 'What was the last thing we did?'));
      await session.dispose();
    } finally {
      await store.close();
      await harness.close();
    }
  },
);
