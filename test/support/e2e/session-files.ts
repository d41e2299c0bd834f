import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, truncate, writeFile } from 'node:fs/promises';

export async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

export function header(version: number, id: string): string {
  return JSON.stringify({ type: 'session', version, id, timestamp: '2026-01-01T00:00:00.000Z', cwd: '' });
}

/** A user message and its reply as lines of a session file, `pad` characters long each. */
export function exchange(n: number, parentId: string | null, pad = 0): { lines: string[]; leafId: string } {
  const hex = (value: number): string => value.toString(16).padStart(8, '0');
  const [asked, answered] = [hex(2 * n), hex(2 * n + 1)];
  const text = (what: string): string => `${what} ${n}`.padEnd(pad, ' lorem ipsum dolor');
  const base = { type: 'message', timestamp: '2026-01-01T00:00:01.000Z' };
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost };
  const content = [{ type: 'text', text: text('Answer') }];
  const source = { api: 'openai-completions', provider: 'elsewhere', model: 'some-model' };
  const reply = { role: 'assistant', content, ...source, usage, stopReason: 'stop', timestamp: 2 };
  return {
    lines: [
      JSON.stringify({
        ...base,
        id: asked,
        parentId,
        message: { role: 'user', content: text('Question'), timestamp: 1 },
      }),
      JSON.stringify({ ...base, id: answered, parentId: asked, message: reply }),
    ],
    leafId: answered,
  };
}

/** Writes a whole session of at least `bytes` bytes. Returns the number of its entries. */
export async function writeLargeSession(path: string, id: string, bytes: number): Promise<number> {
  const file = await open(path, 'w');
  let written = 0;
  let entries = 0;
  let parentId: string | null = null;
  await file.write(`${header(3, id)}\n`);
  while (written < bytes) {
    const part: string[] = [];
    for (let count = 0; count < 20; count++) {
      const { lines, leafId } = exchange(entries / 2, parentId, 100_000);
      part.push(...lines);
      parentId = leafId;
      entries += lines.length;
    }
    written += (await file.write(`${part.join('\n')}\n`)).bytesWritten;
  }
  await file.close();
  return entries;
}

/** A file that is large but empty: the system keeps no blocks for it. */
export async function writeSparse(path: string, bytes: number): Promise<void> {
  await writeFile(path, '');
  await truncate(path, bytes);
}
