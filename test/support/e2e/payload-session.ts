import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A session whose every kind of message says what the payloads say. */
export interface PayloadSession {
  path: string;
  /** Entries that have a row of their own in the transcript. */
  rowIds: string[];
}

/** Writes the session file: per payload a prompt, a reply (thinking, text, a call) and the call's result. */
export function writePayloadSession(folder: string, payloads: readonly string[]): PayloadSession {
  const lines: object[] = [{ type: 'session', version: 3, id: 'payloads', timestamp: timeOf(0), cwd: folder }];
  const rowIds: string[] = [];
  let parentId: string | null = null;
  const add = (entry: object, isRow: boolean): string => {
    const id = lines.length.toString(16).padStart(8, '0');
    lines.push({ ...entry, id, parentId, timestamp: timeOf(lines.length) });
    if (isRow) rowIds.push(id);
    parentId = id;
    return id;
  };
  const message = (body: object, isRow = true): string =>
    add({ type: 'message', message: { ...body, timestamp: Date.parse(timeOf(lines.length)) } }, isRow);

  payloads.forEach((payload, index) => {
    const text = [{ type: 'text', text: payload }];
    const callId = `call-${index}`;
    const call = { type: 'toolCall', id: callId, name: 'bash', arguments: { command: payload } };
    message({ role: 'user', content: payload });
    const content = [{ type: 'thinking', thinking: payload }, ...text, call];
    message({ role: 'assistant', content, ...MODEL, stopReason: 'toolUse' });
    message({ role: 'toolResult', toolCallId: callId, toolName: 'bash', content: text, isError: false }, false);
  });
  const all = payloads.join('\n\n');
  add({ type: 'custom_message', customType: '<img src=x>', content: all.slice(0, 20_000), display: true }, true);
  message({ role: 'assistant', content: [{ type: 'text', text: 'The end.' }], ...MODEL, stopReason: 'stop' });
  const path = join(folder, 'payloads.jsonl');
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return { path, rowIds };
}

const NO_COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const MODEL = {
  api: 'openai-completions',
  provider: 'somebody',
  model: '<b>model</b>',
  usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: NO_COST },
};

function timeOf(second: number): string {
  return new Date(Date.UTC(2026, 0, 1) + second * 1_000).toISOString();
}
