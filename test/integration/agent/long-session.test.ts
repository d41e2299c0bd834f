import { afterEach, describe, expect, it } from 'vitest';
import { readSession } from '../../support/read-session';
import { INTERRUPTED_RESULT } from '@shared/session/messages/sanitizer';
import { serializeEntry } from '@shared/session/records/serialize-entry';
import { promptOf, startHarness, type Harness } from '../../support/agent-harness';
import { MemoryLog } from '../../support/memory-log';
import { sentContext, type SentMessage } from '../../support/model-server';
import { goldenSessions } from '../../support/golden-sessions';
import { seededHex } from '../../unit/shared/session/support';

let harness: Harness | null = null;
afterEach(() => harness?.close());

interface FileMessage {
  role: 'user' | 'assistant' | 'toolResult';
  content: { type: string; text?: string; thinking?: string; id?: string; name?: string; arguments?: unknown }[];
  stopReason?: string;
  toolCallId?: string;
}

/**
 * What CX1 says of this file, from its lines alone and without the code under test: it has no compaction, no branch, no
 * result without its call, and of its failed replies only those that say something and are followed by the person stay.
 */
function expectedContext(file: readonly string[]): SentMessage[] {
  const messages = file.flatMap((line) => {
    const { type, message } = (line === '' ? {} : JSON.parse(line)) as { type?: string; message?: FileMessage };
    return type === 'message' && message ? [message] : [];
  });
  const results = new Map(messages.flatMap((m) => (m.toolCallId ? [[m.toolCallId, m] as const] : [])));
  return messages.flatMap((message, i): SentMessage[] => {
    if (message.role === 'toolResult') return [];
    if (message.role === 'user') return [{ role: 'user', text: textOf(message), images: 0 }];
    const isFailed = message.stopReason === 'error' || message.stopReason === 'aborted';
    const calls = message.content.filter(({ type, id = '' }) => type === 'toolCall' && (!isFailed || results.has(id)));
    if (textOf(message).trim() === '' && calls.length === 0) return [];
    const next = messages.slice(i + 1).find(({ role }) => role !== 'toolResult' || calls.length > 0);
    if (isFailed && (!next || next.role === 'assistant')) return [];
    const toolCalls = calls.map((call) => ({ id: call.id ?? '', name: call.name ?? '', arguments: call.arguments }));
    const reply: SentMessage = { role: 'assistant', text: saidTo(message), images: 0 };
    return [
      toolCalls.length > 0 ? { ...reply, toolCalls } : reply,
      ...toolCalls.map(({ id }): SentMessage => {
        const result = results.get(id);
        return { role: 'tool', text: result ? textOf(result) : INTERRUPTED_RESULT, images: 0, toolCallId: id };
      }),
    ];
  });
}

function textOf({ content }: FileMessage): string {
  return content.map(({ text = '' }) => text).join('');
}

/** pi-ai gives one model's thinking to another as text. */
function saidTo({ content }: FileMessage): string {
  return content.map(({ text, thinking = '' }) => text ?? thinking).join('');
}

/** Two replies in a row are one on the wire of OpenAI responses; results are told by their id, not by their place. */
function comparable(messages: readonly SentMessage[]): SentMessage[] {
  const joined: SentMessage[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (message.role !== 'assistant' || last?.role !== 'assistant') joined.push({ ...message });
    else last.text += message.text;
  }
  return joined;
}

describe.each(goldenSessions())('AG2: $name, continued with a prompt', ({ lines }) => {
  it.each(['loopback-openai', 'loopback-anthropic', 'loopback-responses'])(
    'sends exactly its context: %s',
    async (provider) => {
      const { tree } = readSession(lines, { randomHex: seededHex(1) });
      const log = new MemoryLog();
      for (const { body } of tree.entriesInOrder()) log.addLine(serializeEntry(body!));
      log.tree.settleLeafAfterLoad();
      harness = await startHarness({ log });
      harness.server.script('Gone on.');
      await harness.session.setModel({ provider, modelId: 'loopback' });
      await harness.session.prompt(promptOf('Go on from here.'));
      await harness.settled();
      expect(harness.server.requests).toHaveLength(1);
      const { messages, system, tools } = sentContext(harness.server.requests[0]!);
      const expected = [...expectedContext(lines), { role: 'user' as const, text: 'Go on from here.', images: 0 }];
      expect(comparable(messages)).toEqual(comparable(expected));
      expect(system).toContain(harness.dir);
      expect(tools).toEqual(['echo', 'slow']);
      expect(log.tree.size).toBe(tree.size + 4);
    },
  );
});
