import path from 'node:path';
import { checkContent, checkCustomMessage, checkCustomType } from '../../extensions/check-run-answers';
import { plainJson } from '../../extensions/check-answers';
import type { CustomMessageDraft } from '../../extensions/run-events';
import type { DeliverOptions, Replaced, SessionDoor, SessionFacts } from '../../extensions/session-door';
import type { AppendedRecord } from '../../ports';
import { randomHex } from '../../random-hex';
import type { CustomDraft } from '../../agent/run-scope';
import type { SessionScope } from '../machine/scope';
import type { NavigateParams } from '../branches/navigator';
import type { CompactionEntry, EntryDraft, ImageBlock, TextBlock } from '@shared/session/records/entry';
import { newEntryId } from '@shared/session/records/ids';
import type { Attachment, ModelRef, StoredLine } from '@shared/types';

const STALE = 'This extension context is stale: its session was let go of.';
const LEVELS = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh'];
/** Entries that a new session may begin with. */
const MAX_SETUP = 10_000;

/** What the door asks of its session. */
export interface DoorSession {
  readonly sessionId: string;
  isIdle(): boolean;
  hasPending(): boolean;
  prompt(said: {
    itemId: string;
    text: string;
    attachments: Attachment[];
    mode: 'steer' | 'followUp';
    command?: true;
    source: 'extension';
  }): Promise<unknown>;
  /** Stores what extensions say, now or as soon as it may be; with `triggers` the model answers. */
  deliver(draft: CustomDraft, how: { mode: 'steer' | 'followUp' | 'turnEnd'; triggers: boolean }): Promise<void>;
  stop(): Promise<void>;
  compact(how: { instructions?: string }): Promise<unknown>;
  navigate(params: NavigateParams): Promise<{ cancelled: boolean }>;
  label(entryId: string, label: string): Promise<void>;
  setModel(ref: ModelRef): Promise<void>;
  setThinking(level: string): Promise<void>;
}

/** What the door asks of those that keep all sessions. */
export interface DoorHost {
  sessionsDir: string;
  nameOf(sessionId: string): string;
  rename(sessionId: string, name: string): Promise<void>;
  /** A new session beside this one, shown in the window. Null: an extension kept it from being made. */
  createBeside(sessionId: string, parentSession: string | undefined, entries: EntryDraft[]): Promise<string | null>;
  forkBeside(sessionId: string, entryId: string, position: 'before' | 'at'): Promise<string | null>;
  switchTo(sessionId: string, targetId: string): Promise<boolean>;
  reload(sessionId: string): Promise<void>;
}

/** The door to one live session (EX9). Closed, it refuses everything. */
export class LiveDoor implements SessionDoor {
  readonly sessionId: string;
  private isClosed = false;
  private isTrusted = false;
  private readonly listeners = new Set<() => void>();
  private readonly readers = new Set<(lines: readonly StoredLine[]) => void>();

  constructor(
    private readonly scope: SessionScope,
    private readonly session: DoorSession,
    private readonly host: DoorHost,
  ) {
    this.sessionId = session.sessionId;
  }

  /** Nothing goes through any more. */
  close(): void {
    this.isClosed = true;
    this.listeners.clear();
    this.readers.clear();
  }

  /** Whether the person trusts the session's folder now. */
  async lookAtTrust(): Promise<void> {
    const { isTrusted } = await this.scope.ports.project.look(this.scope.workspaceDir);
    if (isTrusted === this.isTrusted) return;
    this.isTrusted = isTrusted;
    this.changed();
  }

  /** Something that `facts` tells may be another. */
  changed(): void {
    for (const listener of [...this.listeners]) listener();
  }

  appended(records: readonly AppendedRecord[]): void {
    if (this.readers.size === 0) return;
    const lines = records.map(({ line }) => line);
    for (const reader of [...this.readers]) reader(lines);
  }

  facts(): SessionFacts {
    const { scope, session, host, sessionId } = this;
    const { log, models } = scope;
    const name = host.nameOf(sessionId);
    const tools = scope.toolFacts();
    return {
      sessionId,
      cwd: scope.workspaceDir,
      file: this.fileOf(sessionId),
      dir: host.sessionsDir,
      header: log.header,
      name: name === '' ? undefined : name,
      leafId: log.tree.leafId,
      model: models.find(scope.model),
      thinkingLevel: scope.choice.thinkingLevel,
      isIdle: session.isIdle(),
      hasPending: session.hasPending(),
      contextUsage: scope.usage(),
      activeTools: tools.active,
      allTools: tools.all,
      systemPrompt: scope.lastPrompt,
      isTrusted: this.isTrusted,
    };
  }

  onFacts(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async *entries(fromSeq = 0): AsyncIterable<readonly StoredLine[]> {
    this.open();
    for await (const { lines } of this.scope.log.lines(fromSeq)) yield lines;
  }

  onEntries(listener: (lines: readonly StoredLine[]) => void): () => void {
    this.readers.add(listener);
    return () => this.readers.delete(listener);
  }

  async sendMessage(message: CustomMessageDraft, options: DeliverOptions = {}): Promise<void> {
    this.open();
    const draft = usable(checkCustomMessage(message));
    const { deliverAs = 'steer', triggerTurn } = options;
    if (deliverAs === 'nextTurn') {
      this.scope.nextTurn.push(draft);
      return;
    }
    const mode =
      triggerTurn === false && !this.session.isIdle() ? 'turnEnd' : deliverAs === 'followUp' ? 'followUp' : 'steer';
    await this.session.deliver(draft, { mode, triggers: triggerTurn === true });
  }

  async sendUserMessage(
    content: string | (TextBlock | ImageBlock)[],
    options: { deliverAs?: 'steer' | 'followUp'; expandPromptTemplates?: boolean } = {},
  ): Promise<void> {
    this.open();
    const said = usable(checkContent(content));
    const { deliverAs, expandPromptTemplates } = options;
    if (!this.session.isIdle() && deliverAs === undefined)
      throw new Error('The agent is at work: say with deliverAs whether the message steers it or follows.');
    const blocks: (TextBlock | ImageBlock)[] = typeof said === 'string' ? [{ type: 'text', text: said }] : said;
    const text = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
    const pictures = blocks.filter((block): block is ImageBlock => block.type === 'image');
    const attachments = pictures.map(({ data, mimeType }, at): Attachment => ({ kind: 'image', name: `image ${at + 1}`, mimeType, data })); // prettier-ignore
    const isCommand = expandPromptTemplates === true && deliverAs === undefined && (await this.scope.isCommand(text));
    await this.session.prompt({
      itemId: this.newId(),
      ...{ text, attachments, mode: deliverAs ?? 'steer', source: 'extension' },
      ...(isCommand ? { command: true as const } : {}),
    });
  }

  async appendEntry(customType: string, data?: unknown): Promise<string> {
    this.open();
    const name = usable(checkCustomType(customType));
    const kept = plainJson(data);
    if (!kept.ok) throw new Error(`The entry's data ${kept.problem}.`);
    const draft: EntryDraft = {
      type: 'custom',
      customType: name,
      ...(kept.value === undefined ? {} : { data: kept.value }),
    };
    const [record] = await this.scope.log.append([draft]);
    return record?.entry.id ?? '';
  }

  async setName(name: string): Promise<void> {
    this.open();
    await this.host.rename(this.sessionId, name);
  }

  async setLabel(entryId: string, label: string | undefined): Promise<void> {
    this.open();
    await this.session.label(entryId, label ?? '');
  }

  async setModel(ref: ModelRef): Promise<boolean> {
    this.open();
    const { models } = this.scope;
    if (!models.find(ref) || !(await models.resolve(ref)).ok) return false;
    await this.session.setModel(ref);
    return true;
  }

  async setThinkingLevel(level: string): Promise<void> {
    this.open();
    if (!LEVELS.includes(level)) throw new Error(`There is no thinking level “${level}”.`);
    await this.session.setThinking(level);
  }

  setActiveTools(names: readonly string[]): void {
    this.open();
    const known = new Set(this.scope.toolFacts().all.map(({ name }) => name));
    this.scope.activeTools = [...new Set(names)].filter((name) => known.has(name));
    this.changed();
  }

  abort(): void {
    if (!this.isClosed) void this.session.stop().catch(() => undefined);
  }

  async compact({ customInstructions }: { customInstructions?: string }): Promise<CompactionEntry> {
    this.open();
    const { log } = this.scope;
    const from = log.mark().seq;
    await this.session.compact(customInstructions === undefined ? {} : { instructions: customInstructions });
    await this.until(() => this.scope.shown.job === null);
    const made = log.tree.entriesInOrder().filter(({ seq, facts }) => seq > from && facts.type === 'compaction');
    const [entry] = await log.loadBodies(made.slice(-1).map(({ id }) => id));
    if (entry?.type === 'compaction') return entry as CompactionEntry;
    throw new Error(this.scope.shown.summaryFailure?.message ?? 'Compaction cancelled');
  }

  async waitForIdle(): Promise<void> {
    this.open();
    await this.until(() => this.session.isIdle() && !this.session.hasPending());
    await this.scope.events.heard();
  }

  async newSession(options: { parentSession?: string; entries?: readonly EntryDraft[] } = {}): Promise<Replaced> {
    this.open();
    const { parentSession, entries = [] } = options;
    const drafts = entries.slice(0, MAX_SETUP).map(usableEntry);
    const parent = parentSession === undefined ? undefined : idOf(parentSession);
    return replaced(await this.host.createBeside(this.sessionId, parent, drafts));
  }

  async fork(entryId: string, { position = 'before' }: { position?: 'before' | 'at' } = {}): Promise<Replaced> {
    this.open();
    return replaced(await this.host.forkBeside(this.sessionId, entryId, position));
  }

  async navigateTree(
    targetId: string,
    options: { summarize?: boolean; customInstructions?: string; replaceInstructions?: boolean; label?: string } = {},
  ): Promise<{ cancelled: boolean }> {
    this.open();
    const { summarize = false, customInstructions: instructions, replaceInstructions, label } = options;
    const params = { targetId, summarize, instructions, replaceInstructions, label };
    const { cancelled } = await this.session.navigate(params);
    return { cancelled };
  }

  async switchSession(file: string): Promise<Replaced> {
    this.open();
    const targetId = idOf(file);
    return replaced((await this.host.switchTo(this.sessionId, targetId)) ? targetId : null);
  }

  async reload(): Promise<void> {
    this.open();
    await this.host.reload(this.sessionId);
  }

  private fileOf(sessionId: string): string {
    return path.join(this.host.sessionsDir, `${sessionId}.jsonl`);
  }

  private newId(): string {
    const { tree } = this.scope.log;
    return newEntryId((id) => tree.has(id), randomHex);
  }

  /** @throws Error once the session was let go of */
  private open(): void {
    if (this.isClosed) throw new Error(STALE);
  }

  /** Resolves when it holds, looked at whenever a fact changes. */
  private until(holds: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const isOver = this.isClosed || holds();
        if (!isOver) return;
        off();
        if (this.isClosed) reject(new Error(STALE));
        else resolve();
      };
      const off = this.scope.keeper.onTold(look);
      look();
    });
  }
}

function usable<T>(checked: { ok: true; value: T } | { ok: false; problem: string }): T {
  if (checked.ok) return checked.value;
  throw new Error(`${checked.problem.charAt(0).toUpperCase()}${checked.problem.slice(1)}.`);
}

/** What a new session may begin with: messages and entries of extensions, nothing of ours. @throws Error */
function usableEntry(draft: EntryDraft): EntryDraft {
  const { type } = draft;
  if (type === 'custom_message') return usable(checkCustomMessage(draft));
  if (type === 'custom') {
    const kept = plainJson(draft.data);
    if (!kept.ok) throw new Error(`The entry's data ${kept.problem}.`);
    return { type, customType: usable(checkCustomType(draft.customType)), data: kept.value };
  }
  if (type !== 'message' || draft.message.role !== 'user')
    throw new Error('A new session can begin with messages of the user and of extensions.');
  const content = usable(checkContent(draft.message.content));
  return { type, message: { role: 'user', content, timestamp: Date.now() } };
}

function replaced(sessionId: string | null): Replaced {
  return sessionId === null ? { cancelled: true } : { cancelled: false, sessionId };
}

/** A session is named by its file or its id. */
function idOf(file: string): string {
  return path.basename(file).replace(/\.jsonl$/, '');
}
