import { isRecord } from '@shared/checks';
import type { EntryDraft, ImageBlock } from '@shared/session/records/entry';
import {
  checkContent,
  checkCustomMessage,
  checkInput,
  checkMessages,
  checkReplacement,
  copyOf,
} from './check-run-answers';
import { plainJson } from './check-answers';
import type { BeforeAgentStart, HeardMessage, Input, ToolCalled, ToolResulted } from './run-events';
import type { SessionEvents } from './session-events';

/** Characters of a system prompt that an extension makes: beyond that no window has room. */
const MAX_PROMPT_CHARS = 4_000_000;

/**
 * Where extensions take part in a run. Each chain gives a handler what the one before made of it; what can't be used is
 * reported and left out (EX10). None of these rejects.
 */

/** `input`: what becomes of what was typed. Null: an extension has dealt with it. */
export async function askInput(events: SessionEvents, input: Input): Promise<Pick<Input, 'text' | 'images'> | null> {
  let { text, images } = input;
  for await (const { extensionPath, result } of events.each('input', () => copyOf({ ...input, text, images }))) {
    if (!isRecord(result)) continue;
    if (result.action === 'handled') return null;
    if (result.action !== 'transform') continue;
    const pictures = result.images === undefined ? { ok: true as const, value: images } : checkImages(result.images);
    if (typeof result.text !== 'string') events.report(extensionPath, 'input', 'The transformed text is missing.');
    else if (!pictures.ok) events.report(extensionPath, 'input', `images: ${pictures.problem}.`);
    else {
      text = result.text;
      images = pictures.value;
    }
  }
  return { text, images };
}

function checkImages(given: unknown): { ok: true; value: ImageBlock[] } | { ok: false; problem: string } {
  const checked = checkContent(given);
  if (!checked.ok) return checked;
  const blocks = typeof checked.value === 'string' ? [] : checked.value;
  return { ok: true, value: blocks.filter((block): block is ImageBlock => block.type === 'image') };
}

/** What a run begins with beside what was said. */
export interface RunStart {
  messages: EntryDraft[];
  /** Absent: the ordinary one. */
  systemPrompt?: string;
}

/** `before_agent_start`: messages of extensions, and the system prompt of this run. */
export async function askBeforeStart(
  events: SessionEvents,
  start: BeforeAgentStart,
  signal: AbortSignal,
): Promise<RunStart> {
  const event = 'before_agent_start';
  const made: RunStart = { messages: [] };
  const payload = (): BeforeAgentStart => copyOf({ ...start, systemPrompt: made.systemPrompt ?? start.systemPrompt });
  for await (const { extensionPath, result } of events.each(event, payload, signal)) {
    if (!isRecord(result)) continue;
    const { message, systemPrompt } = result;
    if (message !== undefined && message !== null) {
      const checked = checkCustomMessage(message);
      if (checked.ok) made.messages.push(checked.value);
      else events.report(extensionPath, event, `The message was left out: ${checked.problem}.`);
    }
    if (systemPrompt === undefined || systemPrompt === null) continue;
    if (typeof systemPrompt === 'string' && systemPrompt.length <= MAX_PROMPT_CHARS) made.systemPrompt = systemPrompt;
    else events.report(extensionPath, event, 'systemPrompt is not valid and was left out.');
  }
  return made;
}

/** `context`: the messages of one request. Null: as they were. */
export async function askContext(
  events: SessionEvents,
  messages: readonly HeardMessage[],
  isUsable: (messages: readonly HeardMessage[]) => boolean,
  signal?: AbortSignal,
): Promise<HeardMessage[] | null> {
  let current: readonly HeardMessage[] | null = null;
  const payload = (): { messages: HeardMessage[] } => ({ messages: copyOf([...(current ?? messages)]) });
  for await (const { extensionPath, given, result, failure } of events.each('context', payload, signal)) {
    if (failure !== undefined) continue;
    // As pi's: the list may be returned, or changed where it is.
    const answer = isRecord(result) && result.messages !== undefined ? result.messages : given.messages;
    const checked = checkMessages(answer);
    if (checked.ok && isUsable(checked.value)) current = checked.value;
    else if (checked.ok) events.report(extensionPath, 'context', 'The messages leave nothing to answer.');
    else events.report(extensionPath, 'context', `${checked.problem}. The messages were sent without that.`);
  }
  return current === null ? null : [...current];
}

/** `message_end`: what is stored in place of a message. The same one if nothing takes its place. */
export async function askMessageEnd<T extends HeardMessage>(
  events: SessionEvents,
  message: T,
  signal?: AbortSignal,
): Promise<T> {
  let current: HeardMessage = message;
  for await (const { extensionPath, result } of events.each(
    'message_end',
    () => copyOf({ message: current }),
    signal,
  )) {
    const checked = checkReplacement(isRecord(result) ? result.message : undefined, message);
    if (!checked.ok) events.report(extensionPath, 'message_end', `${checked.problem}. The message stays as it was.`);
    else if (checked.value) current = checked.value;
  }
  return current as T;
}

/** What extensions say of a call: the arguments that it is made with, or why it is not made. */
export type CallAnswer =
  | { blocked: string; terminate: boolean }
  /** `changedBy`: the extensions whose arguments these are. */
  | { input: Record<string, unknown>; changedBy: readonly string[] };

/** `tool_call`: each handler may change the arguments in place. One that fails blocks the call, since it may be what guards it. */
export async function askToolCall(events: SessionEvents, call: ToolCalled, signal?: AbortSignal): Promise<CallAnswer> {
  let { input } = call;
  const changedBy: string[] = [];
  const payload = (): ToolCalled => ({ ...call, input: copyOf(input) });
  for await (const { extensionPath, given, result, failure } of events.each('tool_call', payload, signal)) {
    if (failure !== undefined) return blocked(`An extension failed, so the call was not made: ${failure}`);
    if (isRecord(result) && result.block === true) {
      const { reason, terminate } = result;
      const words =
        typeof reason === 'string' && reason !== '' ? reason.slice(0, 10_000) : 'An extension blocked this call.';
      return blocked(words, terminate === true);
    }
    const checked = checkInput(given.input);
    if (!checked.ok) {
      events.report(extensionPath, 'tool_call', `${checked.problem}.`);
      return blocked('An extension made the arguments of this call invalid, so it was not made.');
    }
    if (JSON.stringify(checked.value) !== JSON.stringify(input)) {
      changedBy.push(extensionPath);
      input = checked.value;
    }
  }
  return { input, changedBy };
}

function blocked(reason: string, terminate = false): CallAnswer {
  return { blocked: reason, terminate };
}

/** What extensions changed of a result. */
export type ResultPatch = Partial<Pick<ToolResulted, 'content' | 'details' | 'isError'>>;

/** `tool_result`: what the model reads and the session stores in place of a result. Null: as it was. */
export async function askToolResult(
  events: SessionEvents,
  result: ToolResulted,
  signal?: AbortSignal,
): Promise<ResultPatch | null> {
  const event = 'tool_result';
  let patch: ResultPatch = {};
  const payload = (): ToolResulted => copyOf({ ...result, ...patch });
  for await (const { extensionPath, result: answer } of events.each(event, payload, signal)) {
    if (!isRecord(answer)) continue;
    const { content, details, isError } = answer;
    const made: ResultPatch = {};
    if (content !== undefined) {
      const checked = checkContent(content);
      if (!checked.ok) events.report(extensionPath, event, `${checked.problem}. The content stays as it was.`);
      else made.content = typeof checked.value === 'string' ? [{ type: 'text', text: checked.value }] : checked.value;
    }
    if (details !== undefined) {
      const kept = plainJson(details);
      if (kept.ok) made.details = kept.value;
      else events.report(extensionPath, event, `details ${kept.problem}. They stay as they were.`);
    }
    if (typeof isError === 'boolean') made.isError = isError;
    patch = { ...patch, ...made };
  }
  return Object.keys(patch).length > 0 ? patch : null;
}
