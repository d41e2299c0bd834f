import { homedir } from 'node:os';
import { dirname } from 'node:path';
import type { AskConsent } from '../consent/consent';
import type { FileWorkers } from '../files/file-workers';
import type { AppPaths } from '../paths';
import { McpBook } from './book';
import type { McpFile } from './config/config-files';
import type { McpPort } from './link';
import { McpDesk } from './mcp-desk';
import { McpPrompts } from './mcp-prompts';
import { McpTools } from './mcp-tools';
import { OwnServers } from './own-servers';
import { McpServers } from './servers';
import type { McpVault } from './vault';

export interface McpOptions {
  startProcess: () => McpPort;
  paths: Pick<AppPaths, 'mcp' | 'mcpDecisions' | 'data' | 'outputs'>;
  profileDir?: string;
  deniedPaths: () => readonly string[];
  files: Pick<FileWorkers, 'run'>;
  ask: AskConsent;
  vault: McpVault;
  /** Shows an address to the person and opens it in their browser if they want that. */
  openLink: (url: string) => Promise<boolean>;
  isTrusted: (folder: string) => Promise<boolean>;
  workspaceOf: (sessionId: string) => string;
  onChange: () => void;
  warn: (message: string) => void;
  backOff?: (failures: number) => number;
  /** Whose files of pi and Claude are read. */
  home?: string;
}

/** All that has to do with MCP servers (EX20). */
export interface McpParts {
  servers: McpServers;
  tools: McpTools;
  prompts: McpPrompts;
  desk: McpDesk;
  problems: readonly string[];
  /** A session is shown or runs: its servers start, and nobody waits for them. */
  join(sessionId: string, windowNow?: () => number): void;
  leave(sessionId: string): void;
  close(): Promise<void>;
}

/** Milliseconds that looking for files has. */
const LOOK_MS = 5_000;
/** Changes of many servers within this time are told once, milliseconds. */
const TELL_MS = 100;

export async function createMcp(options: McpOptions): Promise<McpParts> {
  const { paths, files, isTrusted, workspaceOf, ask, home = homedir() } = options;
  const book = await McpBook.open(paths.mcpDecisions);
  const own = new OwnServers(paths.mcp, shownPath(paths.mcp, home));
  const ofProject = async (folder: string): Promise<McpFile[]> => {
    if (!(await isTrusted(folder))) return [];
    const place = {
      ...{ workspaceDir: folder, dataDir: paths.data, profileDir: options.profileDir },
      deniedPaths: options.deniedPaths(),
    };
    return files.run('mcpFiles', { place }, { lane: 'looks', timeoutMs: LOOK_MS }).catch(() => []);
  };
  const ofPerson = async (folder: string | null): Promise<McpFile[]> => {
    const of = folder !== null && (await isTrusted(folder)) ? folder : null;
    return files.run('mcpUserFiles', { folder: home, of }, { lane: 'looks', timeoutMs: LOOK_MS }).catch(() => []);
  };
  let timer: NodeJS.Timeout | undefined;
  const onChange = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      options.onChange();
    }, TELL_MS);
  };
  const servers: McpServers = new McpServers({
    ...options,
    ...{ book, onChange },
    files: async (folder) => {
      const [mine, project, person] = await Promise.all([
        own.read(),
        folder === null ? [] : ofProject(folder),
        ofPerson(folder),
      ]);
      return [mine, ...project, ...person];
    },
  });
  const windows = new Map<string, () => number>();
  const tools = new McpTools({ servers, outputsDir: paths.outputs, windowOf: (id) => windows.get(id)?.() ?? 0 });
  return {
    servers,
    tools,
    prompts: new McpPrompts(servers),
    desk: new McpDesk({ servers, tools, book, own, ask, isTrusted, workspaceOf, openLink: options.openLink }),
    problems: book.problems,
    join: (sessionId, windowNow) => {
      if (windowNow) windows.set(sessionId, windowNow);
      void servers.join(sessionId, workspaceOf(sessionId), true);
    },
    leave: (sessionId) => {
      servers.leave(sessionId);
      tools.forget(sessionId);
      windows.delete(sessionId);
    },
    close: () => {
      clearTimeout(timer);
      return servers.close();
    },
  };
}

function shownPath(file: string, home: string): string {
  return dirname(dirname(file)) === home ? `~${file.slice(home.length)}` : file;
}
