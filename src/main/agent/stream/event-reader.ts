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
