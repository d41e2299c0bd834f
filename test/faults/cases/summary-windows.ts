import type { OutwardEvent } from '../../support/outward';
import { promptOf, startHarness, type Harness } from '../../support/agent-harness';
import { isSummary } from '../../support/compaction-talk';
import { zero, type Case, type FigureInput } from '../../support/figures';
import { sentMessages, type CapturedRequest, type Reply } from '../../support/model-server';
import { seededRandom } from '../../support/model-server/truncated-calls';

const WINDOWS = [4096, 8192, 16_384, 32_768];
const SESSIONS = 100;
const CI_SESSIONS = 3;
/** Compactions after which a session has shown what it had to. */
const COMPACTIONS = 3;
const MOST_TURNS = 60;
/** Characters of a token, as servers count English and code. */
const TOKEN_CHARS = 4;

type Random = () => number;
type Summarizer = (words: number, random: Random) => string;

/** Tokens of a word: prose has about 1.3, a text full of paths and names up to 1.8 (SU10). */
const obedient: Summarizer = (words, random) => proseOf(words, random);
/** Pays no heed to a length. */
const boundless: Summarizer = (words, random) => proseOf(words * 6, random);

interface Tally {
  jobs: number;
  failed: string[];
  /** Summary requests that somebody else than the session's provider got. */
  strayed: number;
  overflows: number;
  longest: number;
}

/**
 * Sessions that fill small windows again and again, with a summarizer that keeps to the length that its prompt states, or with one that
 * does not (SU10, SU27, SU33, SU34). The server is strict: a request above the window is refused, an answer above its cap is cut off.
 */
const summaryWindows: Case = {
  name: 'summaries in small windows',
  issue: 13,
  ci: true,
  async run({ isCi, log }) {
    const seed = Date.now() % 1_000_000;
    log(`seed ${seed}`);
    const sessions = isCi ? CI_SESSIONS : SESSIONS;
    const figures: FigureInput[] = [];
    for (const window of WINDOWS) {
      const tally = await fill(window, sessions, obedient, seed);
      log(
        `${window}: ${tally.jobs} jobs, ${tally.overflows} requests refused as too long, longest answer ${tally.longest} tokens`,
      );
      const note = `${tally.jobs} jobs in ${sessions} sessions, ${tally.overflows} requests were too long and made again; seed ${seed}`;
      figures.push(zero(`failed jobs, window ${window}`, tally.failed.length, 'jobs', tally.failed[0] ?? note));
      figures.push({
        name: `jobs done, window ${window}`,
        value: tally.jobs,
        unit: 'jobs',
        target: { on: 'value', op: '>=', bound: sessions },
      });
    }
    let strayed = 0;
    let failed = 0;
    for (const window of WINDOWS) {
      const tally = await fill(window, sessions, boundless, seed);
      strayed += tally.strayed;
      failed += tally.failed.length;
    }
    figures.push(
      zero(
        'summary requests to another provider, length ignored',
        strayed,
        'requests',
        `${failed} jobs failed and said so`,
      ),
    );
    figures.push({
      name: 'failed jobs, length ignored',
      value: failed,
      unit: 'jobs',
      note: 'that they are not stored',
      target: { on: 'value', op: '>=', bound: 1 },
    });
    return figures;
  },
};

export default summaryWindows;

async function fill(window: number, sessions: number, summarizer: Summarizer, seed: number): Promise<Tally> {
  const tally: Tally = { jobs: 0, failed: [], strayed: 0, overflows: 0, longest: 0 };
  for (let session = 0; session < sessions; session++) {
    const harness = await startHarness({ model: { contextWindow: window, maxTokens: Math.floor(window / 2) } });
    try {
      await live(harness, window, summarizer, seededRandom(seed + 7919 * session + window), tally);
    } finally {
      await harness.close();
    }
  }
  return tally;
}

async function live(
  harness: Harness,
  window: number,
  summarizer: Summarizer,
  random: Random,
  tally: Tally,
): Promise<void> {
  const sizeOf = (share: number): number => Math.ceil((window / share) * (0.2 + random()));
  harness.server.script((request) => {
    if (!isSummary(request)) return chatReply(proseOf(sizeOf(60), random), random, () => proseOf(sizeOf(30), random));
    return summaryReply(request, window, summarizer, random, tally);
  });
  const own = harness.models.initialModel().provider;
  for (let turn = 0; turn < MOST_TURNS && ends(harness).length < COMPACTIONS; turn++) {
    const before = harness.events.filter(({ type }) => type === 'settled').length;
    await harness.session.prompt(promptOf(`${turn}: ${proseOf(sizeOf(40), random)}`));
    await harness.settled(before + 1);
    // A person who is told that nothing more fits compacts by hand.
    if (random() < 0.05) {
      const n = ends(harness).length;
      await harness.session.compact({});
      await harness.until('compaction_end', (event) => ends(harness).indexOf(event) >= n);
    }
  }
  for (const { errorMessage, entryId } of ends(harness)) {
    if (entryId) tally.jobs++;
    if (errorMessage) tally.failed.push(`${window}: ${errorMessage}`);
  }
  for (const { wire } of harness.server.requests.filter(isSummary)) if (PROVIDER_OF[wire] !== own) tally.strayed++;
}

const PROVIDER_OF: Record<string, string> = {
  completions: 'loopback-openai',
  messages: 'loopback-anthropic',
  responses: 'loopback-responses',
};

type End = Extract<OutwardEvent, { type: 'compaction_end' }>;

function ends({ events }: Harness): End[] {
  return events.filter((event): event is End => event.type === 'compaction_end');
}

/** Words, and every now and then a call with a long result. */
function chatReply(words: string, random: Random, output: () => string): Reply {
  if (random() < 0.6) return words;
  return { text: words, content: [{ type: 'toolCall', name: 'echo', arguments: { text: output() } }] };
}

/** What a strict server and a model that reads its prompt give. */
function summaryReply(
  request: CapturedRequest,
  window: number,
  summarizer: Summarizer,
  random: Random,
  tally: Tally,
): Reply {
  const body = request.body as { max_tokens?: number; max_completion_tokens?: number };
  const cap = body.max_completion_tokens ?? body.max_tokens ?? 0;
  const input = Math.ceil(JSON.stringify(request.body).length / TOKEN_CHARS);
  if (input + cap > window) {
    tally.overflows++;
    const message = `This model's maximum context length is ${window} tokens. However, you requested ${input + cap} tokens.`;
    return { error: { status: 400, body: { error: { message, code: 'context_length_exceeded' } } } };
  }
  const stated = /Your answer has at most (\d+) words in all/.exec(sentMessages(request)[0]?.text ?? '')?.[1];
  const text = `## Goal\n${summarizer(Number(stated ?? 1) - 3, random)}`;
  const tokens = Math.ceil(text.split(/\s+/).length * (1.3 + 0.5 * random()));
  tally.longest = Math.max(tally.longest, Math.min(tokens, cap));
  return tokens <= cap ? text : { text: text.slice(0, Math.floor((text.length * cap) / tokens)), stop: 'length' };
}

const WORDS =
  'the parser reads each line of src/main/app.ts and keeps what the person asked for until a test has run'.split(' ');

function proseOf(words: number, random: Random): string {
  return Array.from({ length: Math.max(1, words) }, () => WORDS[Math.floor(random() * WORDS.length)]).join(' ');
}
