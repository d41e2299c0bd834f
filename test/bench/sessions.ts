import { once } from 'node:events';
import { createWriteStream, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionEntry, SessionHeader, Usage } from '@shared/session/records/entry';
import { cacheFolder } from '../support/cache';

/** Raise it when the generated text changes, so that no cached session of an older shape is measured. */
const GENERATOR_VERSION = 2;
const START = Date.UTC(2026, 0, 1);
const CHARS_PER_TOKEN = 4;
const KEPT_ENTRIES = 40; // about 20,000 tokens at 2.3 KB an entry: what pi keeps by default

export interface SessionOptions {
  /** Entries after the header, compactions included. */
  entries: number;
  /** Every so many entries one is a compaction that keeps about the last 40. The file ends in mid-stretch, not on one. */
  compactEvery?: number;
  /** Replies are markdown (headings, lists, code) instead of plain words: for what is drawn. */
  markdown?: boolean;
  seed?: number;
}

/** A small seeded generator of numbers in [0, 1) (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

// Of the letters beyond ASCII only such as the app has fonts for: where a machine has none, the search for one at every such word
// would be most of what a drawing costs, on either side.
const WORDS = (
  'the session tree keeps every entry while context walks from leaf to root and stops where a summary begins so that reading ' +
  'stays cheap file parser returns value error index offset buffer stream reader window branch merge commit test case fails when ' +
  'input has naïve façade данные → const function async await import export return null undefined length push slice map filter'
).split(' ');

function makeText(random: () => number, chars: number): string {
  const parts: string[] = [];
  for (let length = 0; length < chars;) {
    const word = WORDS[Math.floor(random() * WORDS.length)] ?? '';
    const separator = random() < 0.08 ? '\n' : ' ';
    parts.push(word, separator);
    length += word.length + 1;
  }
  return parts.join('');
}

function makeMarkdown(random: () => number, chars: number): string {
  const words = (count: number) => makeText(random, count).replaceAll('\n', ' ').trim();
  const block = [
    () => `## ${words(30)}`,
    () => `${words(200)} **${words(15)}** and \`${words(10)}\`, ${words(160)}.`,
    () => Array.from({ length: 4 }, () => `- ${words(50)}`).join('\n'),
    () => `${words(320)}.`,
    () => `\`\`\`ts\nexport function step(value: number): string {\n  return '${words(40)}'.repeat(value);\n}\n\`\`\``,
  ];
  const blocks: string[] = [];
  for (let length = 0, index = 0; length < chars; index += 1) {
    const made = block[index % block.length]?.() ?? '';
    blocks.push(made);
    length += made.length + 2;
  }
  return blocks.join('\n\n');
}

/** Markdown of about that many characters, as a model writes it; the same for the same seed. */
export function markdownText(chars: number, seed = 1): string {
  return makeMarkdown(seededRandom(seed), chars);
}

/** Eight hex digits, different for every index below 2^32 (the multiplier is odd). */
function idOf(index: number, seed: number): string {
  return (Math.imul(index + 1 + seed * 7919, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0');
}

function usageOf(contextTokens: number, output: number): Usage {
  const cost = { input: 0.000009, output: output * 0.000015, cacheRead: contextTokens * 3e-7, cacheWrite: 0, total: 0 };
  cost.total = cost.input + cost.output + cost.cacheRead;
  return { input: 3, output, cacheRead: contextTokens, cacheWrite: 0, totalTokens: contextTokens + output + 3, cost };
}

/**
 * Makes the entries of a linear session one by one: turns of a prompt, three calls with their results, and an answer;
 * about 2.3 KB a line in the mean. The same options give the same bytes.
 */
export function* generateEntries({
  entries,
  compactEvery,
  markdown,
  seed = 1,
}: SessionOptions): Generator<SessionEntry> {
  const random = seededRandom(seed);
  let contextTokens = 2_000;
  let step = 0; // place in the turn: 0 prompt, odd call, even result, 7 answer
  let lastCallId = '';
  const promptIds: { index: number; id: string }[] = [];

  for (let index = 0; index < entries; index += 1) {
    const time = START + index * 1_000;
    const id = idOf(index, seed);
    const base = { id, parentId: index === 0 ? null : idOf(index - 1, seed), timestamp: new Date(time).toISOString() };
    const text = (chars: number, make = makeText) => {
      const made = make(random, chars * (0.5 + random()));
      contextTokens += Math.ceil(made.length / CHARS_PER_TOKEN);
      return made;
    };

    if (compactEvery && index % compactEvery === Math.floor(compactEvery * 0.7)) {
      const firstKept = promptIds.findLast((prompt) => prompt.index <= index - KEPT_ENTRIES) ?? promptIds[0];
      const tokensBefore = contextTokens;
      const summary = makeText(random, 4_000);
      contextTokens = 2_000 + KEPT_ENTRIES * 575;
      const details = { readFiles: ['src/index.ts'], modifiedFiles: ['src/parser.ts'] };
      yield { ...base, type: 'compaction', summary, firstKeptEntryId: firstKept?.id ?? id, tokensBefore, details };
      continue;
    }

    if (step === 0) {
      promptIds.push({ index, id });
      yield {
        ...base,
        type: 'message',
        message: { role: 'user', content: [{ type: 'text', text: text(500) }], timestamp: time },
      };
    } else if (step % 2 === 1) {
      const isAnswer = step === 7;
      const content: unknown[] = [
        { type: 'text', text: text(isAnswer ? 2_400 : 700, markdown ? makeMarkdown : makeText) },
      ];
      if (!isAnswer) {
        lastCallId = `call_${id}`;
        const command = makeText(random, 200);
        content.push({ type: 'toolCall', id: lastCallId, name: 'bash', arguments: { command } });
      }
      const common = {
        role: 'assistant',
        api: 'anthropic-messages',
        provider: 'anthropic',
        model: 'claude-sonnet-4-5',
      };
      const usage = usageOf(contextTokens, 400);
      const stopReason = isAnswer ? 'stop' : 'toolUse';
      yield { ...base, type: 'message', message: { ...common, content, usage, stopReason, timestamp: time } };
    } else {
      const result = { toolCallId: lastCallId, toolName: 'bash', content: [{ type: 'text', text: text(3_000) }] };
      yield { ...base, type: 'message', message: { role: 'toolResult', ...result, isError: false, timestamp: time } };
    }
    step = (step + 1) % 8;
  }
}

/** The session id in the header of a generated file. */
export function sessionIdOf({ entries }: SessionOptions): string {
  return `00000000-0000-4000-8000-${String(entries).padStart(12, '0')}`;
}

/**
 * Writes a generated session as a pi v3 file that the peer and we read alike, once: later calls find it in the cache.
 * The file is shared by all cases, so it is only read; copy it to change it.
 * @returns the file's path.
 */
export async function sessionFile(options: SessionOptions): Promise<string> {
  const { entries, compactEvery, markdown, seed = 1 } = options;
  const folder = join(cacheFolder(), 'sessions');
  const kind = `${compactEvery ? `compacted-${compactEvery}` : 'linear'}${markdown ? '-markdown' : ''}`;
  const path = join(folder, `v${GENERATOR_VERSION}-${kind}-${entries}-seed${seed}.jsonl`);
  if (existsSync(path)) return path;

  mkdirSync(folder, { recursive: true });
  const partial = `${path}.${process.pid}`;
  const out = createWriteStream(partial);
  try {
    const timestamp = new Date(START).toISOString();
    const header: SessionHeader = {
      type: 'session',
      version: 3,
      id: sessionIdOf(options),
      timestamp,
      cwd: '/workspace',
    };
    out.write(`${JSON.stringify(header)}\n`);
    for (const entry of generateEntries(options)) {
      if (!out.write(`${JSON.stringify(entry)}\n`)) await once(out, 'drain');
    }
    out.end();
    await once(out, 'finish');
    renameSync(partial, path);
  } finally {
    rmSync(partial, { force: true });
  }
  return path;
}
