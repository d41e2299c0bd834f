import { contextAt } from './context-at';
import type { CompactionEntry, SessionEntry } from '@shared/session/records/entry';
import type { BeforeCompact, Compacting, EventName, Handler } from '../../src/main/extensions/events';
import { promptOf, startHarness, type Harness, type HarnessOptions } from './agent-harness';
import { sentContext, sentMessages, type CapturedRequest, type Reply } from './model-server';

export const WORDS = 'lorem ipsum dolor sit amet '.repeat(40);
export const SUMMARY = '## Goal\nShip the parser.';
/** Where the handlers of a test say they come from. */
export const EXTENSION = '/extensions/notes.ts';

export type CompactionEnd = Extract<Harness['events'][number], { type: 'compaction_end' }>;

export const isSummary = (request: CapturedRequest): boolean =>
  sentContext(request).system.startsWith('You write summaries');

/** A session on the harness with words to compact, and what its compactions and extensions left behind. */
export class CompactionTalk {
  private constructor(readonly harness: Harness) {}

  /** Small keep budget: a few turns are enough to compact. */
  static async start(turns: number, options: HarnessOptions = {}): Promise<CompactionTalk> {
    const settings = { 'compaction.keepRecentTokens': 500, ...options.settings };
    const talk = new CompactionTalk(await startHarness({ ...options, settings }));
    talk.answer();
    await talk.say(turns);
    return talk;
  }

  /** Answers chat and summary requests from now on. */
  answer(summary: Reply = SUMMARY, chat: Reply | ((request: CapturedRequest) => Reply) = WORDS): void {
    this.harness.server.script((request) => {
      if (isSummary(request)) return summary;
      return typeof chat === 'function' ? chat(request) : chat;
    });
  }

  /** So many questions, one after the other. */
  async say(turns: number): Promise<void> {
    const before = this.harness.events.filter(({ type }) => type === 'settled').length;
    for (let turn = before; turn < before + turns; turn++) {
      await this.harness.session.prompt(promptOf(`Question ${turn}: ${WORDS}`));
      await this.harness.settled(turn + 1);
    }
  }

  /** Compacts because the person asks. */
  async compacted(instructions?: string): Promise<CompactionEnd> {
    const n = this.ends.length;
    await this.harness.session.compact({ instructions });
    await this.harness.until('compaction_end', (event) => this.ends.indexOf(event) >= n);
    return this.ends[n] as CompactionEnd;
  }

  on<E extends EventName>(event: E, handler: Handler<E>): () => void {
    return this.harness.extensions.on(event, handler, { extensionPath: EXTENSION });
  }

  /** A handler that answers whatever a test wants, right or wrong. */
  onBefore(handler: (payload: BeforeCompact) => unknown): () => void {
    return this.on('session_before_compact', handler as Handler<'session_before_compact'>);
  }

  /** As `onBefore`. */
  onCompacting(handler: (payload: Compacting) => unknown): () => void {
    return this.on('session.compacting', handler as Handler<'session.compacting'>);
  }

  get ends(): CompactionEnd[] {
    return this.harness.events.filter((event): event is CompactionEnd => event.type === 'compaction_end');
  }

  get lines(): string[] {
    return this.harness.log.stored.map(({ line }) => line);
  }

  get compactions(): CompactionEntry[] {
    return this.lines
      .slice(1)
      .map((line) => JSON.parse(line) as SessionEntry)
      .filter((entry): entry is CompactionEntry => entry.type === 'compaction');
  }

  /** Texts of the summary requests. */
  get summaryBodies(): string[] {
    return this.harness.server.requests.filter(isSummary).map((request) => sentMessages(request)[0]?.text ?? '');
  }

  /** Texts of the messages of the newest request. */
  get lastSent(): string[] {
    const newest = this.harness.server.requests.at(-1);
    return newest ? sentMessages(newest).map(({ text }) => text) : [];
  }

  /** The messages of the context at the leaf. */
  get context(): string[] {
    const { tree } = this.harness.log;
    return contextAt(tree, tree.leafId).messages.map((message) => JSON.stringify(message));
  }
}
