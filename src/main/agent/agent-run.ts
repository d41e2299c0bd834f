import { isRecord } from '@shared/checks';
import type { Failure, QueueItem } from '@shared/types';
import type { AssistantMessage as StoredReply, EntryDraft, SessionMessage } from '@shared/session/records/entry';
import {
  isStoppedByPerson,
  NEVER_BEGAN,
  noSuchTool,
  STOPPED_BEFORE_CALL,
  withOutcome,
  type BlockedCall,
} from '@shared/policy/call-outcome';
import { loadAgentCore } from '../pi/pi';
import type {
  AgentEvent,
  AgentLoopConfig,
  AgentMessage,
  AgentTool,
  AssistantMessage,
  BeforeToolCallContext,
  BeforeToolCallResult,
  Message,
  ToolResultMessage,
  UserMessage,
} from '../pi/pi-types';
import { CallOutcomes, type RepeatGuard } from './run-calls';
import { NO_REPLY, type Gate } from './gate';
import type { CustomMessage } from '../extensions/run-events';
import { RunExtensions } from './run-extensions';
import type { CustomDraft, RoomMaker, RunScope, RunTools } from './run-scope';
import { sealVerdict } from './stream/assistant-stream';
import { reasonOf } from './stream/seal-tool-calls';
import { refusalOfResult } from './message-limits';
import { branchDrafts } from '@shared/session/tree/drafts';
import { toUserMessage } from '@shared/session/records/message-text';

/** What all runs of a session go through. */
export interface RunParts {
  gate: Gate;
  auto: RoomMaker;
  /** Ends a run that goes round in circles after a compaction. */
  repeats: RepeatGuard;
}

export type RunEnd =
  | { kind: 'finished'; reply: AssistantMessage | null }
  | { kind: 'failed'; reply: AssistantMessage }
  /** Nothing went out; `oversize` if the context is over the window, which the person may overrule (TG6). */
  | { kind: 'notSent'; failure: Failure; oversize: boolean }
  | { kind: 'stopped' }
  /** The model made the same call with the same result again and again (TG17). */
  | { kind: 'stuck' }
  /** An entry could not be stored; `unsaved` holds what the person has already seen. */
  | { kind: 'unsaved'; error: unknown; unsaved: EntryDraft[] };

/** The loop refuses to continue from a reply; the gate builds the real context (AG5). */
const STAND_IN: UserMessage = { role: 'user', content: 'continue', timestamp: 0 };

/** One call of pi-agent-core's loop functions: a prompt or a continuation, until the loop ends. Use once. */
export class AgentRun {
  private readonly items = new WeakMap<AgentMessage, QueueItem>();
  private readonly inFlight = new Set<string>();
  private last: AssistantMessage | null = null;
  private readonly outcomes = new CallOutcomes();
  /** What the calls of the last reply were made with, by their ids. */
  private arguments = new Map<string, unknown>();
  private refused: AssistantMessage | null = null;
  /** What extensions say with the first message. */
  private opening: readonly EntryDraft[] = [];
  private unsaved: EntryDraft[] = [];
  /** Results since the stop: they are stored in one write. */
  private readonly held: ToolResultMessage[] = [];
  private polled = false;
  private readonly extensions: RunExtensions;
  /** What calls of the turn had to do with: paths as they were given. */
  private readonly touched: string[] = [];

  constructor(
    private readonly scope: RunScope,
    private readonly parts: RunParts,
    private readonly tools: RunTools,
    private readonly signal: AbortSignal,
    private readonly onReply: (reply: AssistantMessage) => void,
  ) {
    this.extensions = new RunExtensions(scope.events, signal);
  }

  /** True while the item is on its way into the session: too late to take it back. */
  isDelivering(itemId: string): boolean {
    return this.inFlight.has(itemId);
  }

  /** Runs from `first`, or goes on from the leaf if it is null. Never rejects for what can go wrong outside. */
  async start(first: QueueItem | null, opening: readonly EntryDraft[] = []): Promise<RunEnd> {
    this.opening = opening;
    const { runAgentLoop, runAgentLoopContinue } = await loadAgentCore();
    const { gate } = this.parts;
    const context = { systemPrompt: '', messages: [] as AgentMessage[], tools: this.timed(this.tools.tools) };
    const emit = (event: AgentEvent): Promise<void> => this.handle(event);
    try {
      if (first) {
        // Steering that came meanwhile waits for this message's own reply: each is the last of its request (QU2).
        this.polled = false;
        await runAgentLoop([this.toMessage(first)], context, this.config(), emit, this.signal, gate.streamFn);
      } else {
        this.polled = true;
        const standIn = { ...context, messages: [STAND_IN as AgentMessage] };
        await runAgentLoopContinue(standIn, this.config(), emit, this.signal, gate.streamFn);
      }
    } catch (error) {
      return { kind: 'unsaved', error, unsaved: this.unsaved };
    }
    return this.end();
  }

  /** The loop tells that a call starts before the person is asked about it. */
  private timed(tools: readonly AgentTool[]): AgentTool[] {
    return tools.map((tool) => ({
      ...this.checked(tool),
      execute: (toolCallId, ...rest) => {
        this.scope.live.runTool(toolCallId);
        return this.outcomes.watch(toolCallId, tool.execute(toolCallId, ...rest));
      },
    }));
  }

  /** As its arguments are checked on this thread. */
  private checked(tool: AgentTool): AgentTool {
    const parameters = this.tools.checkedBy?.(tool.name);
    return parameters ? { ...tool, parameters } : tool;
  }

  private end(): RunEnd {
    if (this.signal.aborted) return { kind: 'stopped' };
    const refusal = this.refused && this.parts.gate.refusalOf(this.refused);
    if (refusal) return { kind: 'notSent', ...refusal };
    if (this.parts.repeats.isStuck) return { kind: 'stuck' };
    if (this.last?.stopReason === 'error') return { kind: 'failed', reply: this.last };
    if (this.last?.stopReason === 'aborted') return { kind: 'stopped' };
    return { kind: 'finished', reply: this.last };
  }

  private config(): AgentLoopConfig {
    return {
      model: NO_REPLY,
      convertToLlm: (): Message[] => [],
      beforeToolCall: (context, signal) => this.beforeToolCall(context, signal),
      afterToolCall: async (context, signal) =>
        this.extensions.afterCall(context, await this.tools.afterToolCall?.(context, signal)),
      getSteeringMessages: async () => this.takeSteering(),
      getFollowUpMessages: async () => this.fetch(),
      shouldStopAfterTurn: ({ toolResults }) =>
        this.signal.aborted || this.parts.repeats.isStuck || this.extensions.endsRun(toolResults),
    };
  }

  private takeSteering(): AgentMessage[] {
    const atStart = !this.polled;
    this.polled = true;
    return atStart ? [] : this.fetch('steer');
  }

  /** What extensions say comes first: what the person said is the last of its request (QU2). */
  private fetch(mode?: QueueItem['mode']): AgentMessage[] {
    if (this.signal.aborted) return [];
    const item = this.scope.queue.next(mode);
    const said = takeFrom(
      this.scope.outbox,
      ({ mode: its }) => its !== 'turnEnd' && (mode === undefined || its === mode),
    );
    return [...said.map(({ draft }) => this.customMessage(draft)), ...(item ? [this.toMessage(item)] : [])];
  }

  private customMessage({ customType, content, display, details }: CustomDraft): AgentMessage {
    const message = { role: 'custom', customType, content, display, details, timestamp: this.scope.now() };
    return message as unknown as AgentMessage;
  }

  private toMessage(item: QueueItem): AgentMessage {
    const message = toUserMessage(item, this.scope.now()) as UserMessage;
    this.items.set(message, item);
    this.inFlight.add(item.id);
    return message;
  }

  private get isStopped(): boolean {
    return isStoppedByPerson(this.signal);
  }

  private async beforeToolCall(
    context: BeforeToolCallContext,
    signal?: AbortSignal,
  ): Promise<BeforeToolCallResult | undefined> {
    const { id } = context.toolCall;
    const blocked = await this.outcomes.watch(id, this.blocked(context, signal));
    if (blocked) this.outcomes.note(id, blocked.outcome);
    return blocked;
  }

  private blocked(context: BeforeToolCallContext, signal?: AbortSignal): Promise<BlockedCall | undefined> {
    const unmade = (reason: string) => Promise.resolve({ block: true, reason, outcome: 'notRun' } as const);
    if (signal?.aborted) return unmade(this.isStopped ? STOPPED_BEFORE_CALL : NEVER_BEGAN);
    const verdict = sealVerdict(context.assistantMessage, context.toolCall.id);
    return verdict.ok ? this.asked(context, signal) : unmade(reasonOf(verdict.reason));
  }

  /** Extensions first: the person is asked about what will run. */
  private async asked(context: BeforeToolCallContext, signal?: AbortSignal): Promise<BlockedCall | undefined> {
    const tool = this.tools.tools.find(({ name }) => name === context.toolCall.name);
    return (
      (await this.extensions.beforeCall(context, tool && this.checked(tool), signal)) ??
      this.tools.beforeToolCall(context, signal)
    );
  }

  private async handle(event: AgentEvent): Promise<void> {
    this.extensions.before(event);
    await this.take(event);
    this.extensions.after(event);
  }

  private async take(event: AgentEvent): Promise<void> {
    const { live } = this.scope;
    switch (event.type) {
      case 'message_update':
        return live.update(event.assistantMessageEvent);
      case 'message_end':
        return this.record(event.message);
      case 'tool_execution_start':
        // What a stop has kept from being made does not run.
        return this.signal.aborted ? undefined : live.startTool(event.toolCallId, event.toolName);
      case 'turn_end': {
        await this.recordResults(this.held.splice(0));
        await this.tellGuidance();
        const said = takeFrom(this.scope.outbox, ({ mode }) => mode === 'turnEnd');
        if (said.length > 0) await this.scope.log.append(said.map(({ draft }) => draft));
        return;
      }
      default:
        return;
    }
  }

  private async record(ended: AgentMessage): Promise<void> {
    const message = await this.extensions.messageEnd(ended);
    switch (message.role) {
      case 'user':
        return this.recordUser(message, this.items.get(ended));
      case 'assistant':
        return this.recordReply(message);
      case 'toolResult':
        // After a stop all calls of the reply end at once, and there may be thousands.
        if (this.signal.aborted) this.held.push(message);
        return this.signal.aborted ? Promise.resolve() : this.recordResults([message]);
      default:
        return this.recordCustom(message as unknown as CustomMessage);
    }
  }

  private async recordCustom({ customType, content, display, details }: CustomMessage): Promise<void> {
    const kept = details === undefined ? {} : { details };
    await this.scope.log.append([{ type: 'custom_message', customType, content, display, ...kept }]);
  }

  private async recordUser(message: UserMessage, item: QueueItem | undefined): Promise<void> {
    const { log, queue, choice, costs, putBack } = this.scope;
    this.parts.repeats.disarm();
    try {
      const said: EntryDraft = { type: 'message', id: item?.id, message: message as SessionMessage };
      const begins = item ? branchDrafts(log.tree, item.id, putBack.versionOf(item, log.tree.leafId)) : [];
      await costs.with((owed) => log.append([...owed, ...begins, ...choice.opening(), ...this.opening, said]));
      this.opening = [];
      if (item) await queue.delivered(item.id);
    } finally {
      if (item) this.inFlight.delete(item.id);
    }
  }

  private async recordReply(message: AssistantMessage): Promise<void> {
    const { gate } = this.parts;
    const { live, choice } = this.scope;
    if (gate.isMadeUp(message)) {
      this.refused = message;
      live.endReply(null);
      return;
    }
    this.last = message;
    const calls = message.content.filter((block) => block.type === 'toolCall');
    this.arguments = new Map(calls.map((call) => [call.id, call.arguments]));
    if (isEmptyReply(message) && this.followsEmptyReply()) {
      live.endReply(null);
    } else {
      const draft: EntryDraft = { type: 'message', message: message as SessionMessage };
      const entryId = await this.append(gate.replacedBy(message), draft, choice.takePending());
      live.endReply(entryId);
    }
    this.onReply(message);
  }

  private async recordResults(results: readonly ToolResultMessage[]): Promise<void> {
    if (results.length === 0) return;
    // In place: what the model is sent is what the file has.
    const names = this.tools.tools.map(({ name }) => name);
    for (const result of results) {
      const isKnown = names.includes(result.toolName);
      if (!isKnown) tellNoSuchTool(result, names);
      const outcome = isKnown ? this.outcomes.of(result) : 'notRun';
      cutResult(result);
      result.details = withOutcome(result.details, outcome);
    }
    const [first, ...rest] = results.map((message): EntryDraft => ({
      type: 'message',
      message: { ...message, ...(this.isStopped && { espalier: { stopped: true } }) } as SessionMessage,
    }));
    if (first) await this.append([], first, rest);
    for (const { toolName, toolCallId, content, isError } of results) {
      const args = this.arguments.get(toolCallId) ?? null;
      this.parts.repeats.note(toolName, args, content);
      if (!isError && FILE_TOOLS.has(toolName)) this.touched.push(pathOf(args));
      this.scope.live.endTool(toolCallId, isError);
    }
  }

  /** Behind all results of a turn: calls and results stand together. */
  private async tellGuidance(): Promise<void> {
    const files = this.touched.splice(0);
    if (this.signal.aborted) return;
    const [first, ...rest] = await this.scope.guidanceBehind(files);
    if (first) await this.append([], first, rest);
  }

  private async append(before: EntryDraft[], draft: EntryDraft, after: EntryDraft[]): Promise<string | null> {
    const drafts = [...before, draft, ...after];
    try {
      const records = await this.scope.log.append(drafts);
      return records[before.length]?.entry.id ?? null;
    } catch (error) {
      this.unsaved = drafts;
      throw error;
    }
  }

  /** At most one empty zero-usage reply in a row is stored (AG4). */
  private followsEmptyReply(): boolean {
    const { tree } = this.scope.log;
    const leaf = tree.leafId === null ? undefined : tree.node(tree.leafId);
    if (leaf?.facts.role !== 'assistant' || leaf.facts.raw > 0 || leaf.facts.calls) return false;
    return leaf.facts.reply?.usageTokens === 0;
  }
}

/** Takes those out of a list that fit. */
function takeFrom<T>(list: T[], fits: (item: T) => boolean): T[] {
  const taken = list.filter(fits);
  if (taken.length > 0) list.splice(0, list.length, ...list.filter((item) => !taken.includes(item)));
  return taken;
}

/** Tools of which one argument is the file or folder that they are about. */
const FILE_TOOLS = new Set(['read', 'write', 'edit', 'ls', 'grep', 'find']);

function pathOf(args: unknown): string {
  return isRecord(args) && typeof args.path === 'string' ? args.path : '.';
}

/** The loop has its own words for a tool that it doesn't find; ours say what there is, and are known again (`endOfCall`). */
function tellNoSuchTool(message: ToolResultMessage, names: readonly string[]): void {
  message.content = [{ type: 'text', text: noSuchTool(message.toolName, names) }];
  message.details = undefined;
  message.isError = true;
}

/** A result that no session can keep (docs/specs/safety.md A7) becomes one that says so. */
function cutResult(message: ToolResultMessage): void {
  const refusal = refusalOfResult(message);
  if (refusal === null) return;
  message.content = [{ type: 'text', text: refusal }];
  message.details = undefined;
  message.isError = true;
}

function isEmptyReply(message: AssistantMessage): boolean {
  const { usage, content } = message as StoredReply;
  const tokens = usage.totalTokens ?? 0;
  if (tokens + usage.input + usage.output + usage.cacheRead + usage.cacheWrite > 0) return false;
  return content.every(
    (block) => block.type !== 'toolCall' && (block.type === 'text' ? block.text : block.thinking) === '',
  );
}
