import { renderFrames } from './frames';
import type { ModelReply, Wire } from './types';

/** One field of one event of a wire's stream, with something in it that no provider should send. */
export interface MalformedField {
  /** As in `messages: content_block_start(tool_use) content_block.id = a list`. */
  name: string;
  wire: Wire;
  /** Where in the event, as in `choices[0].delta.tool_calls[0].id`. */
  path: string;
  value: string;
  reply: ModelReply;
}

const WIRES: Wire[] = ['completions', 'responses', 'messages'];
const HOLE = '@@hole@@';
const MIB = 1024 * 1024;

/** What stands in the field, as raw JSON, so that numbers without end and keys like `__proto__` go out as they are. */
const MALFORMED_VALUES: Readonly<Record<string, () => string>> = {
  'a list': () => '[1,"two",{"three":3}]',
  'an empty list': () => '[]',
  'an object': () => '{"one":1,"toString":null}',
  'an object with __proto__': () => '{"__proto__":{"type":"text"},"constructor":7}',
  'a number': () => '7',
  'a negative number': () => '-1',
  'a huge number': () => '1e308',
  'a number without end': () => '1e999',
  'no JSON': () => 'NaN',
  true: () => 'true',
  null: () => 'null',
  nothing: () => '',
  'an empty text': () => '""',
  '1 MB': () => JSON.stringify('x'.repeat(MIB)),
  '10,000 characters': () => JSON.stringify('n'.repeat(10_000)),
  __proto__: () => '"__proto__"',
  constructor: () => '"constructor"',
  toString: () => '"toString"',
  'half a character': () => '"half \\ud800 a character"',
  'control characters': () => '"a\\u0000b\\u202ec\\u001b[31m"',
};

/** A reply with every kind of block. */
const REPLY: ModelReply = {
  content: [
    { type: 'thinking', thinking: 'Let me think about it.', signature: 'c2lnbmF0dXJl' },
    { type: 'text', text: 'I will say it.' },
    { type: 'toolCall', id: 'call_table', name: 'echo', arguments: { text: 'said' } },
  ],
  stop: 'toolUse',
  usage: { input: 100, output: 20, cacheRead: 10, cacheWrite: 5 },
  chunkChars: 8,
};

/** Fields that a wire knows beside those of an ordinary reply, by the kind of event that has them. */
const MORE_FIELDS: Record<Wire, Readonly<Record<string, readonly string[]>>> = {
  completions: {
    content: [
      'error',
      'choices[0].usage',
      'choices[0].message',
      'choices[0].delta.annotations',
      'choices[0].delta.images',
      'choices[0].delta.reasoning',
      'choices[0].delta.reasoning_text',
      'choices[0].delta.reasoning_details',
      'choices[0].delta.function_call',
    ],
    tool_calls: ['choices[0].delta.tool_calls[0].extra_content', 'choices[0].delta.reasoning_details'],
  },
  responses: {
    'response.output_text.delta': ['annotations', 'logprobs'],
    'response.completed': ['response.service_tier', 'response.output[0].content'],
    'response.output_item.done(message)': ['item.phase'],
  },
  messages: {
    message_start: ['message.container'],
    'content_block_start(text)': ['content_block.citations'],
    'content_block_start(thinking)': ['content_block.data'],
    'content_block_delta(text_delta)': ['delta.citation', 'delta.citations'],
    message_delta: ['usage.input_tokens', 'usage.cache_read_input_tokens', 'usage.cache_creation_input_tokens'],
  },
};

interface Event {
  kind: string;
  /** What stands in the frame before the JSON; after it a blank line follows. */
  before: string;
  data: object;
}
type Step = string | number;

/** Every field of every kind of event on every wire, with each of the values: some thousands. */
export function malformedFields(): MalformedField[] {
  return WIRES.flatMap((wire) => {
    const frames = renderFrames(wire, REPLY, { model: 'loopback', promptChars: 400 });
    const seen = new Set<string>();
    return frames.flatMap((frame, index) => {
      const event = readFrame(frame);
      if (!event) return [];
      const more = MORE_FIELDS[wire][event.kind] ?? [];
      return [...pathsOf(event.data), ...more.map(stepsOf)].flatMap((steps) => {
        const field = `${event.kind} ${textOf(steps)}`;
        if (seen.has(field)) return [];
        seen.add(field);
        return Object.entries(MALFORMED_VALUES).map(([value, raw]) => ({
          name: `${wire}: ${field} = ${value}`,
          wire,
          path: textOf(steps),
          value,
          reply: {
            ...REPLY,
            frames: (all: string[]) => all.with(index, withValue(readFrame(all[index]!) ?? event, steps, raw())),
          },
        }));
      });
    });
  });
}

const CALL_FIELD =
  /(?:tool_calls\[0\]\.(?:id|function\.name)|\(function_call\) item\.(?:id|call_id|name)|\(tool_use\) content_block\.(?:id|name)) =/;

/** About `count` of the cases: all that are about the id or the name of a call, the others evenly over the table. */
export function someOf(all: readonly MalformedField[], count: number): MalformedField[] {
  const calls = all.filter(({ name }) => CALL_FIELD.test(name));
  const others = all.filter(({ name }) => !CALL_FIELD.test(name));
  const step = others.length / Math.max(1, count - calls.length);
  return [...calls, ...others.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step))];
}

function readFrame(frame: string): Event | null {
  const at = frame.indexOf('data: {');
  if (at < 0) return null;
  const data = JSON.parse(frame.slice(at + 6)) as Record<string, unknown>;
  return { kind: kindOf(data), before: frame.slice(0, at + 6), data };
}

/** The type of an event with the type of what it brings; on the completions wire what its delta brings. */
function kindOf(data: Record<string, unknown>): string {
  if (typeof data.type === 'string') {
    const inner = [data.item, data.content_block, data.delta].find((value) => typeof value === 'object') as
      { type?: string } | undefined;
    return inner?.type ? `${data.type}(${inner.type})` : data.type;
  }
  const [choice] = data.choices as { delta: object; finish_reason: unknown }[];
  if (!choice) return 'usage';
  if (choice.finish_reason !== null) return 'finish';
  const keys = Object.keys(choice.delta);
  const call = 'tool_calls' in choice.delta ? (choice.delta.tool_calls as object[])[0] : undefined;
  if (call) return 'id' in call ? 'tool_calls' : 'tool_calls, continued';
  return keys.includes('role') ? 'role' : keys.join();
}

/** The places of all values, inner and outer, at any depth. */
function pathsOf(value: unknown, before: readonly Step[] = []): Step[][] {
  if (typeof value !== 'object' || value === null) return [[...before]];
  const inside = Array.isArray(value)
    ? value.flatMap((one, at) => pathsOf(one, [...before, at]))
    : Object.entries(value).flatMap(([key, one]) => pathsOf(one, [...before, key]));
  return before.length === 0 ? inside : [[...before], ...inside];
}

function textOf(steps: readonly Step[]): string {
  return steps
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');
}

function stepsOf(path: string): Step[] {
  return [...path.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([whole, at]) => (at === undefined ? whole : Number(at)));
}

/** The frame with this raw JSON at the place; without the field if there is none. */
function withValue({ before, data }: Event, steps: readonly Step[], raw: string): string {
  const copy = structuredClone(data);
  const last = steps.at(-1)!;
  let holder = copy as Record<Step, unknown>;
  for (const step of steps.slice(0, -1)) holder = (holder[step] ??= {}) as Record<Step, unknown>;
  if (raw === '') Reflect.deleteProperty(holder, last);
  else holder[last] = HOLE;
  return `${before}${JSON.stringify(copy).replace(`"${HOLE}"`, () => raw)}\n\n`;
}
