import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { readRegular } from '../../own-files/read-regular';
import { withFile } from '../../places/safe-open';
import type { Workspace } from '../../places/workspace';
import { isRecord } from '@shared/checks';
import { type McpDefinition, type McpOrigin, parseServers } from './definition';

/** What one file says of servers. */
export interface McpFile {
  origin: McpOrigin;
  servers: [string, McpDefinition][];
  problems: string[];
}

const MAX_BYTES = 1024 * 1024;
/** Of Claude's own file its settings are the smaller part. */
const MAX_USER_BYTES = 32 * 1024 * 1024;

const PROJECT_FILES = [
  { name: '.pi/mcp.json', kind: 'pi-project' },
  { name: '.mcp.json', kind: 'project' },
] as const;

/**
 * The files of a workspace that name servers, the one that counts more first. Like any file there: regular, not refused to tools, a
 * link only where it ends inside. The caller asks whether the folder is trusted. Never rejects.
 */
export async function readProjectFiles(workspace: Workspace, folder: string): Promise<McpFile[]> {
  const files: McpFile[] = [];
  for (const { name, kind } of PROJECT_FILES) {
    const origin: McpOrigin = { kind, file: name, folder };
    try {
      const target = await workspace.resolve(name, 'read');
      if (target.location !== 'inside' || target.refusal !== undefined || !target.stats?.isFile()) continue;
      const read = async (handle: FileHandle, { size }: { size: number }): Promise<string> => {
        if (size > MAX_BYTES) throw new RangeError('it is larger than 1 MB');
        const buffer = Buffer.alloc(size);
        const { bytesRead } = await handle.read(buffer, 0, size, 0);
        return buffer.toString('utf8', 0, bytesRead);
      };
      files.push(fileOf(origin, await withFile(target.path, read, workspace.guard)));
    } catch (error) {
      files.push({ origin, servers: [], problems: [`${name} can’t be read: ${(error as Error).message}.`] });
    }
  }
  return files;
}

/** The person's own files of pi and Claude (EX20). `folder`: what Claude's says of this one counts too, as the folder's. Never rejects. */
export async function readUserFiles(home: string, folder: string | null): Promise<McpFile[]> {
  const claude = '.claude.json';
  const desktop = {
    darwin: 'Library/Application Support/Claude/claude_desktop_config.json',
    win32: 'AppData/Roaming/Claude/claude_desktop_config.json',
  } as Partial<Record<NodeJS.Platform, string>>;
  const named = [
    ['pi-user', '.pi/agent/mcp.json'],
    ['claude-user', claude],
    ['claude-user', desktop[process.platform] ?? '.config/Claude/claude_desktop_config.json'],
  ] as const;
  const files: McpFile[] = [];
  for (const [kind, name] of named) {
    const origin: McpOrigin = { kind, file: `~/${name}` };
    try {
      const text = await readRegular(join(home, name), MAX_USER_BYTES);
      if (text === null) continue;
      files.push(fileOf(origin, text));
      if (name === claude && folder !== null) files.push(...projectOf(text, origin, folder));
    } catch (error) {
      files.push({ origin, servers: [], problems: [`~/${name} can’t be read: ${(error as Error).message}.`] });
    }
  }
  return files.filter(({ servers, problems }) => servers.length + problems.length > 0);
}

/** What Claude's file keeps for a folder. */
function projectOf(text: string, origin: McpOrigin, folder: string): McpFile[] {
  const json = parseJson(text);
  const projects = isRecord(json) ? json.projects : undefined;
  if (!isRecord(projects) || !Object.hasOwn(projects, folder)) return [];
  const { servers, problems } = parseServers(projects[folder]);
  return [{ origin: { ...origin, folder }, servers: [...servers], problems }];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

export function fileOf(origin: McpOrigin, text: string): McpFile {
  const json = parseJson(text);
  if (json === undefined)
    return { origin, servers: [], problems: [`${origin.file} is not valid JSON, so no server of it is used.`] };
  const { servers, problems } = parseServers(json);
  return { origin, servers: [...servers], problems: problems.map((problem) => `${origin.file}: ${problem}`) };
}
