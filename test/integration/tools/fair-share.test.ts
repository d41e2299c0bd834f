import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeHost, makeSandbox } from '../../unit/tools/support/host';

/** Never done within the time that a call has. */
const HOSTILE = '(a+)+$';

it('A6: calls of one session that never come to an end do not hold up another', async () => {
  const boxes = [await makeSandbox(), await makeSandbox()] as const;
  const hosts = [await makeHost(boxes[0], { sessionId: 'a' }), await makeHost(boxes[1], { sessionId: 'b' })] as const;
  const [busy, other] = hosts;
  writeFileSync(join(boxes[0].workspaceDir, 'x.txt'), `${'a'.repeat(40)}!\n`);
  writeFileSync(join(boxes[1].workspaceDir, 'y.txt'), 'hello\n');
  other.autoAnswer('once');
  const grep = busy.host.tools.find(({ name }) => name === 'grep')!;
  const args = { pattern: HOSTILE, path: 'x.txt' };
  const ids = Array.from({ length: 8 }, (_, at) => `g${at}`);
  for (const id of ids)
    await busy.host.beforeToolCall({
      toolCall: { type: 'toolCall', id, name: 'grep', arguments: args } as never,
      args,
    });
  const stop = new AbortController();
  let settled = 0;
  const all = ids.map((id) => grep.execute(id, args as never, stop.signal).finally(() => (settled += 1)));
  const ended = Promise.allSettled(all);
  expect((await other.call('read', { path: 'y.txt' })).text).toContain('hello');
  expect((await other.call('bash', { command: 'echo hi' })).text).toContain('hi');
  expect(settled).toBe(0);
  stop.abort();
  await ended;
  for (const one of hosts) await one.host.dispose();
  for (const box of boxes) box.remove();
});
