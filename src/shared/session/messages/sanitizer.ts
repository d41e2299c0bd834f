import type {
  AssistantMessage,
  LlmMessage,
  ProjectedMessage,
  ToolCallBlock,
  ToolResultMessage,
} from '../records/entry';
import { blocksOf, isImage, isText, textOf } from '../records/message-text';
import { type SummaryFrames, toLlmMessage } from './projection';

/** Text of the result that stands for a call nobody answered (CX10). */
export const INTERRUPTED_RESULT = 'No result: the call was interrupted.';

/** A result, the number of the message that it is, and the place of its call among those of the reply. */
interface Answer {
  message: ToolResultMessage;
  from: number;
  call: number;
}

/** A reply whose place in what is sent is not settled yet, or that has calls which nobody answered. */
interface Group {
  /** Number of the reply among the messages taken. */
  at: number;
  reply: AssistantMessage;
  calls: ToolCallBlock[];
  /** By place among the calls: whether a result came for it. */
  isAnswered: boolean[];
  /** Results that came before the next reply or user message. */
  answers: Answer[];
  isFailed: boolean;
  /** What follows a failed reply in what is sent: nothing yet, its retry, or something else. */
  follower: 'none' | 'retry' | 'other';
}

/**
 * The sanitizing pass (CX8 to CX11), taking the messages of a context one by one: failed replies cleaned or dropped, every call
 * answered exactly once directly behind its reply, no result without its call, nothing empty. The messages are not changed.
 *
 * What is sent for a message depends on what comes after it in two cases only: for the last reply, which is written again when
 * more comes, and for a reply whose result comes after others have spoken. The second is not seen in what the app writes; then
 * everything is taken once more, with the result where it belongs (`isStale`, `restart`).
 *
 * Most messages come in order; for them there are entrances that need not look at the message (`takeUser` to `takeResult`).
 */
export class Sanitizer {
  /** What is sent, after `settle`. */
  readonly sent: LlmMessage[] = [];
  /** By place in `sent`: the number of the message that it was made of; empty unless it is traced. */
  readonly from: number[] = [];
  /** A result came for an earlier reply: `restart`, and take everything again. */
  isStale = false;
  private taken = 0;
  /** The last reply, if it is not settled. */
  private tail: Group | null = null;
  /** What `sent` holds beyond this was written for `tail` as it stood; -1: nothing. */
  private provisional = -1;
  /** Place of the last reply if it was taken in order and nothing but its results came after it, else -1. */
  private quickAt = -1;
  private quickNumber = 0;
  private quickStart = 0;
  private quickLeft = 0;
  /** Replies with unanswered calls by call id, the nearest last. */
  private readonly open = new Map<string, Group[]>();
  /** Results that came late, by the number of their reply. */
  private readonly late = new Map<number, Answer[]>();
  private readonly isLate = new Set<number>();

  /** @param isTraced keeps `from` */
  constructor(private readonly isTraced = false) {}

  /** Takes everything again; what is known of late results stays. */
  restart(): void {
    this.isStale = false;
    this.taken = 0;
    this.tail = null;
    this.provisional = -1;
    this.quickAt = -1;
    this.open.clear();
    this.cut(0);
  }

  /** To be called before more is taken. */
  resume(): void {
    if (this.provisional < 0) return;
    this.cut(this.provisional);
    this.provisional = -1;
  }

  /** Writes the last reply as it is to be sent if nothing more comes. */
  settle(): void {
    this.thaw();
    if (!this.tail) return;
    this.provisional = this.sent.length;
    this.write(this.tail);
  }

  /** Takes any message. */
  take(message: LlmMessage): void {
    if (message.role === 'toolResult') return this.takeAnswer(message);
    if (message.role === 'user') return isEmpty(message) ? this.skip() : this.takeUser(message);
    this.close('retry');
    const at = this.taken++;
    const isFailed = isFailedStop(message.stopReason);
    if (!isFailed && isEmpty(message)) return;
    this.tail = groupOf(at, message, isFailed);
  }

  /** A message that is not sent at all. */
  skip(): void {
    this.taken++;
  }

  /** A user message that is not empty. */
  takeUser(message: LlmMessage): void {
    this.close('other');
    this.push(message, this.taken++);
  }

  /** A reply that did not fail, is not empty and has no calls. */
  takeReply(message: LlmMessage): void {
    this.close('retry');
    this.push(message, this.taken++);
  }

  /**
   * A reply that did not fail, with calls whose ids differ.
   * @param place any number that names it for `takeResult`, 0 or more
   */
  takeCalls(message: LlmMessage, place: number, calls: number): void {
    this.close('retry');
    this.quickAt = place;
    this.quickNumber = this.taken++;
    this.quickStart = this.sent.length;
    this.quickLeft = calls;
    this.push(message, this.quickNumber);
  }

  /** A result; `reply` names the reply of which it answers a call first, -1 if there is none before the next other message. */
  takeResult(message: LlmMessage, reply: number): void {
    if (this.quickAt < 0 || reply !== this.quickAt || this.quickLeft === 0) return this.take(message);
    this.quickLeft--;
    this.push(message, this.taken++);
  }

  private takeAnswer(message: ToolResultMessage): void {
    this.thaw();
    const { tail } = this;
    const from = this.taken++;
    const id = textOf(message.toolCallId);
    const call = tail ? unansweredCall(tail, id) : -1;
    if (tail && call >= 0) {
      tail.isAnswered[call] = true;
      tail.answers.push({ message, from, call });
      this.follow('other');
      return;
    }
    const groups = this.open.get(id);
    const nearest = groups?.at(-1);
    if (!groups || !nearest) return;
    this.follow('other');
    const lateCall = unansweredCall(nearest, id);
    nearest.isAnswered[lateCall] = true;
    if (unansweredCall(nearest, id) < 0) groups.pop();
    if (this.isLate.has(from)) return;
    this.isLate.add(from);
    const known = this.late.get(nearest.at) ?? [];
    this.late.set(nearest.at, known);
    known.push({ message, from, call: lateCall });
    this.isStale = true;
  }

  /** What follows the last reply is known once; a failed one is kept or dropped by it. */
  private follow(how: 'retry' | 'other'): void {
    if (this.tail?.follower === 'none') this.tail.follower = how;
  }

  /** Another reply or user message comes: the last reply is written, and its unanswered calls stay open for late results. */
  private close(next: 'retry' | 'other'): void {
    if (this.quickAt >= 0 && this.quickLeft === 0) this.quickAt = -1;
    else this.thaw();
    const { tail } = this;
    if (!tail) return;
    this.follow(next);
    this.write(tail);
    this.tail = null;
    tail.calls.forEach((call, index) => {
      if (tail.isAnswered[index]) return;
      const groups = this.open.get(call.id) ?? [];
      this.open.set(call.id, groups);
      if (groups.at(-1) !== tail) groups.push(tail);
    });
  }

  /** Turns the last reply, if it was taken in order, into one that any result may come for. */
  private thaw(): void {
    if (this.quickAt < 0) return;
    this.quickAt = -1;
    if (this.quickLeft === 0) return;
    const start = this.quickStart;
    const tail = groupOf(this.quickNumber, this.sent[start] as AssistantMessage, false);
    for (let place = start + 1; place < this.sent.length; place++) {
      const message = this.sent[place] as ToolResultMessage;
      const call = unansweredCall(tail, textOf(message.toolCallId));
      tail.isAnswered[call] = true;
      tail.answers.push({ message, from: this.from[place] ?? -1, call });
    }
    this.cut(start);
    this.tail = tail;
  }

  private write(group: Group): void {
    const answers = [...group.answers, ...(this.late.get(group.at) ?? [])];
    const isAnswered = (call: number): boolean => answers.some((answer) => answer.call === call);
    const reply = group.isFailed ? repaired(group, isAnswered) : group.reply;
    if (!reply || isEmpty(reply)) return;
    this.push(reply, group.at);
    for (const { message, from } of answers) this.push(message, from);
    if (group.isFailed) return;
    group.calls.forEach((call, index) => {
      if (!isAnswered(index)) this.push(interrupted(call, reply), group.at);
    });
  }

  private push(message: LlmMessage, from: number): void {
    this.sent.push(message);
    if (this.isTraced) this.from.push(from);
  }

  private cut(length: number): void {
    this.sent.length = length;
    if (this.isTraced) this.from.length = length;
  }
}

function groupOf(at: number, reply: AssistantMessage, isFailed: boolean): Group {
  const calls = callsOf(reply);
  return { at, reply, calls, isAnswered: calls.map(() => false), answers: [], isFailed, follower: 'none' };
}

/** Place of the first call with an id that nobody answered; -1 if there is none. */
function unansweredCall({ calls, isAnswered }: Group, id: string): number {
  for (let call = 0; call < calls.length; call++) if (!isAnswered[call] && calls[call]?.id === id) return call;
  return -1;
}

/** A failed reply without unanswered calls and thinking, or null if it has to go, its results with it (CX8). */
function repaired({ reply, calls, follower }: Group, isAnswered: (call: number) => boolean): AssistantMessage | null {
  if (follower !== 'other') return null;
  const content = reply.content.filter(
    (block) => block.type !== 'thinking' && (block.type !== 'toolCall' || isAnswered(calls.indexOf(block))),
  );
  const hasCalls = content.some((block) => block.type === 'toolCall');
  if (!hasCalls && isEmpty({ ...reply, content })) return null;
  const { errorMessage: _, ...rest } = reply;
  return { ...rest, content, stopReason: hasCalls ? 'toolUse' : 'stop' };
}

function interrupted(call: ToolCallBlock, reply: AssistantMessage): ToolResultMessage {
  return {
    role: 'toolResult',
    toolCallId: call.id,
    toolName: call.name,
    content: [{ type: 'text', text: INTERRUPTED_RESULT }],
    isError: true,
    timestamp: reply.timestamp,
  };
}

/** The calls of a reply, in order. */
export function callsOf(message: AssistantMessage): ToolCallBlock[] {
  return blocksOf(message.content).filter((block): block is ToolCallBlock => block.type === 'toolCall');
}

/** True for a reply that ended in an error or was aborted. */
export function isFailedStop(stopReason: unknown): boolean {
  return stopReason === 'error' || stopReason === 'aborted';
}

/** Nothing that a provider accepts as content: no image, no call, no text but blanks. Thinking alone says nothing (CX11). */
export function isEmpty(message: LlmMessage): boolean {
  return !blocksOf(message.content).some(
    (block) => isImage(block) || block.type === 'toolCall' || (isText(block) && block.text.trim() !== ''),
  );
}

/** A message that is sent, and the entry that it comes from. */
interface Part {
  sourceId: string;
  /** What it is to the session: a provider is sent a summary, and what is pinned, in the role of the person. */
  role: ProjectedMessage['role'] | 'pins';
  message: LlmMessage;
}

/**
 * The messages of a context as a provider is sent them, in its words and sanitized, each with the entry that it comes from; a
 * call's missing result comes from its reply. O(messages). What the session itself sends is kept up to date: `SentContext`.
 */
export function toProviderParts(
  items: readonly { sourceId: string; message: ProjectedMessage; isPins?: boolean }[],
  frames: SummaryFrames,
): Part[] {
  const pass = new Sanitizer(true);
  const messages = items.map(({ message }) => toLlmMessage(message, frames));
  const takeAll = (): void => {
    for (const message of messages) {
      if (message) pass.take(message);
      else pass.skip();
    }
  };
  takeAll();
  if (pass.isStale) {
    pass.restart();
    takeAll();
  }
  pass.settle();
  return pass.sent.map((message, at) => {
    const item = items[pass.from[at] as number];
    const own = item?.isPins ? 'pins' : item?.message.role;
    const role = message.role === 'toolResult' ? message.role : (own ?? message.role);
    return { sourceId: item?.sourceId ?? '', role, message };
  });
}
