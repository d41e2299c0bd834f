import { isRecord } from '@shared/checks';

/** One event of an SSE stream, as the standard reads it. Texts hold one character a byte (latin1). */
export interface SseEvent {
  /** What the last `event:` line said; empty: none did. */
  name: string;
  /** The `data:` lines, joined with line feeds. */
  data: string;
}

const BYTE_ORDER_MARK = '\xEF\xBB\xBF';

/**
 * Puts lines together to events, as the standard and the SDKs do: several `data:` lines are one text, a blank line ends the
 * event, a byte order mark before the first line is none of it, comments and other fields are passed over. Memory is bounded
 * by the size of one event, which is counted with all that its lines hold.
 */
export class EventReader {
  private name = '';
  private data: string[] = [];
  private bytes = 0;
  private isFirst = true;

  constructor(
    private readonly maxEventBytes: number,
    private readonly onTooLong: () => Error,
  ) {}

  /** Takes a line without its break; returns the event that it ends, if there is something in it. */
  take(line: string): SseEvent | null {
    const text = this.isFirst && line.startsWith(BYTE_ORDER_MARK) ? line.slice(BYTE_ORDER_MARK.length) : line;
    this.isFirst = false;
    if (text === '') return this.end();
    const colon = text.indexOf(':');
    const field = colon === -1 ? text : text.slice(0, colon);
    if (field === 'data') this.data.push(valueOf(text, colon));
    else if (field === 'event') this.name = valueOf(text, colon);
    else return null;
    if (field === 'data') this.bytes += text.length + 1;
    if (this.bytes > this.maxEventBytes) throw this.onTooLong();
    return null;
  }

  /** What stands there when the body ends without a blank line. */
  end(): SseEvent | null {
    const { name, data } = this;
    this.name = '';
    if (data.length === 0) return null;
    this.data = [];
    this.bytes = 0;
    const event = { name, data: data.join('\n') };
    return event.data === '' ? null : event;
  }
}

/** Writes an event so that every reader finds the same in it: one name, and a `data:` line for each line of its text. */
export function writeEvent({ name, data }: SseEvent): string {
  const lines = data.includes('\n') ? data.replaceAll('\n', '\ndata: ') : data;
  return name === '' ? `data: ${lines}\n\n` : `event: ${name}\ndata: ${lines}\n\n`;
}

function valueOf(line: string, colon: number): string {
  if (colon === -1) return '';
  return line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
}

/** The dialects whose end of stream we can recognise. */
export type WireDialect = 'completions' | 'responses' | 'messages' | 'google' | 'unknown';

/**
 * How far an event takes the stream: `soft` = the model has finished, `hard` = it has, and nothing may follow, `closed` =
 * nothing that follows is read by an SDK, though the model has not finished.
 */
type EndMark = 'none' | 'soft' | 'hard' | 'closed';

/** What stands for the end where no JSON does. The SDKs look at no more than its beginning. */
export const DONE = '[DONE]';

const RESPONSES_ENDS = new Set<unknown>(['response.completed', 'response.incomplete', 'response.failed']);

/** The dialect that a pi-ai api speaks over fetch. */
export function dialectOf(api: string): WireDialect {
  if (api.endsWith('-completions') || api === 'mistral-conversations') return 'completions';
  if (api.endsWith('-responses')) return 'responses';
  if (api === 'anthropic-messages') return 'messages';
  if (api.startsWith('google-')) return 'google';
  return 'unknown';
}

/** The end mark in one event: what its data holds as JSON, or `[DONE]`. */
export function endMarkOf(dialect: WireDialect, value: unknown): EndMark {
  if (value === DONE) {
    if (dialect === 'completions' || dialect === 'unknown') return 'hard';
    return dialect === 'responses' ? 'closed' : 'none';
  }
  if (!isRecord(value)) return 'none';
  switch (dialect) {
    case 'completions':
      return isReason(firstOf(value.choices)?.finish_reason) ? 'soft' : 'none';
    case 'responses':
      return RESPONSES_ENDS.has(value.type) ? 'hard' : 'none';
    case 'messages':
      return value.type === 'message_stop' ? 'hard' : 'none';
    case 'google':
      return isReason(firstOf(value.candidates)?.finishReason) ? 'soft' : 'none';
    case 'unknown':
      if (RESPONSES_ENDS.has(value.type) || value.type === 'message_stop') return 'hard';
      return isReason(firstOf(value.choices)?.finish_reason) || isReason(firstOf(value.candidates)?.finishReason)
        ? 'soft'
        : 'none';
  }
}

/** Whether an event begins or continues a tool call although the model had finished: such calls are not run. */
export function isLateToolCall(dialect: WireDialect, value: unknown): boolean {
  if (dialect !== 'completions' || !isRecord(value)) return false;
  const choice = firstOf(value.choices);
  const delta = isRecord(choice?.delta) ? choice.delta : {};
  return Array.isArray(delta.tool_calls) && delta.tool_calls.length > 0 && !isReason(choice?.finish_reason);
}

/** The one choice or candidate that pi-ai reads. */
function firstOf(list: unknown): Readonly<Record<string, unknown>> | undefined {
  const first: unknown = Array.isArray(list) ? list[0] : undefined;
  return isRecord(first) ? first : undefined;
}

function isReason(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}
