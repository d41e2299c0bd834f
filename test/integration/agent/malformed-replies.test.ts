import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelReply, Wire } from '../../support/model-server';
import { malformedFields, someOf } from '../../support/model-server/malformed-fields';
import { startMalformedRun, type MalformedRun } from '../../support/model-server/malformed-run';
import { shortOrLong } from '../../support/long-form';

/** Of the table with some thousands; the fault run has them all (test/faults/cases/malformed-replies.ts). */
const CASES = shortOrLong(80, 200);

let run: MalformedRun;
beforeAll(async () => {
  run = await startMalformedRun();
});
afterAll(() => run.close());

/** A reply on the completions wire with one call, in whose frames a piece is another one. */
function replyWith(piece: string, other: string): ModelReply {
  return {
    text: 'I will say it.',
    content: [{ type: 'toolCall', id: 'call_one', name: 'echo', arguments: { text: 'said' } }],
    frames: (frames) => frames.map((frame) => frame.replace(piece, () => other)),
  };
}
const end = (reply: ModelReply, wire: Wire = 'completions'): ReturnType<MalformedRun['endOf']> =>
  run.endOf({ name: 'one', wire, reply });

it('WG6: whatever stands in a field, the run ends or goes on, the session is read again, the others stream on', async () => {
  const cases = someOf(malformedFields(), CASES);
  expect(cases.length).toBeGreaterThanOrEqual(CASES);
  expect(await run.run(cases)).toEqual([]);
});

describe('the id of a call', () => {
  it.each([
    ['["x"]', 'a list'],
    ['{}', 'an object'],
    ['7', 'a number'],
    [JSON.stringify('x'.repeat(1024 * 1024)), 'over 4096 characters long'],
  ])('is %.20s: the request fails, is not repeated, and says so once', async (id, found) => {
    const { messages, failure, requests } = await end(replyWith('"call_one"', id));
    expect(requests).toBe(1);
    expect(messages.at(-1)).toBe('assistant(error): I will say it.');
    expect(failure?.title).toBe('loopback-openai sent an unreadable reply');
    expect(failure?.detail.split('\n')).toEqual([
      expect.stringMatching(/^The endpoint sent something that is no model's reply, so it was stopped\./),
      `In it, choices[0].delta.tool_calls[0].id is ${found}.`,
    ]);
  });

  it.each(['null', '""'])('is %s: the call gets one of our own and is run', async (id) => {
    const { messages, failure } = await end(replyWith('"call_one"', id));
    expect(failure).toBeNull();
    expect(messages.slice(2)).toEqual(['toolResult: echo said', 'assistant(stop): Understood.']);
  });

  it('is that of another call: neither is run, and the model is told why', async () => {
    const call = { type: 'toolCall' as const, id: 'call_twice', name: 'echo', arguments: { text: 'said' } };
    const { messages, failure } = await end({ content: [call, call] }, 'messages');
    expect(failure).toBeNull();
    expect(messages.filter((line) => line.includes('had the same id, nothing was run'))).toHaveLength(2);
    expect(messages.at(-1)).toBe('assistant(stop): Understood.');
  });
});

describe('the name of a call', () => {
  it.each([
    ['7', '7'],
    ['{"toString":null}', '__toString__null_'],
    ['null', 'unnamed'],
    ['""', 'unnamed'],
    ['"__proto__"', '__proto__'],
    ['"constructor"', 'constructor'],
    ['"toString"', 'toString'],
    ['"ec\\u202eho\\u0000"', 'ec_ho_'],
    ['"echo "', 'echo_'],
    [JSON.stringify('n'.repeat(10_000)), 'n'.repeat(64)],
  ])('is %.20s: the call fails as one of a tool that there is not, and the run goes on', async (name, shown) => {
    const { messages, failure } = await end(replyWith('"echo"', name));
    expect(failure).toBeNull();
    expect(messages.slice(1)).toEqual([
      `assistant(toolUse): I will say it.[${shown}]`,
      `toolResult: There is no tool named “${shown}”, nothing was run. The tools are: echo, slow.`,
      'assistant(stop): Understood.',
    ]);
  });
});
