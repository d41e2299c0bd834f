import type {
  AssistantMessage,
  LlmMessage,
  ProjectedMessage,
  ToolCallBlock,
  ToolResultMessage,
} from '@shared/session/records/entry';
import { blocksOf, isImage, isText, textOf } from '@shared/session/records/message-text';
import { type SummaryFrames, toLlmMessage } from '@shared/session/messages/projection';
import { INTERRUPTED_RESULT } from '@shared/session/messages/sanitizer';

/** The messages of a context as a provider is sent them, made from scratch: in its words, then sanitized. O(messages). */
export function toProviderMessages(messages: readonly ProjectedMessage[], frames: SummaryFrames): LlmMessage[] {
  const sent: LlmMessage[] = [];
  for (const message of messages) {
    const translated = toLlmMessage(message, frames);
    if (translated) sent.push(translated);
  }
  return sanitize(sent);
}

/** A reply with its calls and the results that belong to it. */
interface ReplyGroup {
  index: number;
  calls: ToolCallBlock[];
  results: ToolResultMessage[];
  answered: Set<ToolCallBlock>;
}

/**
 * The sanitizing pass (CX8 to CX11): failed replies cleaned or dropped, every call answered exactly once directly behind its
 * reply, no result without its call, nothing empty. The given messages are not changed. O(messages).
 */
function sanitize(messages: readonly LlmMessage[]): LlmMessage[] {
  const groups = groupResults(messages);
  const owned = new Set<LlmMessage>();
  for (const group of groups.values()) for (const result of group.results) owned.add(result);
  const clean: LlmMessage[] = [];
  messages.forEach((message, index) => {
    if (message.role === 'toolResult') return;
    if (message.role === 'user') {
      if (!isEmpty(message)) clean.push(message);
      return;
    }
    const group = groups.get(index);
    if (!group) return;
    const reply = isFailed(message) ? repairFailed(message, group, messages, owned) : message;
    if (!reply || isEmpty(reply)) return;
    clean.push(reply);
    clean.push(...group.results);
    if (isFailed(message)) return;
    for (const call of group.calls) {
      if (!group.answered.has(call)) clean.push(interrupted(call, reply));
    }
  });
  return clean;
}

function isFailed(reply: AssistantMessage): boolean {
  return reply.stopReason === 'error' || reply.stopReason === 'aborted';
}

/** Gives each result to the nearest earlier open call with its id; results without one belong to no group. */
function groupResults(messages: readonly LlmMessage[]): Map<number, ReplyGroup> {
  const groups = new Map<number, ReplyGroup>();
  const open = new Map<string, { group: ReplyGroup; calls: ToolCallBlock[] }[]>();
  messages.forEach((message, index) => {
    if (message.role === 'assistant') {
      const calls = callsOf(message);
      const group: ReplyGroup = { index, calls, results: [], answered: new Set() };
      groups.set(index, group);
      for (const call of calls) openCall(open, group, call);
    } else if (message.role === 'toolResult') {
      const replies = open.get(textOf(message.toolCallId));
      const nearest = replies?.at(-1);
      const call = nearest?.calls.shift();
      if (!replies || !nearest || !call) return;
      nearest.group.results.push(message);
      nearest.group.answered.add(call);
      if (nearest.calls.length === 0) replies.pop();
    }
  });
  return groups;
}

type OpenCalls = Map<string, { group: ReplyGroup; calls: ToolCallBlock[] }[]>;

function openCall(open: OpenCalls, group: ReplyGroup, call: ToolCallBlock): void {
  const replies = open.get(call.id) ?? [];
  open.set(call.id, replies);
  const last = replies.at(-1);
  if (last?.group === group) last.calls.push(call);
  else replies.push({ group, calls: [call] });
}

function callsOf(message: AssistantMessage): ToolCallBlock[] {
  return blocksOf(message.content).filter((block): block is ToolCallBlock => block.type === 'toolCall');
}

/** Step 1: a failed reply without unanswered calls and thinking, or null if it has to go, its results with it. */
function repairFailed(
  reply: AssistantMessage,
  group: ReplyGroup,
  messages: readonly LlmMessage[],
  owned: ReadonlySet<LlmMessage>,
): AssistantMessage | null {
  const follower = followerOf(messages, group.index, owned);
  if (!follower || follower.role === 'assistant') return null;
  const content = reply.content.filter(
    (block) => block.type !== 'thinking' && (block.type !== 'toolCall' || group.answered.has(block)),
  );
  const hasCalls = content.some((block) => block.type === 'toolCall');
  if (!hasCalls && isEmpty({ ...reply, content })) return null;
  const { errorMessage: _, ...rest } = reply;
  return { ...rest, content, stopReason: hasCalls ? 'toolUse' : 'stop' };
}

/** What follows a reply in what is sent: empty messages and results that are dropped do not count. */
function followerOf(
  messages: readonly LlmMessage[],
  index: number,
  owned: ReadonlySet<LlmMessage>,
): LlmMessage | undefined {
  for (let i = index + 1; i < messages.length; i++) {
    const message = messages[i] as LlmMessage;
    if (message.role === 'assistant') return message;
    if (message.role === 'toolResult' ? owned.has(message) : !isEmpty(message)) return message;
  }
  return undefined;
}

/** Nothing that a provider accepts as content: no image, no call, no text but blanks. Thinking alone says nothing. */
function isEmpty(message: LlmMessage): boolean {
  return !blocksOf(message.content).some(
    (block) => isImage(block) || block.type === 'toolCall' || (isText(block) && block.text.trim() !== ''),
  );
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
