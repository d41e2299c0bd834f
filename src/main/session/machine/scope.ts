import type { DurableQueue } from '../../agent/durable-queue';
import { roomCut } from '../../compaction/compact';
import { compactionThatGrew, tokensWithout } from '../../compaction/compaction-size';
import type { RoomLeft } from '../../agent/failure-cards';
import { LiveView } from '../../agent/live-view';
import type { DriveEnd } from '../../agent/run-driver';
import { type ContextSize, SessionContext } from '../../agent/session-context';
import { NestedGuidance } from '../../agent/nested-guidance';
import type { StreamTransport } from '../../agent/stream/types';
import { type PromptPlace, SystemPrompt } from '../../agent/system-prompt';
import type { Serializer } from '../../compaction/serializer';
import type { ExtensionBus } from '../../extensions/bus';
import { NO_LINES } from '../../extensions/prompt-lines';
import type { ToolFacts } from '../../extensions/session-door';
import type { ResourceBook } from '../../extensions/resources';
import { SessionEvents } from '../../extensions/session-events';
import type { AppendedRecord, Emit, ModelRegistry, ProjectDoor, SessionLog } from '../../ports';
import type { SlashCommands } from '../../slash/slash-commands';
import { namePins } from './entry-words';
import { newestReplyId, openCalls, resultsOf } from './interrupted';
import { ModelChoice, sameModel } from './model-choice';
import { SessionKeeper } from './session-keeper';
import { Slot } from './slot';
import { OwedCosts } from './owed-costs';
import { PutBack } from './put-back';
import { SummaryJob } from './summary-job';
import { planDrop } from '@shared/compaction/prune';
import type { SummaryInstructions } from '@shared/compaction/summary-job';
import { shownCallId } from '@shared/cut-text';
import type { Tell } from '@shared/session-state/events';
import type { LiveSession, PathChange } from '@shared/session-state/state';
import type { Overhead } from '@shared/session/context/figure';
import type { EntryDraft } from '@shared/session/records/entry';
import { editedDraft } from '@shared/session/tree/drafts';
import { splitSlash } from '@shared/slash';
import type { Settings } from '@shared/settings';
import type { ContextUsage, Failure, ModelRef, QueueItem } from '@shared/types';
import { type SessionTools, type ToolOptions, ToolSlot } from './tool-slot';

export interface PromptParams extends Pick<
  QueueItem,
  'text' | 'attachments' | 'mode' | 'parentId' | 'summary' | 'versionOf'
> {
  itemId: string;
  /** The text is a command: what that makes of it is sent (CM3). */
  command?: true;
  /** Who says it; absent: the person. */
  source?: 'interactive' | 'extension';
}

export interface CompactParams extends SummaryInstructions {
  /** Go on afterwards with the turn that ended open. */
  retry?: boolean;
  /** Where nothing is due, or it takes many requests, nothing begins: the person is told first (SH2). */
  asks?: boolean;
}

/** What the sessions list may want to show. */
export type SessionActivity =
  | { kind: 'entries'; records: readonly AppendedRecord[] }
  | { kind: 'state' }
  | { kind: 'settled'; reason: DriveEnd['reason'] };

/** What an extension says, on its way into the session. */
export interface Outgoing {
  draft: EntryDraft & { type: 'custom_message' };
  /** `turnEnd`: behind the turn under way, without being steered in. */
  mode: 'steer' | 'followUp' | 'turnEnd';
  /** The model answers it, whatever else is under way. */
  triggers: boolean;
}

/** What a session is given; everything else it owns. */
export interface SessionPorts {
  models: ModelRegistry;
  transport: StreamTransport;
  serializer: Serializer;
  /** Where extensions take part; the same for all sessions. */
  extensions: ExtensionBus;
  /** Skills and templates that they name. */
  resources?: Pick<ResourceBook, 'of' | 'discover' | 'forget'>;
  /** What a text that begins with a slash may be; the same for all sessions. */
  slash: SlashCommands;
  /** What they ask and show in a session. */
  shownByExtensions?: (sessionId: string) => Pick<LiveSession, 'extensionQuestions' | 'extensionShows'>;
  settings: () => Settings;
  emit: Emit;
  /** Sends the events that wait for their frame. */
  flushEvents?: () => void;
  createTools: (options: ToolOptions) => SessionTools;
  /** Absolute path of the session's workspace. */
  workspaceOf: (sessionId: string) => string;
  /** What may be known of that folder before a tool is called. */
  project: ProjectDoor;
  promptPlace: (workspaceDir: string) => PromptPlace;
  queueFile: (sessionId: string) => string;
  /** The call of a reply from which on none is known to have begun (AG11). */
  firstUnbegun?: (reply: { sessionId: string; replyId: string }) => string | null;
  /** An entry could not be stored (the error), or one could again (null). */
  onStorage: (error: unknown) => void;
  /** Unix milliseconds. */
  now: () => number;
}

/** How a session was left: what no entry says of it. */
export interface LeftBehind {
  interrupted: boolean;
  neverBegan: readonly string[];
  edits: LiveSession['edits'];
  failure: Failure | null;
  queueDamage?: string | null;
}

/** What the parts of one session share. Each gets it whole and takes from it what it needs. */
export class SessionScope {
  readonly context: SessionContext;
  /** What a window is shown of the session. */
  readonly keeper: SessionKeeper;
  readonly live: LiveView;
  readonly choice: ModelChoice;
  readonly tools: ToolSlot;
  readonly slot: Slot;
  readonly job: SummaryJob;
  readonly costs = new OwedCosts();
  readonly putBack = new PutBack();
  /** What an extension has chosen of the tools, from the next run on. */
  activeTools: readonly string[] | null = null;
  /** What extensions say with the next message of the person. */
  nextTurn: EntryDraft[] = [];
  /** What extensions say in a run, or while something else holds the session. */
  readonly outbox: Outgoing[] = [];
  /** The message of an extension that the next run begins with. */
  startedBy: Outgoing['draft'] | null = null;
  /** The system prompt as the last request had it. */
  lastPrompt = '';
  /** What extensions hear of it. */
  readonly events: SessionEvents;
  private readonly prompt: SystemPrompt;
  private readonly notes: NestedGuidance;

  constructor(
    readonly log: SessionLog,
    readonly queue: DurableQueue,
    readonly ports: SessionPorts,
    /** What the sessions list may want to show. */
    readonly onActivity: (activity: SessionActivity) => void,
    { interrupted, neverBegan, edits, failure, queueDamage = null }: LeftBehind,
  ) {
    const { sessionId } = log;
    this.events = new SessionEvents(ports.extensions, sessionId);
    this.context = new SessionContext(log);
    this.keeper = new SessionKeeper(log, ports, () => this.context.seenPath());
    this.live = new LiveView(this.tell, () => this.shown);
    this.choice = new ModelChoice(log, this.context, ports.models, ports.settings);
    this.prompt = new SystemPrompt(
      () => ports.promptPlace(this.workspaceDir),
      ports.project,
      () => this.tools.current?.promptLines?.() ?? NO_LINES,
      () => ports.resources?.of(sessionId).skills ?? [],
    );
    this.notes = new NestedGuidance(log, this.context, (files) =>
      ports.project.nestedGuidance(this.workspaceDir, files),
    );
    const onOutput: ToolOptions['onOutput'] = ({ toolCallId, chunk }) => this.live.toolOutput(toolCallId, chunk);
    const keepEdit: ToolOptions['keepEdit'] = (callId, command) => this.keepEdit(callId, command);
    this.tools = new ToolSlot(
      () => this.workspaceDir,
      (workspaceDir) =>
        ports.createTools({
          ...{ sessionId, workspaceDir, keepEdit, onOutput },
          replyId: () => newestReplyId(log.tree),
          activeTools: () => this.activeTools,
          hearsUpdates: () => this.events.has('tool_execution_update'),
        }),
    );
    this.keeper.begin({
      ...{ interrupted, neverBegan, edits, failure, queue: queue.list(), usage: this.usage() },
      ...{ model: this.model, thinkingLevel: this.choice.thinkingLevel },
      ...ports.shownByExtensions?.(sessionId),
      damage: [...log.damage, ...(queueDamage === null ? [] : [queueDamage])],
    });
    this.slot = new Slot(this.keeper, () => onActivity({ kind: 'state' }));
    this.job = new SummaryJob(this);
  }

  get models(): ModelRegistry {
    return this.ports.models;
  }

  get transport(): StreamTransport {
    return this.ports.transport;
  }

  get serializer(): Serializer {
    return this.ports.serializer;
  }

  get extensions(): ExtensionBus {
    return this.ports.extensions;
  }

  get workspaceDir(): string {
    return this.ports.workspaceOf(this.log.sessionId);
  }

  /** The session's model. */
  get model(): ModelRef {
    return this.choice.model;
  }

  /** What is shown of the session. */
  get shown(): LiveSession {
    return this.keeper.state;
  }

  get tell(): Tell {
    return this.keeper.tell;
  }

  settings(): Settings {
    return this.ports.settings();
  }

  firstUnbegun(replyId: string): string | null {
    return this.ports.firstUnbegun?.({ sessionId: this.log.sessionId, replyId }) ?? null;
  }

  /** Stores what is known of the calls that a crash left open (AG11): before anything goes on with them or sums them up. @throws StorageError */
  async settleCalls(): Promise<void> {
    const left = await this.openResults(this.log.tree.leafId);
    if (left.length > 0) await this.log.append(left);
  }

  /** What is to be stored of the calls that a crash left open at a point of the tree, before anything is said there (AG11). */
  async openResults(leafId: string | null): Promise<EntryDraft[]> {
    return resultsOf(await openCalls(this.log, (replyId) => this.firstUnbegun(replyId), leafId), this.now());
  }

  now(): number {
    return this.ports.now();
  }

  newPath(): PathChange {
    return this.keeper.newPath();
  }

  guidanceBehind(files: readonly string[]): Promise<EntryDraft[]> {
    return this.notes.behind(files);
  }

  /** A run begins: what it is told is looked at anew. */
  renewPrompt(): void {
    this.prompt.renew();
  }

  async systemPrompt(): Promise<string> {
    return (this.lastPrompt = await this.prompt.current());
  }

  toolFacts(): { all: ToolFacts[]; active: string[] } {
    return this.tools.offered();
  }

  /** Whether a text names a command of an extension, a skill, a template or a server. */
  async isCommand(text: string): Promise<boolean> {
    const asked = splitSlash(text);
    if (!asked) return false;
    return (await this.ports.slash.list(this.log.sessionId)).some(({ name }) => name === asked.name);
  }

  /** What the context at the leaf comes to for a model, by default the session's. */
  size(ref: ModelRef = this.model, overhead?: Overhead): ContextSize {
    return this.context.size(ref, this.models.effectiveWindow(ref), this.settings(), overhead);
  }

  usage(ref: ModelRef = this.model): ContextUsage {
    return this.context.usage(ref, this.models.effectiveWindow(ref), this.settings());
  }

  /** What could make the context smaller, for a request that does not fit (TG6, PN3). */
  async roomLeft(model: ModelRef): Promise<RoomLeft> {
    const pins = await namePins(this.log, this.size().ratio);
    return { pins, canCompact: this.roomCut(model) !== null, canUndo: this.fitsUndone(model) };
  }

  /** The compaction in force made the context larger than the window, and without it the context fits (TG6). */
  private fitsUndone(model: ModelRef): boolean {
    const { tree } = this.log;
    const larger = compactionThatGrew(tree);
    const size = this.size(model);
    const { window } = size.limits;
    return larger !== null && (window === null || tokensWithout(tree, larger, size) <= window);
  }

  canDrop(): boolean {
    return planDrop(this.context.items, this.log.tree.pins).length > 0;
  }

  /** Where a compaction would make the context smaller, for a model; null: nowhere. */
  roomCut(model: ModelRef): ReturnType<typeof roomCut> {
    return roomCut({ log: this.log, settings: () => this.settings(), size: () => this.size(model) }, model);
  }

  tellUsage(): void {
    this.tell({ type: 'context_usage', usage: this.usage() });
  }

  tellModel(): void {
    const { model, thinkingLevel } = this.choice;
    this.tell({ type: 'model_changed', model, thinkingLevel });
    this.tellUsage();
  }

  /** Extensions hear of another model. */
  tellModelSelected(previous: ModelRef, ref: ModelRef): void {
    const model = this.models.find(ref);
    if (!model || sameModel(previous, ref)) return;
    this.events.tell('model_select', () => ({ model, previousModel: this.models.find(previous), source: 'set' }));
  }

  tellLevelSelected(level: string, previousLevel: string): void {
    if (level !== previousLevel) this.events.tell('thinking_level_select', () => ({ level, previousLevel }));
  }

  setFailure(failure: Failure | null): void {
    const { state } = this.keeper;
    const isTold = failure !== null || state.summaryFailure?.reason !== 'overflow';
    if (failure !== state.failure || !isTold) this.tell({ type: 'failure', failure });
  }

  showInterrupted({ neverBegan, edits }: Pick<LeftBehind, 'neverBegan' | 'edits'>): void {
    this.tell({ type: 'turn_interrupted', neverBegan, edits });
  }

  /** The command that runs in place of a call's is in the journal before it runs (SF11). @throws StorageError */
  private async keepEdit(callId: string, command: string): Promise<void> {
    const [record] = await this.log.append([editedDraft(callId, command)]);
    if (record) this.tell({ type: 'tool_edited', toolCallId: shownCallId(callId), entryId: record.entry.id });
  }

  /** `setFailure`, also where the last turn is shown as interrupted: that holds no longer. */
  forgetTurn(failure: Failure | null): void {
    // Ids of calls are used again: what was noted of them was of the reply that was the newest.
    const { interrupted, edits } = this.shown;
    if (interrupted || Object.keys(edits).length > 0) this.tell({ type: 'failure', failure: null });
    this.setFailure(failure);
    this.slot.refresh();
  }
}
