import { classifyReply, isTransient, retryAfterOf } from '../../../src/main/agent/classify-error';
import type { ReplyClass } from '../../../src/main/agent/classify-error';
import type {
  ProviderOutcome,
  StreamLimits,
  StreamTransport,
  WireFailureKind,
} from '../../../src/main/agent/stream/types';
import { ask, streamedText } from './drive';
import { modelsFor } from './models';
import type { ModelServer, Reply, Wire } from './types';

/** What the right answer to a misbehaving server is. */
interface HostileExpectation {
  stop: 'stop' | 'toolUse' | 'error';
  class: ReplyClass;
  transient?: boolean;
  failure?: WireFailureKind;
  retryAfterMs?: number;
  /** The text that must have come through whole. */
  text?: string;
  /** Verdict of all calls. */
  sealed?: boolean;
}

/** One row of QB5 (1-16) or of QB6's hostile row (17-24). */
export interface HostileCase {
  name: string;
  reply: Reply;
  limits?: Partial<StreamLimits>;
  expect: HostileExpectation | ((wire: Wire) => HostileExpectation);
}

const TEXT = 'A whole answer: ünïcödé 漢字 🌳.';
const failed = (failure: WireFailureKind, transient = false): HostileExpectation => ({
  stop: 'error',
  class: 'other',
  failure,
  transient,
});
const call = { type: 'toolCall' as const, name: 'bash', arguments: '{"command":"rm -rf /srv/app' };
const twin = { type: 'toolCall' as const, id: 'call_same', name: 'bash', arguments: { command: 'ls' } };
const whole: HostileExpectation = { stop: 'stop', class: 'ok', text: TEXT };
const MIB = 1024 * 1024;

export const hostileCases: HostileCase[] = [
  { name: '1 normal stream', reply: TEXT, expect: whole },
  {
    name: '2 two chunks, then silence',
    reply: { text: TEXT, omitEnd: 'all', ending: 'hang' },
    limits: { idleTimeoutMs: 300 },
    expect: failed('idle-timeout', true),
  },
  {
    name: '3 accepts, never answers',
    reply: { hostile: 'hang-before-headers' },
    limits: { firstByteTimeoutMs: 300 },
    expect: failed('first-byte-timeout', true),
  },
  {
    name: '4 closes cleanly without an end',
    reply: { text: TEXT, omitEnd: 'all' },
    expect: failed('cut-stream', true),
  },
  {
    name: '5 resets the socket',
    reply: { text: TEXT, omitEnd: 'all', ending: 'reset' },
    expect: failed('cut-stream', true),
  },
  {
    name: '6 one malformed data line',
    reply: { hostile: 'malformed-line' },
    expect: failed('bad-reply'),
  },
  { name: '7 200 with a web page', reply: { hostile: 'web-page' }, expect: failed('web-page') },
  {
    name: '8 finish reason but no end marker',
    reply: { text: TEXT, omitEnd: 'marker' },
    // Only completions has a finish reason of its own; on the other wires the end marker is the end.
    expect: (wire) => (wire === 'completions' ? whole : failed('cut-stream', true)),
  },
  {
    name: '9 characters split into single bytes',
    reply: { hostile: 'split-characters' },
    expect: { stop: 'stop', class: 'ok', text: 'An unending, torn reply with ünïcödé 漢字 🌳.' },
  },
  { name: '10 one 30 MB line', reply: { hostile: 'long-line' }, expect: failed('line-too-long') },
  {
    name: '11 call cut, stop says tool calls',
    reply: { content: [call], stop: 'toolUse' },
    expect: { stop: 'toolUse', class: 'ok', sealed: false },
  },
  {
    name: '12 call cut, stream ends',
    reply: { content: [call], omitEnd: 'all' },
    expect: { ...failed('cut-stream', true), sealed: false },
  },
  {
    name: '13 20,000 deltas',
    reply: { text: 'abcd'.repeat(20_000), chunkChars: 4 },
    expect: { stop: 'stop', class: 'ok', text: 'abcd'.repeat(20_000) },
  },
  {
    name: '14 endless stream',
    reply: { hostile: 'endless' },
    limits: { maxBytes: 4 * MIB },
    expect: failed('too-many-bytes'),
  },
  {
    name: '15 429 with retry-after 3600',
    reply: { error: 'rate-limit', retryAfter: '3600' },
    expect: { stop: 'error', class: 'throttle', transient: true, retryAfterMs: 3_600_000 },
  },
  { name: '16 500', reply: { error: 'server-error' }, expect: { stop: 'error', class: 'other', transient: true } },
  { name: '17 gzip bomb', reply: { hostile: 'gzip-bomb' }, expect: failed('line-too-long') },
  {
    name: '18 slow drip',
    // Slow enough that no data line of over 200 bytes comes within the limit, on a busy machine an `event:` line still does.
    reply: { hostile: 'slow-drip', intervalMs: 25 },
    limits: { idleTimeoutMs: 5_000, firstByteTimeoutMs: 5_000 },
    expect: (wire) => failed(wire === 'completions' ? 'first-byte-timeout' : 'idle-timeout', true),
  },
  { name: '19 header flood', reply: { hostile: 'header-flood' }, expect: failed('connection') },
  { name: '20 redirect loop', reply: { hostile: 'redirect-loop' }, expect: failed('redirect') },
  {
    name: '21 invalid UTF-8',
    reply: { hostile: 'invalid-utf8' },
    expect: { stop: 'stop', class: 'ok', text: 'An unending, \uFFFD\uFFFD reply with ünïcödé 漢字 🌳.' },
  },
  {
    name: '22 raw NUL bytes in JSON',
    reply: { hostile: 'nul-bytes' },
    // pi-ai's own parser for messages repairs them; the SDK's parser refuses the line.
    expect: (wire) =>
      wire === 'messages'
        ? { stop: 'stop', class: 'ok', text: 'An unending, \0\0 reply with ünïcödé 漢字 🌳.' }
        : failed('bad-reply'),
  },
  {
    name: '23 duplicate call ids',
    reply: { content: [twin, { ...twin, arguments: { command: 'rm -rf /' } }] },
    expect: { stop: 'toolUse', class: 'ok', sealed: false },
  },
  {
    name: '24 events after the end',
    reply: {
      text: TEXT,
      stop: 'stop',
      frames: (frames) => {
        const late = frames.filter((frame) => frame.includes('漢字'));
        return [...frames, ...late, ...late];
      },
      chunkChars: 64,
    },
    expect: whole,
  },
];

/** Runs a case that the server has been scripted with; the differences from what is expected, none if right. */
export async function runHostileCase(
  transport: StreamTransport,
  server: Pick<ModelServer, 'url'>,
  hostile: HostileCase,
  wire: Wire,
): Promise<string[]> {
  // Only the cases that are about time set short limits: the first one also pays for loading the providers.
  const limits = { idleTimeoutMs: 60_000, firstByteTimeoutMs: 60_000, totalTimeoutMs: 150_000, ...hostile.limits };
  const { outcome, deltas } = await ask(transport, modelsFor(server)[wire], { limits });
  const expected = typeof hostile.expect === 'function' ? hostile.expect(wire) : hostile.expect;
  return differences(outcome, streamedText(deltas), expected);
}

function differences(outcome: ProviderOutcome, streamed: string, expected: HostileExpectation): string[] {
  const { message, wire, sealed } = outcome;
  const found: string[] = [];
  const compare = (what: string, actual: unknown, wanted: unknown): void => {
    if (actual !== wanted)
      found.push(`${what}: ${String(actual)} instead of ${String(wanted)} (${message.errorMessage ?? ''})`);
  };
  compare('stop reason', message.stopReason, expected.stop);
  compare('class', classifyReply({ message, wire, sessionFigure: 0, window: 200_000 }), expected.class);
  compare('failure', wire.failure?.kind, expected.failure);
  if (expected.transient !== undefined) compare('transient', isTransient(message, wire), expected.transient);
  if (expected.retryAfterMs !== undefined) compare('retry-after', retryAfterOf(message, wire), expected.retryAfterMs);
  if (expected.text !== undefined) {
    const text = message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    compare('text', text, expected.text);
    compare('streamed text', streamed, expected.text);
  }
  const verdicts = Object.values(sealed);
  if (expected.sealed === undefined) compare('number of calls', verdicts.length, 0);
  else compare('sealed', verdicts.length > 0 && verdicts.every((verdict) => verdict.ok), expected.sealed);
  return found;
}
