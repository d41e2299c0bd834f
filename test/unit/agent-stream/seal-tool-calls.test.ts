import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyReply } from '../../../src/main/pi/pi';
import { MAX_ARGUMENT_BYTES, sealToolCalls } from '../../../src/main/agent/stream/seal-tool-calls';
import type { SealEvidence } from '../../../src/main/agent/stream/seal-tool-calls';
import type { AssistantMessage, ToolCall } from '../../../src/main/pi/pi-types';
import { modelsFor } from '../../support/model-server/models';

const model = modelsFor({ url: 'http://127.0.0.1:1' }).completions;

function reply(calls: Partial<ToolCall>[], stopReason: AssistantMessage['stopReason'] = 'toolUse'): AssistantMessage {
  const content = calls.map((call, n): ToolCall => ({
    type: 'toolCall',
    id: `call_${n}`,
    name: 'bash',
    arguments: {},
    ...call,
  }));
  return { ...emptyReply(model), content, stopReason };
}

function seal(message: AssistantMessage, raw: string[], evidence: Partial<SealEvidence> = {}) {
  return sealToolCalls(message, {
    rawArguments: new Map(raw.map((text, n) => [n, text])),
    finalArguments: new Map(),
    nameless: new Set(),
    endSeen: true,
    lateToolCalls: false,
    ...evidence,
  });
}

const args = { command: 'ls -la', nested: { deep: [1, 'two', null] } };
const raw = JSON.stringify(args);

describe('sealToolCalls', () => {
  it('seals whole arguments, also of servers that end calls with stop', () => {
    expect(seal(reply([{ arguments: args }]), [raw])).toEqual({ call_0: { ok: true } });
    expect(seal(reply([{ arguments: args }], 'stop'), [raw])).toEqual({ call_0: { ok: true } });
  });

  it('takes no arguments at all as an empty object', () => {
    expect(seal(reply([{}]), [])).toEqual({ call_0: { ok: true } });
    expect(seal(reply([{}]), [' \n'])).toEqual({ call_0: { ok: true } });
  });

  it.each<[string, AssistantMessage, string[], Partial<SealEvidence>, string]>([
    ['a stream without its end', reply([{ arguments: args }]), [raw], { endSeen: false }, 'cut-stream'],
    ['a call after the end', reply([{ arguments: args }]), [raw], { lateToolCalls: true }, 'after-end'],
    ['a length stop', reply([{ arguments: args }], 'length'), [raw], {}, 'not-finished'],
    ['an error', reply([{ arguments: args }], 'error'), [raw], {}, 'not-finished'],
    ['cut JSON that was repaired', reply([{ arguments: args }]), [raw.slice(0, -1)], {}, 'invalid-json'],
    ['no raw text behind arguments', reply([{ arguments: args }]), [], {}, 'mismatch'],
    ['other arguments than streamed', reply([{ arguments: { command: 'rm' } }]), [raw], {}, 'mismatch'],
    ['an array', reply([{ arguments: [] as never }]), ['[]'], {}, 'not-an-object'],
    ['no name', reply([{ name: 'unnamed' }]), ['{}'], { nameless: new Set([0]) }, 'no-name'],
    ['arguments over the cap', reply([{}]), [`{"a":"${'x'.repeat(MAX_ARGUMENT_BYTES)}"}`], {}, 'too-large'],
  ])('refuses %s', (_what, message, texts, evidence, reason) => {
    expect(seal(message, texts, evidence)).toEqual({ call_0: { ok: false, reason } });
  });

  it('refuses both of two calls with one id, also where pi-ai adds an item id', () => {
    const refused = { ok: false, reason: 'duplicate-id' };
    expect(seal(reply([{ id: 'a' }, { id: 'a' }]), ['{}', '{}'])).toEqual({ a: refused });
    expect(seal(reply([{ id: 'a|fc_1' }, { id: 'a|fc_2' }]), ['{}', '{}'])).toEqual({
      'a|fc_1': refused,
      'a|fc_2': refused,
    });
  });

  it('accepts arguments that only came whole at the end, if they are what will run', () => {
    const finalArguments = new Map([['call_0', raw]]);
    expect(seal(reply([{ arguments: args }]), [], { finalArguments })).toEqual({ call_0: { ok: true } });
    expect(seal(reply([{ arguments: {} }]), ['{"command"'], { finalArguments })).toMatchObject({
      call_0: { ok: false },
    });
  });

  it('never seals a proper prefix of an object, whatever a repair made of it', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), fc.jsonValue(), (object, at, repaired) => {
        const text = JSON.stringify(object);
        const prefix = text.slice(0, 1 + (at % (text.length - 1)));
        const verdict = seal(reply([{ arguments: repaired as ToolCall['arguments'] }]), [prefix]);
        expect(verdict.call_0?.ok).toBe(false);
      }),
    );
  });

  it('always seals what parses strictly and is what will run', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
        const text = JSON.stringify(object);
        const parsed = JSON.parse(text) as ToolCall['arguments'];
        expect(seal(reply([{ arguments: structuredClone(parsed) }]), [text])).toEqual({ call_0: { ok: true } });
      }),
    );
  });
});
