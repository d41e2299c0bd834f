import type { Failure } from '../../../src/shared/types';
import { flawOf } from '@shared/session/records/check-entry';
import { createWorkerTransport } from '../../../src/main/agent/stream/worker-transport';
import { describeMessages, promptOf, startHarness, type Harness } from '../agent-harness';
import { MemoryLog } from '../memory-log';
import { ask } from './drive';
import { LOOPBACK_KEY, modelsFor } from './models';
import { sourceWorker } from './source-worker';
import type { ModelReply, Wire } from './types';

/** Words of our own code's failures, which say nothing of what a provider did. */
const WORDS_OF_CODE =
  /TypeError|RangeError|SyntaxError|is not (?:a function|iterable|defined)|cannot read|undefined|\[object|DataClone|could not be cloned|Not saved|circular|stack size/i;
/** Requests that one case may make: the reply, a retry, and the one with the call's result. */
const MOST_REQUESTS = 3;

/** One reply: on which wire, and what is answered once. */
interface Malformed {
  name: string;
  wire: Wire;
  reply: ModelReply;
}

export interface MalformedRun {
  /** Runs them, some at a time; what was wrong, a line each, none if all is as it has to be. */
  run(cases: readonly Malformed[]): Promise<string[]>;
  /** How one ends: the messages of its session, and the failure that is shown. */
  endOf(one: Malformed): Promise<{ found: string[]; messages: string[]; failure: Failure | null; requests: number }>;
  /** Threads that were started so far. */
  threads(): number;
  close(): Promise<void>;
}

/** Sessions that run at the same time. */
const AT_ONCE = 8;

/**
 * Sessions that are sent malformed replies, all in one provider thread in which another reply streams the whole time.
 */
export async function startMalformedRun(): Promise<MalformedRun> {
  const createWorker = await sourceWorker();
  let threads = 0;
  const transport = createWorkerTransport({
    createWorker: (options) => {
      threads += 1;
      return createWorker(options);
    },
  });
  const harness = await startHarness({ transport, settings: { 'retry.maxRetries': 1, 'retry.baseDelayMs': 1 } });
  const asked = new Map<string, { reply: ModelReply; requests: number }>();
  harness.server.script(({ body }) => {
    const text = JSON.stringify(body);
    if (text.includes('Stream on')) return { text: 'on and '.repeat(20_000), chunkChars: 8, tokensPerSecond: 100 };
    const one = asked.get(/Go \d+\./.exec(text)?.[0] ?? '');
    if (!one) return 'Nobody asked.';
    one.requests += 1;
    return one.requests === 1 ? one.reply : 'Understood.';
  });
  let healthy = watchHealthy(transport, harness);
  await healthy.next();
  let expectedThreads = 1;
  let count = 0;

  const endOf: MalformedRun['endOf'] = async ({ wire, reply }) => {
    const prompt = `Go ${(count += 1)}.`;
    const one = { reply, requests: 0 };
    asked.set(prompt, one);
    const log = new MemoryLog();
    const model = modelsFor(harness.server)[wire];
    await log.append([{ type: 'model_change', provider: model.provider, modelId: model.id }]);
    const session = await harness.reopen(log);
    const { sessionId } = log;
    await session.prompt(promptOf(prompt));
    await harness.until('settled', (event) => event.sessionId === sessionId);
    const failure = harness.events.reduce<Failure | null>(
      (last, event) => (event.type === 'failure' && event.sessionId === sessionId ? event.failure : last),
      null,
    );
    const found = [...(failure ? flawsOfWords(failure) : []), ...flawsOf(log)];
    if (one.requests > MOST_REQUESTS) found.push(`${one.requests} requests`);
    await session.dispose();
    asked.delete(prompt);
    const requests = one.requests;
    return { found, messages: found.length > 0 ? [] : describeMessages(log), failure, requests };
  };

  const batch = async (cases: readonly Malformed[]): Promise<string[]> => {
    harness.events.length = 0;
    const ends = await Promise.all(cases.map(endOf));
    const found = ends.flatMap((end, at) => end.found.map((flaw) => `${cases[at]!.name}: ${flaw}`));
    const last = await Promise.race([healthy.next(), healthy.ended]);
    if (last !== undefined) {
      if (last !== 'stop')
        found.push(`the other reply ended with one of ${cases.map(({ name }) => name).join(', ')}: ${last}`);
      healthy = watchHealthy(transport, harness);
      await healthy.next();
    }
    if (threads !== expectedThreads)
      found.push(`a thread ended with one of ${cases.map(({ name }) => name).join(', ')}`);
    expectedThreads = threads;
    return found;
  };

  return {
    endOf,
    threads: () => threads,
    async run(cases) {
      const found: string[] = [];
      for (let at = 0; at < cases.length; at += AT_ONCE) found.push(...(await batch(cases.slice(at, at + AT_ONCE))));
      return found;
    },
    async close() {
      healthy.stop();
      await healthy.ended;
      await harness.close();
    },
  };
}

function flawsOfWords({ title, detail }: Failure): string[] {
  const lines = detail.split('\n').filter((line) => line !== '');
  return [
    ...(WORDS_OF_CODE.test(`${title} ${detail}`) ? [`said: ${title}: ${detail.slice(0, 300)}`] : []),
    ...(new Set(lines).size < lines.length ? [`said twice: ${detail.slice(0, 300)}`] : []),
  ];
}

/** A reply that goes on and on. */
function watchHealthy(
  transport: ReturnType<typeof createWorkerTransport>,
  harness: Harness,
): { next(): Promise<undefined>; ended: Promise<string>; stop(): void } {
  const controller = new AbortController();
  let waiting: (() => void)[] = [];
  const context = { messages: [{ role: 'user' as const, content: 'Stream on', timestamp: 1 }] };
  const ended = ask(transport, modelsFor(harness.server).completions, {
    context,
    options: { apiKey: LOOPBACK_KEY },
    signal: controller.signal,
    onDelta: (event) => {
      if (event.type !== 'text_delta') return;
      for (const wake of waiting.splice(0)) wake();
    },
  }).then(({ outcome }) => outcome.message.errorMessage ?? outcome.message.stopReason);
  void ended.finally(() => (waiting = []));
  return {
    ended,
    stop: () => controller.abort(),
    next: () => new Promise((resolve) => waiting.push(() => resolve(undefined))),
  };
}

/** Calls of a reply that ended well. */
function callsIn(line: string): number {
  const { message } = JSON.parse(line) as { message?: { stopReason?: string; content?: unknown } };
  if (message?.stopReason !== 'toolUse' && message?.stopReason !== 'stop') return 0;
  return (message.content as { type: string }[]).filter(({ type }) => type === 'toolCall').length;
}

/** What of the session's file would not be read again as it is. */
function flawsOf(log: MemoryLog): string[] {
  const found = log.stored.slice(1).flatMap(({ line }) => {
    const entry = JSON.parse(line) as Record<string, unknown>;
    const flaw = flawOf(entry);
    return flaw ? [`stored: ${String(entry.type)} ${flaw.path} is ${flaw.found}`] : [];
  });
  if (found.length > 0) return found;
  const again = describeMessages(log.reopen());
  if (JSON.stringify(again) !== JSON.stringify(describeMessages(log))) found.push('read again: other messages');
  const asked = log.stored.reduce((sum, { line }) => sum + callsIn(line), 0);
  const answered = again.filter((line) => line.startsWith('toolResult')).length;
  if (asked !== answered) found.push(`stored: ${asked} calls, ${answered} results: ${again.join(' / ').slice(0, 300)}`);
  const odd = again.find((line) => /undefined|\[object/.test(line));
  if (odd) found.push(`stored: ${odd.slice(0, 300)}`);
  return found;
}
