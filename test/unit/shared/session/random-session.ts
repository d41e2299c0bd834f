import type { EntryDraft, SessionEntry } from '@shared/session/records/entry';
import { custom, reply, replyMessage, result, seededRandom, timeOf, usage, user, Writer } from './support';

/** Choices of one seed. */
export class Dice {
  private readonly random: () => number;

  constructor(seed: number) {
    this.random = seededRandom(seed);
  }

  /** A whole number from 0 to below `bound`. */
  below(bound: number): number {
    return Math.floor(this.random() * bound);
  }

  chance(share: number): boolean {
    return this.random() < share;
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)] as T;
  }
}

const WORDS = ['alpha', 'βeta', '数据', 'path/to.ts', '</summary>', '<pinned>', '🙂', 'x'.repeat(90), '\u2028', ''];
const MODELS = [
  ['anthropic', 'claude'],
  ['openai', 'gpt'],
  ['local', 'llama'],
] as const;

/**
 * A session that grows by random operations of every kind that the app and other programs write: messages, tools, failed
 * replies, compactions with any boundary, summaries, view edits, pins, leaf moves, rebases, entries nobody knows.
 */
export class RandomSession {
  readonly writer: Writer;
  private readonly calls: string[] = [];
  private n = 0;

  constructor(
    seed: number,
    private readonly dice = new Dice(seed),
  ) {
    this.writer = new Writer(seed + 1);
  }

  get ids(): string[] {
    return this.writer.entries.map((entry) => entry.id);
  }

  /** Any entry of the session; one that does not exist now and then. */
  anyId(): string {
    return this.ids.length === 0 || this.dice.chance(0.03) ? 'nowhere0' : this.dice.pick(this.ids);
  }

  /** One of the newest entries. */
  private nearId(): string {
    const { ids } = this;
    return ids[Math.max(0, ids.length - 1 - this.dice.below(12))] ?? 'nowhere0';
  }

  private text(): string {
    return Array.from({ length: 1 + this.dice.below(4) }, () => this.dice.pick(WORDS)).join(' ');
  }

  /** Appends one random entry, or a batch. */
  step(): void {
    this.n++;
    const roll = this.dice.below(100);
    if (roll < 18) this.add(user(`u${this.n} ${this.text()}`));
    else if (roll < 44) this.addReply();
    else if (roll < 60) this.addResult();
    else if (roll < 64) this.addForeignMessage();
    else if (roll < 68) this.add(this.stateChange());
    else if (roll < 73) this.addCompaction();
    else if (roll < 77) this.addBranchSummary();
    else if (roll < 81) this.moveLeaf();
    else if (roll < 88) this.addSide();
    else if (roll < 94) this.addViewEdit();
    else if (roll < 96) this.addRebase();
    else if (roll < 97) this.add({ type: 'reset_boundary' });
    else this.add({ type: 'future_kind', payload: { n: this.n } } as unknown as EntryDraft);
  }

  private add(draft: EntryDraft, parentId?: string | null): string {
    return this.writer.add(draft, undefined, parentId);
  }

  private addReply(): void {
    const { dice } = this;
    const [provider, model] = dice.pick(MODELS);
    const calls = Array.from({ length: dice.chance(0.5) ? 1 + dice.below(3) : 0 }, (_, i) =>
      // Ids repeat across replies: weak servers number them anew each time.
      dice.chance(0.2) ? `call_${i}` : `call_${this.n}_${i}`,
    );
    this.calls.push(...calls);
    const failed = dice.chance(0.15) ? dice.pick(['error', 'aborted']) : undefined;
    const tokens = dice.chance(0.8)
      ? { input: dice.below(400), output: dice.below(60), cacheRead: dice.below(900) }
      : {};
    const stopReason = failed ?? (dice.chance(0.05) ? 'length' : undefined);
    this.add(
      reply(dice.chance(0.8) ? this.text() : '', {
        calls,
        provider,
        model,
        ...(stopReason ? { stopReason } : {}),
        ...(dice.chance(0.3) ? { thinking: this.text() } : {}),
        usage: usage(tokens),
      }),
    );
  }

  private addResult(): void {
    const id = this.calls.length > 0 && !this.dice.chance(0.05) ? this.dice.pick(this.calls) : 'call_none';
    const draft = result(id, this.text().repeat(1 + this.dice.below(6)));
    const { message } = draft as { message: { content: unknown[]; isError: boolean } };
    if (this.dice.chance(0.15)) message.content.push({ type: 'image', data: 'AAAA', mimeType: 'image/png' });
    message.isError = this.dice.chance(0.1);
    this.add(draft);
  }

  private addForeignMessage(): void {
    const { dice } = this;
    const messages: unknown[] = [
      { role: 'bashExecution', command: 'ls', output: this.text(), exitCode: 0, timestamp: 1 },
      { role: 'bashExecution', command: 'secret', output: 's', excludeFromContext: true, timestamp: 1 },
      { role: 'custom', content: this.text(), timestamp: 1 },
      { role: 'developer', content: this.text() },
      { role: 'fileMention', files: [{ path: 'a', content: this.text() }] },
      { role: 'notOfThisWorld', content: 'never sent' },
      { role: 'user' },
      { role: 'assistant' },
    ];
    if (dice.chance(0.3)) this.add(this.customMessage());
    else this.add({ type: 'message', message: dice.pick(messages) } as EntryDraft);
  }

  private customMessage(): EntryDraft {
    const content = [{ type: 'text' as const, text: this.text() }];
    return { type: 'custom_message', customType: 'note', content, display: this.dice.chance(0.5) };
  }

  private stateChange(): EntryDraft {
    const [provider, modelId] = this.dice.pick(MODELS);
    return this.dice.chance(0.5)
      ? { type: 'model_change', provider, modelId }
      : { type: 'thinking_level_change', thinkingLevel: this.dice.pick(['off', 'low', 'high']) };
  }

  private addCompaction(): void {
    const { dice } = this;
    const boundary = dice.chance(0.8) ? this.nearId() : dice.chance(0.5) ? this.anyId() : null;
    // Of the person's messages or of anything else: a file from elsewhere says what it likes.
    const kept = dice.chance(0.5) ? { keptUserEntryIds: [this.nearId(), this.anyId(), this.anyId(), 'gone'] } : {};
    const espalier = { v: 1, cost: 0.25, ...kept };
    const details = dice.chance(0.7) ? { readFiles: [], modifiedFiles: [], espalier } : undefined;
    const draft = { type: 'compaction', summary: `sum ${this.text()}`, firstKeptEntryId: boundary, tokensBefore: 9 };
    this.add({ ...draft, ...(details ? { details } : {}), fromHook: false } as EntryDraft);
  }

  private addBranchSummary(): void {
    const { dice } = this;
    const parentId = this.ids.length > 0 && dice.chance(0.8) ? dice.pick(this.ids) : null;
    const summary = dice.chance(0.2) ? '  ' : `branch ${this.text()}`;
    this.add({ type: 'branch_summary', fromId: this.writer.tree.leafId ?? 'root', summary }, parentId);
  }

  private moveLeaf(): void {
    this.writer.moveTo(this.ids.length > 0 && !this.dice.chance(0.1) ? this.pathEntry() : null);
  }

  /** An entry that may be a parent: nothing that the app writes hangs at a side record. */
  private pathEntry(): string | null {
    let node = this.writer.tree.node(this.dice.pick(this.ids)) ?? null;
    while (node?.facts.side) node = node.parent;
    return node ? node.id : null;
  }

  private addSide(): void {
    const { dice } = this;
    const targetId = this.anyId();
    const drafts: EntryDraft[] = [
      { type: 'label', targetId, label: dice.pick(['one', ' two ', '']) },
      { type: 'session_info', name: dice.pick(['a\n\nname ', '']) },
      custom('espalier.pin', { v: 1, targetId, pinned: dice.chance(0.8) }),
      custom('espalier.pin', { v: 1, targetId: this.nearId(), pinned: dice.chance(0.8) }),
      custom('espalier.archive', { v: 1, targetId, archived: dice.chance(0.5) }),
      custom('espalier.fact', { v: 1, key: `fact ${dice.below(3)}`, dismissed: dice.chance(0.5) }),
      custom('espalier.request', { v: 1, hash: `${this.n}`, systemPrompt: this.text().repeat(9), tools: [{ n: 1 }] }),
    ];
    this.add(dice.pick(drafts));
  }

  private addViewEdit(): void {
    const { dice } = this;
    const mode = dice.pick(['elide', 'shorten', 'images', 'unknown']);
    const items = [{ targetId: this.nearId(), mode, tokens: 7 }];
    const drafts: EntryDraft[] = [
      custom('espalier.prune', { v: 1, action: dice.chance(0.7) ? 'prune' : 'restore', items }),
      custom('espalier.prune', { v: 1, action: 'prune', items }),
      custom('espalier.omit', { v: 1, targets: [this.nearId()], reason: 'x' }),
      {
        type: 'context_edit',
        targetId: this.nearId(),
        replacement: dice.chance(0.3) ? null : { content: this.text() },
      },
    ];
    this.add(dice.pick(drafts));
  }

  /** A batch of copies as an undo writes it, cut off by a crash now and then. */
  private addRebase(): void {
    const { dice, writer } = this;
    const { leafId } = writer.tree;
    const copied = writer.tree
      .pathTo(leafId)
      .slice(-3)
      .filter((node) => node.facts.visible && node.facts.type === 'message');
    const base = copied[0]?.parent ?? null;
    if (copied.length === 0) return;
    const copies = copied.map((node, i) => [node.id, `c0${String(this.n).padStart(4, '0')}0${i}`] as [string, string]);
    writer.moveTo(base ? base.id : null);
    writer.add(custom('espalier.rebase', { v: 1, op: 'undo', compactionId: 'x', fromLeafId: leafId, copies }));
    const count = dice.chance(0.9) ? copies.length : dice.below(copies.length);
    copied.slice(0, count).forEach((node, i) => {
      const { message } = node.body as unknown as { message: never };
      writer.add({ type: 'message', message }, copies[i]![1]);
    });
  }
}

/**
 * Entries as other programs leave them behind: out of order, parents missing, closing a cycle or the entry itself, ids twice,
 * timestamps that are none.
 */
export function foreignEntries(seed: number, count: number): SessionEntry[] {
  const dice = new Dice(seed);
  const idOf = (i: number): string => `e${String(i).padStart(3, '0')}`;
  const entries = Array.from({ length: count }, (_, i): SessionEntry => {
    const parents = [
      null,
      idOf(i),
      'missing',
      idOf(dice.below(count)),
      idOf(Math.max(0, i - 1)),
      idOf(Math.max(0, i - 1)),
    ];
    const base = {
      id: dice.chance(0.05) ? idOf(dice.below(count)) : idOf(i),
      parentId: i === 0 ? null : dice.pick(parents),
      timestamp: dice.chance(0.05) ? 'no time' : timeOf(dice.below(count)),
    };
    const roll = dice.below(10);
    if (roll < 4) return { ...base, type: 'message', message: { role: 'user', content: `m${i}`, timestamp: 0 } };
    if (roll < 7) return { ...base, type: 'message', message: replyMessage(`r${i}`, { usage: usage({ input: i }) }) };
    if (roll < 8) return { ...base, type: 'label', targetId: idOf(dice.below(count)), label: `l${i}` };
    if (roll < 9) return { ...base, type: 'thinking_level_change', thinkingLevel: `t${i}` };
    const firstKeptEntryId = idOf(dice.below(count));
    return { ...base, type: 'compaction', summary: `s${i}`, firstKeptEntryId, tokensBefore: 1 };
  });
  for (let i = entries.length - 1; i > 0; i--) {
    if (!dice.chance(0.1)) continue;
    const j = dice.below(i + 1);
    [entries[i], entries[j]] = [entries[j]!, entries[i]!];
  }
  return entries;
}
