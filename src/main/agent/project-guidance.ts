import { open, stat } from 'node:fs/promises';
import path from 'node:path';

/** Enough for a long file of notes (about 8,000 tokens); more would crowd small windows. */
const MAX_GUIDANCE_BYTES = 32 * 1024;
const NAMES = ['AGENTS.md', 'CLAUDE.md'] as const;

export interface Guidance {
  name: string;
  content: string;
}

/** The project's AGENTS.md, else its CLAUDE.md, from the top of the workspace; null if there is none that can be read. Bounded. */
export async function readGuidance(workspaceDir: string): Promise<Guidance | null> {
  for (const name of NAMES) {
    const content = await readHead(path.join(workspaceDir, name));
    if (content?.trim()) return { name, content: escapeEnd(content.trim()) };
  }
  return null;
}

async function readHead(file: string): Promise<string | null> {
  // Opening a FIFO of that name would hold up the run for ever.
  const found = await stat(file).catch(() => null);
  if (!found?.isFile()) return null;
  const handle = await open(file, 'r').catch(() => null);
  if (!handle) return null;
  try {
    const info = await handle.stat();
    const buffer = Buffer.alloc(Math.min(info.size, MAX_GUIDANCE_BYTES));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    const text = new TextDecoder().decode(buffer.subarray(0, bytesRead), { stream: true });
    return info.size > MAX_GUIDANCE_BYTES
      ? `${text}\n[… ${info.size - MAX_GUIDANCE_BYTES} more bytes in the file]`
      : text;
  } catch {
    return null;
  } finally {
    await handle.close();
  }
}

/** The file must not close its own section of the prompt (engine.md 22, invariant 12). */
function escapeEnd(content: string): string {
  return content.replace(/<(\/?project-notes)/gi, '&lt;$1');
}
