import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A reply with these parts between a question and a last answer that says “The end.”, as a session file. */
export function writeOddSession(
  folder: string,
  id: string,
  content: readonly object[],
  results: readonly object[] = [],
  question: string | readonly object[] = 'What came of it?',
): string {
  const lines: object[] = [{ type: 'session', version: 3, id, timestamp: timeOf(0), cwd: folder }];
  let parentId: string | null = null;
  const add = (message: object): void => {
    const entryId = `${id.slice(0, 4)}${lines.length.toString(16).padStart(4, '0')}`;
    lines.push({ type: 'message', id: entryId, parentId, timestamp: timeOf(lines.length), message });
    parentId = entryId;
  };
  add({ role: 'user', content: question, timestamp: 1 });
  add({ role: 'assistant', content, ...MODEL, stopReason: results.length > 0 ? 'toolUse' : 'stop', timestamp: 2 });
  for (const result of results) add({ role: 'toolResult', isError: false, timestamp: 3, ...result });
  add({ role: 'assistant', content: [{ type: 'text', text: 'The end.' }], ...MODEL, stopReason: 'stop', timestamp: 4 });
  const path = join(folder, `${id}.jsonl`);
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return path;
}

const NO_COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const MODEL = {
  api: 'openai-completions',
  provider: 'somebody',
  model: 'some-model',
  usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: NO_COST },
};

function timeOf(second: number): string {
  return new Date(Date.UTC(2026, 0, 1) + second * 1_000).toISOString();
}
