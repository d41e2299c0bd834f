import { prepareAppend } from '@shared/session/tree/drafts';
import type { EntryDraft, SessionEntry, SessionHeader, Usage } from '@shared/session/records/entry';
import type { RandomHex } from '@shared/session/records/ids';
import { SessionTree } from '@shared/session/tree/tree';
import { seededRandom } from '../../../support/random';

export { seededRandom };

/** Reproducible hex digits (mulberry32). */
export function seededHex(seed: number): RandomHex {
  const random = seededRandom(seed);
  return (length) => Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join('');
}

export const HEADER: SessionHeader = { type: 'session', version: 3, id: 's1', timestamp: '2026-01-01T00:00:00.000Z' };

/** Time of the entry with a number. */
export function timeOf(n: number): string {
  return new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString();
}

export function usage(parts: Partial<Usage> = {}): Usage {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0, ...parts.cost };
  return { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, ...parts, cost };
}

export function user(text: string): EntryDraft {
  return { type: 'message', message: { role: 'user', content: text, timestamp: 0 } };
}

interface ReplyOptions {
  calls?: string[];
  stopReason?: string;
  usage?: Usage;
  provider?: string;
  model?: string;
  thinking?: string;
}

export function replyMessage(text: string, options: ReplyOptions = {}): Record<string, unknown> & { role: string } {
  const { calls = [], thinking } = options;
  return {
    role: 'assistant',
    content: [
      ...(thinking === undefined ? [] : [{ type: 'thinking', thinking }]),
      ...(text === '' ? [] : [{ type: 'text', text }]),
      ...calls.map((id) => ({ type: 'toolCall', id, name: 'bash', arguments: { command: id } })),
    ],
    api: 'x',
    provider: options.provider ?? 'anthropic',
    model: options.model ?? 'claude',
    usage: options.usage ?? usage(),
    stopReason: options.stopReason ?? (calls.length > 0 ? 'toolUse' : 'stop'),
    timestamp: 0,
  };
}

export function reply(text: string, options: ReplyOptions = {}): EntryDraft {
  return { type: 'message', message: replyMessage(text, options) };
}

export function result(callId: string, text: string): EntryDraft {
  const content = [{ type: 'text' as const, text }];
  return {
    type: 'message',
    message: { role: 'toolResult', toolCallId: callId, toolName: 'bash', content, isError: false, timestamp: 0 },
  };
}

export function custom(customType: string, data: unknown): EntryDraft {
  return { type: 'custom', customType, data };
}

export function compaction(summary: string, firstKeptEntryId: string | null): EntryDraft {
  return { type: 'compaction', summary, firstKeptEntryId, tokensBefore: 1000, fromHook: false };
}

/** A session that is written as the app writes it: drafts, then `add`. Entries are named by the caller. */
export class Writer {
  readonly entries: SessionEntry[] = [];
  readonly tree = new SessionTree(HEADER);
  private readonly randomHex: RandomHex;

  constructor(seed = 1) {
    this.randomHex = seededHex(seed);
  }

  add(draft: EntryDraft, id?: string, parentId?: string | null): string {
    const now = Date.UTC(2026, 0, 1) + this.entries.length * 1000;
    const options = { now, randomHex: this.randomHex, ...(parentId === undefined ? {} : { parentId }) };
    const [entry] = prepareAppend(this.tree, [id === undefined ? draft : { ...draft, id }], options);
    this.entries.push(entry!);
    this.tree.addEntry(entry!, this.entries.length);
    return entry!.id;
  }

  moveTo(leafId: string | null): void {
    this.add(custom('espalier.leaf', { v: 1, leafId, fromLeafId: this.tree.leafId, reason: 'test' }));
  }
}

/** A tree from entries in file order, as read from a file. */
export function treeOf(entries: SessionEntry[]): SessionTree {
  const tree = new SessionTree(HEADER);
  entries.forEach((entry, index) => tree.addEntry(entry, index + 1));
  tree.settleLeafAfterLoad();
  return tree;
}

/** Texts of messages, for short comparisons. */
export function texts(messages: readonly unknown[]): string[] {
  return messages.map((message) => {
    const { content, summary, command } = message as { content?: unknown; summary?: string; command?: string };
    if (summary !== undefined) return `<${summary}>`;
    if (command !== undefined) return `$${command}`;
    if (typeof content === 'string') return content;
    const blocks = content as { type: string; text?: string; id?: string }[];
    return blocks.map((block) => block.text ?? `[${block.type}${block.id ? ` ${block.id}` : ''}]`).join('');
  });
}

/** Words around summaries where they are sent. */
export const FRAMES = {
  compactionFrame: '<summary>{{summary}}</summary>',
  branchFrame: '<summary>{{summary}}</summary>',
};
