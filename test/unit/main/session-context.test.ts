import { expect, it } from 'vitest';
import { SessionContext } from '../../../src/main/agent/session-context';
import { MemoryLog } from '../../support/memory-log';

const said = (content: string): never =>
  ({ type: 'message', message: { role: 'user', content, timestamp: 1 } }) as never;

it('CX6: what a request sends is one list that goes on with the session, not copied for each', async () => {
  const log = new MemoryLog();
  await log.append([said('One')]);
  const context = new SessionContext(log);
  const messages = await context.messages();
  expect(messages).toMatchObject([{ content: 'One' }]);
  const [first] = messages;
  await log.append([said('Two')]);
  expect(await context.messages()).toBe(messages);
  expect(messages).toMatchObject([{ content: 'One' }, { content: 'Two' }]);
  expect(messages[0]).toBe(first);
});
