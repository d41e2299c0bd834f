import { lstat, realpath, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Guidance, GuidanceFile } from '../ports';
import { withFile } from '../tools/safe-open';
import type { Workspace } from '../tools/workspace';

/** Enough for a long file of notes (about 8,000 tokens); more would crowd small windows. */
const MAX_GUIDANCE_BYTES = 32 * 1024;
/** In the order in which they are looked for; the first that says something counts. */
const GUIDANCE_NAMES = ['AGENTS.md', 'CLAUDE.md'] as const;

/**
 * The project's AGENTS.md, else its CLAUDE.md, from the top of the workspace; null if there is none that can be read. A file like
 * any other there: regular, not refused to tools, and a link only where it ends inside. Bounded. Never rejects.
 */
export async function readGuidance(workspace: Workspace): Promise<Guidance | null> {
  for (const name of GUIDANCE_NAMES) {
    const found = await readOne(workspace, name).catch(() => null);
    if (found) return found;
  }
  return null;
}

/** What is there under each name of guidance, and which of it `readGuidance` reads. Never rejects. */
export async function findGuidance(workspace: Workspace): Promise<GuidanceFile[]> {
  const root = await workspace.root().catch(() => null);
  if (root === null) return [];
  const files: GuidanceFile[] = [];
  for (const name of GUIDANCE_NAMES) {
    const stats = await lstat(join(root, name)).catch(() => null);
    if (!stats) continue;
    const target = stats.isSymbolicLink() ? await realpath(join(root, name)).catch(() => null) : undefined;
    const isFirst = !files.some(({ use }) => use === 'read');
    files.push({ name, bytes: stats.size, isFile: stats.isFile(), target, ...(await useOf(workspace, name, isFirst)) });
  }
  return files;
}

async function useOf(
  workspace: Workspace,
  name: string,
  isFirst: boolean,
): Promise<Pick<GuidanceFile, 'use' | 'refusal'>> {
  try {
    if (await readOne(workspace, name)) return { use: isFirst ? 'read' : 'second' };
    const { location, refusal, stats } = await workspace.resolve(name, 'read');
    if (location === 'outside') return { use: 'unread' };
    return { use: refusal === undefined && stats?.isFile() ? 'empty' : 'unread', refusal };
  } catch {
    return { use: 'unread' };
  }
}

async function readOne(workspace: Workspace, name: string): Promise<Guidance | null> {
  const target = await workspace.resolve(name, 'read');
  if (target.location !== 'inside' || target.refusal !== undefined || !target.stats?.isFile()) return null;
  const work = async (handle: FileHandle, { size }: { size: number }): Promise<Guidance | null> => {
    const buffer = Buffer.alloc(Math.min(size, MAX_GUIDANCE_BYTES));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    const text = new TextDecoder().decode(buffer.subarray(0, bytesRead), { stream: true }).trim();
    if (text === '') return null;
    const rest = size - buffer.length;
    const content = escapeEnd(rest > 0 ? `${text}\n[… ${rest} more bytes in the file]` : text);
    return { name, content, path: target.shown, bytes: size, isCut: rest > 0 };
  };
  return withFile(target.path, work, workspace.guard);
}

/** The file must not close its own section of the prompt (IN12). */
function escapeEnd(content: string): string {
  return content.replace(/<(\/?project-notes)/gi, '&lt;$1');
}
