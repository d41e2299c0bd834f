import { appendFileSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { nodeFs } from '../../../src/main/journal/file/fs';
import { SessionFiles } from '../../../src/main/journal/file/session-files';
import type { Wanted } from '../../../src/main/search/finder';
import { SearchEngine } from '../../../src/main/search/search-engine';
import type { Case, CaseContext, FigureInput } from '../../support/figures';
import { median, percentile } from '../harness';
import { seededRandom } from '../sessions';

const SESSIONS = 50;
const MESSAGES = 2_000;
const QUESTIONS = 300;
const APPENDS = 300;
const APPEND_PAUSE_MS = 20;
/** Different words, used as often as in a language: the n-th a share of 1/n. */
const VOCABULARY = 40_000;
const SYLLABLES = 'ba ke li mo nu ra se ti vo za kor lin mat pes tra gol dis fen hul jar'.split(' ');

/** QP21: the search of all sessions, with the index in this process: the app's thread runs nothing else. */
const search: Case = {
  name: 'P21',
  issue: 13,
  times: [
    'src/main/search/search-engine.ts:SearchEngine.settled',
    'src/main/search/search-engine.ts:SearchEngine.ask',
    'src/main/search/finder.ts:Finder.all',
  ],
  async run({ scratch, log }: CaseContext): Promise<FigureInput[]> {
    const files = new SessionFiles(join(scratch, 'sessions'));
    mkdirSync(files.dir);
    const texts = new Texts(21);
    const bytes = writeSessions(files, texts);
    const file = join(scratch, 'search.db');
    const before = process.memoryUsage().rss;
    const engine = new SearchEngine({ file, files, fs: nodeFs });

    const began = performance.now();
    const cpu = process.cpuUsage();
    await engine.start();
    await engine.settled();
    const seconds = (performance.now() - began) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    const total = SESSIONS * MESSAGES;
    log(`${(bytes / 1e6).toFixed(0)} MB read in ${seconds.toFixed(1)} s`);

    const asked: number[] = [];
    let hits = 0;
    for (let n = 0; n < QUESTIONS; n++) {
      const wanted = texts.question(n);
      const start = performance.now();
      const { counts } = engine.ask((finder) => finder.all(wanted));
      asked.push(performance.now() - start);
      hits += counts.kept;
    }
    if (hits === 0) throw new Error('Nothing was found: no question was answered.');

    const appends: number[] = [];
    const path = files.journal('session-7');
    engine.touch('session-7');
    await engine.settled();
    for (let n = 0; n < APPENDS; n++) {
      appendFileSync(path, `${texts.line(`new-${n}`, n === 0 ? `m-${MESSAGES - 1}` : `new-${n - 1}`)}\n`);
      const start = performance.now();
      engine.touch('session-7');
      await engine.settled();
      appends.push(performance.now() - start);
      // No agent says anything faster, and in between the index is tidied.
      await new Promise((resolve) => setTimeout(resolve, APPEND_PAUSE_MS));
    }
    const memory = (process.memoryUsage().rss - before) / 1e6;
    await engine.close();

    const again = new SearchEngine({ file, files, fs: nodeFs });
    const reopened = performance.now();
    await again.start();
    await again.settled();
    const known = performance.now() - reopened;
    await again.close();

    const note = `${total} messages in ${SESSIONS} sessions, ${(bytes / 1e6).toFixed(0)} MB`;
    const perSecond = Math.round(total / seconds);
    const ofMachine = { isOfMachine: true } as const;
    return [
      {
        ...{ name: 'P21 a search of all sessions, p95', value: percentile(asked, 0.95), unit: 'ms', ...ofMachine },
        note: `${note}; median ${median(asked).toFixed(1)} ms, ${QUESTIONS} questions`,
        target: { on: 'value', op: '<=', bound: 100 },
      },
      {
        ...{ name: 'P21 messages indexed', value: perSecond, unit: 'messages/s', ...ofMachine },
        note: `${note}; ${Math.round(total / ((user + system) / 1e6))} a second of processor time; index ${(statSync(file).size / 1e6).toFixed(0)} MB`,
        target: { on: 'value', op: '>=', bound: 5_000 },
      },
      {
        ...{ name: 'P21 one append', value: median(appends), unit: 'ms', ...ofMachine },
        note: `p95 ${percentile(appends, 0.95).toFixed(2)} ms, from the file to the index, ${APPEND_PAUSE_MS} ms apart`,
        target: { on: 'value', op: '<=', bound: 2 },
      },
      {
        ...{ name: 'P21 an index that is up to date, opened', value: known, unit: 'ms', ...ofMachine },
        note: `${memory.toFixed(0)} MB more memory after all of this`,
        target: { on: 'value', op: '<=', bound: 250 },
      },
    ];
  },
};

class Texts {
  private readonly random: () => number;
  private readonly words: string[] = [];

  constructor(seed: number) {
    this.random = seededRandom(seed);
    const known = new Set<string>();
    while (this.words.length < VOCABULARY) {
      const word = Array.from({ length: 1 + this.below(4) }, () => SYLLABLES[this.below(SYLLABLES.length)]).join('');
      if (known.has(word)) continue;
      known.add(word);
      this.words.push(word);
    }
  }

  private below(end: number): number {
    return Math.floor(this.random() * end);
  }

  private word(): string {
    return this.words[Math.floor(VOCABULARY ** this.random()) - 1] ?? 'ba';
  }

  private text(count: number): string {
    const name = (): string => this.word() + (this.word()[0] ?? '').toUpperCase() + this.word();
    return Array.from({ length: count }, () => {
      const kind = this.below(25);
      return kind === 0 ? name() : kind === 1 ? `src/${this.word()}/${this.word()}.ts:${this.below(900)}` : this.word();
    }).join(' ');
  }

  /** A prompt, a reply or an output: most are short, some are long. */
  line(id: string, parentId: string | null): string {
    const size = this.below(100);
    const text = this.text(size < 30 ? 12 : size < 75 ? 60 : size < 97 ? 180 : 1_000);
    const message = { role: size < 30 ? 'user' : 'assistant', content: [{ type: 'text', text }], timestamp: 1 };
    return JSON.stringify({ type: 'message', id, parentId, timestamp: '2026-01-02T03:04:05.000Z', message });
  }

  /** Common and rare words, beginnings, two words, phrases, and letters as typed. */
  question(n: number): Wanted {
    const common = (): string => this.words[this.below(30)] ?? '';
    const [query, exact, matchCase] = [
      (): [string, boolean, boolean] => [this.word(), false, false],
      (): [string, boolean, boolean] => [common(), false, false],
      (): [string, boolean, boolean] => [this.word().slice(0, 3), false, false],
      (): [string, boolean, boolean] => [`${this.word()} ${this.word()}`, false, false],
      (): [string, boolean, boolean] => [`${common()} ${this.word()}`, true, false],
      (): [string, boolean, boolean] => [this.word().slice(0, 2), false, false],
    ][n % 6]!();
    return { query, exact, matchCase, place: null, skip: 0, most: 3 };
  }
}

function writeSessions(files: SessionFiles, texts: Texts): number {
  let bytes = 0;
  for (let n = 0; n < SESSIONS; n++) {
    const id = `session-${n}`;
    const lines = [JSON.stringify({ type: 'session', version: 3, id, timestamp: '', cwd: '/work' })];
    for (let m = 0; m < MESSAGES; m++) lines.push(texts.line(`m-${m}`, m === 0 ? null : `m-${m - 1}`));
    const text = `${lines.join('\n')}\n`;
    bytes += text.length;
    writeFileSync(files.journal(id), text);
  }
  return bytes;
}

export default search;
