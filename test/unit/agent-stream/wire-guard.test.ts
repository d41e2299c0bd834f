import { afterEach, expect, it } from 'vitest';
import { defaultLimits } from '../../../src/main/agent/stream/types';
import { WireGuard } from '../../../src/main/agent/stream/wire-guard';

const lost: unknown[] = [];
const onLost = (reason: unknown): void => void lost.push(reason);
process.on('unhandledRejection', onLost);
afterEach(() => void process.off('unhandledRejection', onLost));

/** A body whose connection breaks as it is given up: what its end rejects with would end the thread of all replies. */
const broken = (): ReadableStream =>
  new ReadableStream({ cancel: () => Promise.reject(new Error('the connection was reset')) });

it('WG1: a body that is given up for its head rejects nowhere', async () => {
  const heads: [ResponseInit, string][] = [
    [{ status: 302, headers: { location: 'http://elsewhere.test/' } }, 'redirect'],
    [{ status: 200, headers: { 'content-type': 'text/html' } }, 'web-page'],
  ];
  for (const [head, kind] of heads) {
    const guard = new WireGuard('openai-completions', defaultLimits());
    const answered = guard.fetch(async () => new Response(broken(), head), 'http://here.test/', undefined);
    await expect(answered).rejects.toMatchObject({ kind });
    guard.dispose();
  }
  // What nobody caught is told before the next turn of the loop ends.
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  expect(lost).toEqual([]);
});
