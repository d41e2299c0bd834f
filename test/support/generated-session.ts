import { seededRandom } from './random';

/**
 * A long working session as a coding agent leaves it behind, the same bytes each time: tools that answer, fail or never answer,
 * replies that were stopped or refused, changes of the thinking level, usage as a provider with a cache reports it. No line of
 * it comes from a real person. Its figures stand in `golden-sessions.ts`; change nothing here without computing them anew.
 */

/** As pi wrote sessions before they were trees, or as the app writes them. */
export type GeneratedVersion = 1 | 3;

/** What is asked first: a test that scrolls to the beginning looks for it. */
export const FIRST_QUESTION = 'read docs/outbox.md in full, then the queue, and tell me how retries are counted';

const MODEL = { api: 'anthropic-messages', provider: 'anthropic', model: 'claude-sonnet-4-5' };
const LEVELS = ['off', 'minimal', 'low', 'medium', 'high'];
const WORDS =
  'the queue keeps every message until its worker has answered or the lease ran out so a retry counts only when the row was taken before and nobody wrote it back while the clock of that host moved'.split(
    ' ',
  );
const CODE = [
  'export async function take(queue: Queue, now: number): Promise<Row | null> {',
  '  const row = await queue.first({ leasedUntil: { before: now } });',
  '  if (row === null) return null;',
  "  if (row.attempts >= LIMIT) throw new Error('too many attempts');",
  '  return queue.lease(row.id, now + LEASE_MS);',
  '}',
  '// 再試行は一度だけ数える',
  '\tassert.equal(rows.length, 3, "one row a message — never two");',
];
const FILES = Array.from({ length: 30 }, (_, n) => `src/${['queue', 'worker', 'outbox'][n % 3] ?? ''}/part-${n}.ts`);
const TURNS = 81;

type Json = Record<string, unknown>;

/** The lines of the session without line ends, an empty one last, as a file that ends in a line end splits. */
export function generatedSession(version: GeneratedVersion = 1): string[] {
  return new Story(version).lines();
}

class Story {
  private readonly random = seededRandom(20_260_101);
  private readonly written: string[] = [];
  private count = 0;
  /** Characters that the model has read so far; the provider counts 0.32 tokens for each. */
  private read = 9000;
  private cached = 0;

  constructor(private readonly version: GeneratedVersion) {
    const header = {
      type: 'session',
      id: 'a77c1b52-9d1e-4e0b-8a2f-5f3c0d6e9b10',
      timestamp: this.time(),
      cwd: '/home/me',
    };
    const choice = { provider: MODEL.provider, modelId: MODEL.model, thinkingLevel: 'off' };
    const { type, ...rest } = header;
    this.written.push(JSON.stringify(version === 1 ? { ...header, ...choice } : { type, version, ...rest }));
  }

  lines(): string[] {
    // As the first thing a reply that was stopped before its first word, by a model that is left at once.
    this.ask('/mode');
    this.reply([], { stopReason: 'aborted', provider: 'openai', model: 'gpt-5.1-codex', api: 'openai-responses' });
    this.add({ type: 'model_change', provider: MODEL.provider, modelId: MODEL.model });
    this.ask(FIRST_QUESTION);
    this.work(4);
    for (let turn = 2; turn < TURNS; turn++) this.turn(turn);
    return [...this.written, ''];
  }

  private turn(turn: number): void {
    // Someone who steps through the levels leaves a run of changes.
    if (turn % 6 === 0) for (const thinkingLevel of LEVELS.slice(1)) this.change(thinkingLevel);
    else if (turn % 2 === 0) this.change(this.pick(LEVELS));
    if (turn === TURNS - 4) this.change('off');
    this.ask(`${turn}. ${this.prose(4 + this.below(60))}`);
    if (turn % 9 === 4) return this.stopInCalls();
    this.work(1 + this.below(8));
    if (turn % 9 === 7) this.stopInText();
  }

  /** Some rounds of calls, then the answer. */
  private work(rounds: number): void {
    for (let round = 0; round < rounds; round++) {
      const calls = Array.from({ length: this.chance(0.12) ? 2 : 1 }, () => this.call());
      const said = this.chance(0.7) ? [text(this.prose(3 + this.below(24)))] : [];
      this.reply([...said, ...calls], { stopReason: 'toolUse' });
      for (const call of calls) this.answer(call);
    }
    const thinking = this.chance(0.06) ? [{ type: 'thinking', thinking: this.prose(20) }] : [];
    this.reply([...thinking, text(this.prose(20 + this.below(90)))], { stopReason: 'stop' });
  }

  /** The person presses Stop while a reply writes its calls: they never run. */
  private stopInCalls(): void {
    this.work(1);
    this.ask(this.prose(6));
    this.reply([text(this.prose(8)), this.call('edit'), this.call()], { stopReason: 'aborted' });
  }

  private stopInText(): void {
    this.ask(this.prose(9));
    const isRefused = this.count > 500 && this.count < 560;
    const [stopReason, errorMessage] = isRefused
      ? ['error', '529 overloaded_error']
      : ['aborted', 'Request was aborted'];
    this.reply(isRefused ? [] : [text(this.prose(12))], { stopReason, errorMessage });
  }

  private call(name = this.pick(['bash', 'bash', 'bash', 'edit', 'edit', 'edit', 'read', 'write'])): Json {
    const path = this.pick(FILES);
    const args: Record<string, Json> = {
      bash: { command: `npm test -- ${path} 2>&1 | tail -${this.below(90)}`, timeout: 60 },
      read: { path: this.chance(0.3) ? `docs/part-${this.below(9)}.md` : path, offset: this.below(400) },
      write: { path: `notes/${this.below(5)}.md`, content: this.code(6) },
      edit: { path, oldText: this.code(2 + this.below(9)), newText: this.code(2 + this.below(11)) },
    };
    return {
      type: 'toolCall',
      id: `toolu_${String(this.count).padStart(4, '0')}_${this.below(1e6)}`,
      name,
      arguments: args[name],
    };
  }

  private answer({ id, name }: Json): void {
    const isError = this.chance(0.07);
    const lines = { bash: 3 + this.below(58), read: 10 + this.below(70), edit: 1, write: 1 }[name as string] ?? 1;
    const said = isError ? `Error: ${this.prose(7)}` : lines === 1 ? 'Done: the file was written.' : this.code(lines);
    const details = name === 'edit' && !isError ? { details: { diff: this.code(4) } } : {};
    const content = [text(said)];
    this.message({ role: 'toolResult', toolCallId: id, toolName: name, content, ...details, isError }, said.length);
  }

  private ask(words: string): void {
    this.message({ role: 'user', content: [text(words)] }, words.length);
  }

  private reply(content: Json[], how: Json & { stopReason: string }): void {
    const written = JSON.stringify(content).length;
    const isWhole = how.stopReason === 'stop' || how.stopReason === 'toolUse';
    const usage = isWhole ? this.usage(written) : { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
    const cost = { input: 0, output: usage.output * 15e-6, cacheRead: usage.cacheRead * 3e-7, cacheWrite: 0, total: 0 };
    cost.total = cost.output + cost.cacheRead;
    this.message({ role: 'assistant', content, ...MODEL, usage: { ...usage, cost }, ...how }, isWhole ? written : 0);
  }

  private usage(written: number): { input: number; output: number; cacheRead: number; cacheWrite: number } {
    const prompt = Math.floor(this.read * 0.32);
    const usage = {
      input: 3,
      output: Math.ceil(written * 0.32),
      cacheRead: this.cached,
      cacheWrite: prompt - this.cached,
    };
    this.cached = prompt;
    return usage;
  }

  private change(thinkingLevel: string): void {
    this.add({ type: 'thinking_level_change', thinkingLevel });
  }

  private message(message: Json, length: number): void {
    this.read += length;
    this.add({ type: 'message', message: { ...message, timestamp: Date.parse(this.time()) } });
  }

  private add({ type, ...fields }: Json): void {
    const base =
      this.version === 1
        ? { type, timestamp: this.time() }
        : {
            type,
            id: idOf(this.count),
            parentId: this.count === 0 ? null : idOf(this.count - 1),
            timestamp: this.time(),
          };
    this.written.push(JSON.stringify({ ...base, ...fields }));
    this.count++;
  }

  private time(): string {
    return new Date(Date.UTC(2026, 0, 5, 9) + this.count * 7321).toISOString();
  }

  private prose(words: number): string {
    return Array.from({ length: words }, () => this.pick(WORDS)).join(' ');
  }

  private code(lines: number): string {
    return Array.from({ length: lines }, () => this.pick(CODE)).join('\n');
  }

  private below(bound: number): number {
    return Math.floor(this.random() * bound);
  }

  private chance(share: number): boolean {
    return this.random() < share;
  }

  private pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)] as T;
  }
}

const text = (words: string): Json => ({ type: 'text', text: words });
const idOf = (n: number): string => (0x5e55_0000 + n).toString(16);
