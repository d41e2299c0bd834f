import type { CallEnd } from '../policy/call-outcome';
import type { ProjectedMessage, ToolResultMessage } from '../session/records/entry';
import { blocksOf, textOf } from '../session/records/message-text';
import type { PlanItem } from '../session/messages/plan-item';

/** What became of the call that a result answers. */
export type EndOf = (result: ToolResultMessage) => CallEnd;

/** A call of a reply. `number`: its place in a reply of several, from 1. */
export interface ReplyCall {
  id: string;
  name: string;
  arguments: unknown;
  number: number | null;
}

/** The calls of a message in their order; none of one that is no reply. */
export function callsOf(message: ProjectedMessage): ReplyCall[] {
  if (message.role !== 'assistant' || !('content' in message)) return [];
  const blocks = blocksOf(message.content).filter((block) => block.type === 'toolCall');
  return blocks.map((block, index) => ({
    id: textOf(block.id),
    name: textOf(block.name),
    arguments: block.arguments,
    number: blocks.length > 1 ? index + 1 : null,
  }));
}

/** A call with its result; `result` is null where none was found: what became of the call is not known then, unless its reply was cut off. */
export interface AnsweredCall extends ReplyCall {
  result: ToolResultMessage | null;
}

/** The calls of a reply with the results among the messages behind it; the first result with its id is a call's. O(messages). */
export function answeredCalls(reply: ProjectedMessage, behind: readonly ProjectedMessage[]): AnsweredCall[] {
  const open = new Map<string, ToolResultMessage[]>();
  for (const message of behind) {
    if (!isResult(message)) continue;
    const id = textOf(message.toolCallId);
    const results = open.get(id);
    if (results) results.push(message);
    else open.set(id, [message]);
  }
  // Not by `shift`: of many results with one id it moves all that are left.
  const taken = new Map<string, number>();
  return callsOf(reply).map((call) => {
    const at = taken.get(call.id) ?? 0;
    taken.set(call.id, at + 1);
    return { ...call, result: open.get(call.id)?.[at] ?? null };
  });
}

/** Whether the reply of a message broke off: its calls without a result were never made. */
export function isCutOff(message: ProjectedMessage): boolean {
  const stopReason = 'stopReason' in message ? message.stopReason : undefined;
  return stopReason === 'error' || stopReason === 'aborted' || stopReason === 'length';
}

/** True for the result of a call. */
export function isResult(message: ProjectedMessage): message is ToolResultMessage {
  return message.role === 'toolResult';
}

/**
 * Parts messages into groups: a reply with all up to its last result, or one message alone. What is told of a call depends on its
 * result, and that of a result on its call.
 */
export class MessageGroups<T> {
  #open: T[] = [];
  /** Calls without a result by their ids, which may be there twice. */
  #unanswered = new Map<string, number>();

  constructor(private readonly messageOf: (item: T) => ProjectedMessage) {}

  /** Takes the next item in path order; returns the groups that it ends. */
  add(item: T): T[][] {
    const message = this.messageOf(item);
    const calls = callsOf(message);
    if (message.role === 'assistant') {
      const ended = this.end();
      if (calls.length === 0) return [...ended, [item]];
      this.#open = [item];
      for (const { id } of calls) this.#unanswered.set(id, (this.#unanswered.get(id) ?? 0) + 1);
      return ended;
    }
    if (this.#open.length === 0) return [[item]];
    this.#open.push(item);
    if (isResult(message)) this.#answer(textOf(message.toolCallId));
    return this.#unanswered.size === 0 ? this.end() : [];
  }

  #answer(id: string): void {
    const left = (this.#unanswered.get(id) ?? 0) - 1;
    if (left > 0) this.#unanswered.set(id, left);
    else this.#unanswered.delete(id);
  }

  /** The group that is still open, if any: nothing more comes. */
  end(): T[][] {
    const last = this.#open;
    this.#open = [];
    this.#unanswered.clear();
    return last.length > 0 ? [last] : [];
  }
}

/** For each item that is a result the place of the nearest earlier item that made its call; -1 where there is none. O(items + calls). */
export function callersOf(items: readonly PlanItem[]): number[] {
  const callers = new Map<string, number>();
  return items.map(({ node: { facts } }, at) => {
    for (const id of facts.calls ?? []) callers.set(id, at);
    return facts.answers === undefined ? -1 : (callers.get(facts.answers) ?? -1);
  });
}

/** Calls of one item of which the items behind it don't tell, or only later. */
export interface UntoldCalls {
  /** Ids of those that no later item answers. */
  open: readonly string[];
  /** Ids of those whose results came after another reply (CX9). */
  late: readonly string[];
}

/** By its place, each item that makes such calls. O(items + calls). */
export function untoldCallsIn(items: readonly PlanItem[]): ReadonlyMap<number, UntoldCalls> {
  const answers = new Map<number, string[]>();
  const late = new Map<number, string[]>();
  let reply = -1;
  callersOf(items).forEach((caller, at) => {
    const { facts } = items[at]?.node ?? {};
    if (facts?.role === 'assistant') reply = at;
    if (facts?.answers === undefined || caller < 0) return;
    note(answers, caller, facts.answers);
    if (caller !== reply) note(late, caller, facts.answers);
  });
  const found = new Map<number, UntoldCalls>();
  items.forEach(({ node: { facts } }, at) => {
    if (!facts.calls) return;
    const known = answers.get(at) ?? [];
    // Nearly always a reply with one call, which the next item answers.
    const isWhole = facts.calls.length === 1 && known.length > 0;
    const answered = isWhole ? null : new Set(known);
    const open = answered ? facts.calls.filter((id) => !answered.has(id)) : [];
    const came = late.get(at) ?? [];
    if (open.length > 0 || came.length > 0) found.set(at, { open, late: came });
  });
  return found;
}

function note(all: Map<number, string[]>, at: number, id: string): void {
  const known = all.get(at);
  if (known) known.push(id);
  else all.set(at, [id]);
}

/** The calls of a reply from the one on that is known not to have begun (AG11). @param first null: nothing is known */
export function fromFirstUnbegun(calls: readonly string[], first: string | null): ReadonlySet<string> {
  const at = first === null ? -1 : calls.lastIndexOf(first);
  return new Set(at < 0 ? [] : calls.slice(at));
}
