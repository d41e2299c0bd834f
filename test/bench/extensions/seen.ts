import { readFileSync } from 'node:fs';
import { isRecord } from '../../../src/shared/checks';
import type { AppEvent } from '../../../src/shared/ipc/contract';
import type { ExtensionChange } from '../../../src/shared/session-state/events';
import { sentContext, type CapturedRequest } from '../../support/model-server';

/** What a person, a model and the disk saw of one example: a line each. */
export class Seen {
  readonly lines: string[] = [];
  private loads = 0;

  note(line: string): void {
    if (this.lines.at(-1) !== line) this.lines.push(line);
  }

  /** A line that fits. */
  has(wanted: RegExp): boolean {
    return this.lines.some((line) => wanted.test(line));
  }

  event(event: AppEvent): void {
    if (event.type === 'extension_notice' && !event.isFault) this.note(`notice: ${event.text}`);
    if (event.type === 'extension_frame')
      this.note(`view: ${plain(event.frame.pieces.map(({ text }) => text).join(' ')).trim()}`);
    if (event.type === 'extension_typed') this.note(`editor ${event.does}: ${event.text}`);
    if (event.type === 'extension_text') this.note(`editor: ${'text' in event ? String(event.text) : ''}`);
  }

  shown(change: ExtensionChange): void {
    if (change.type === 'extension_asks') this.note(`asks ${change.question.kind}: ${change.question.title}`);
    if (change.type !== 'extension_shows') return;
    const { statuses, widgets, title, working, draws, indicator, thinkingLabel } = change.shows;
    if (draws.tools.length > 0) this.note(`draws tools: ${draws.tools.join(' ')}`);
    if (draws.types.length > 0) this.note(`draws types: ${draws.types.join(' ')}`);
    for (const { key, text } of statuses) this.note(`status ${key}: ${plain(text)}`);
    for (const { key, lines, frame, placement } of widgets) {
      const words = plain(frame ? frame.pieces.map(({ text }) => text).join(' ') : lines.join(' ')).trim();
      this.note(
        placement === 'header' || placement === 'footer' ? `${placement}: ${words}` : `widget ${key}: ${words}`,
      );
    }
    if (indicator) this.note(`indicator: ${plain(indicator.frames.join(' '))}`);
    if (thinkingLabel !== null) this.note(`thinking label: ${thinkingLabel}`);
    if (title !== null) this.note(`title: ${title}`);
    if (working !== null) this.note(`working: ${plain(working)}`);
  }

  request(request: CapturedRequest): void {
    const { system, messages, tools } = sentContext(request);
    this.note(`system: ${system}`);
    this.note(`tools: ${tools.join(' ')}`);
    for (const { role, text } of messages) if (role === 'user') this.note(`user: ${text}`);
  }

  /** Code of the example was called. */
  called(method: string, { event, payload, name }: Record<string, unknown>): void {
    const reason = isRecord(payload) && typeof payload.reason === 'string' ? ` ${payload.reason}` : '';
    if (method === 'load') this.note(`loaded ${++this.loads}`);
    if (method === 'event') this.note(`heard ${String(event)}${reason}`);
    else if (method === 'tool' || method === 'command') this.note(`called ${String(name)}`);
  }

  /** What a session's file came to. */
  journal(file: string): void {
    const entries = readFileSync(file, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Entry);
    let last: Entry['message'];
    for (const entry of entries) {
      const { type, message, customType, data, content } = entry;
      if (type === 'message' && message?.role === 'toolResult')
        this.note(`result ${message.toolName}: ${wordsOf(message.content)}`);
      // A call that ends the run has no reply behind it.
      if (message?.role === 'user' && last?.role === 'toolResult') this.note(`ended by ${last.toolName}`);
      if (type === 'message') last = message;
      if (type === 'custom') this.note(`custom ${customType}: ${JSON.stringify(data)}`);
      if (type === 'custom_message') this.note(`message ${customType}: ${wordsOf(content)}`);
      if (type === 'label') this.note(`label: ${entry.label ?? ''}`);
      if (type === 'session_info') this.note(`name: ${entry.name ?? ''}`);
      if (type === 'compaction')
        this.note(`compaction${entry.fromHook === true ? ' by an extension' : ''}: ${entry.summary ?? ''}`);
    }
  }
}

interface Entry {
  type: string;
  message?: { role: string; toolName?: string; content: unknown };
  customType?: string;
  data?: unknown;
  content?: unknown;
  label?: string;
  name?: string;
  fromHook?: boolean;
  summary?: string;
}

function wordsOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((block: { text?: string }) => block.text ?? '').join('') : '';
}

function plain(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replace(/\u001b\[[\d;]*m/g, '');
}
