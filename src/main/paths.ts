import { homedir } from 'node:os';
import { isAbsolute, join, relative, sep } from 'node:path';

/**
 * Where Espalier keeps its files. The journals live outside the browser profile on purpose: whatever resets the
 * profile (QB2) must not reach them.
 */
export interface AppPaths {
  data: string;
  /** Where `data` was before (SY13): no tool may touch what is still there. */
  former: readonly string[];
  sessions: string;
  trash: string;
  outputs: string;
  /** A workspace for sessions that were started without a folder. */
  scratch: string;
  /** Skills of the person's own. */
  skills: string;
  /** What they want to be told to every model. */
  instructions: string;
  /** Prompt templates of the person's own. */
  prompts: string;
  logs: string;
  settings: string;
  credentials: string;
  approvals: string;
  /** The folders that the person trusts. */
  /** Calls that the person was asked about and has not allowed. */
  asked: string;
  trust: string;
  /** MCP servers of the person's own. */
  mcp: string;
  /** What they decided about all MCP servers. */
  mcpDecisions: string;
  windowState: string;
  /** Which exports are under way. */
  exports: string;
  /** Which imports are under way. */
  imports: string;
  /** What was chosen for sessions in which nothing was said. */
  unsaid: string;
  /** The index of the search, a cache. */
  search: string;
  /** What was made and seen of the tour. */
  tour: string;
  /** Which session is being drawn. */
  drawing: string;
  /** Which session was shown last. */
  shown: string;
  /** That the window's database could not be used. */
  database: string;
  /** The person's own extensions, what they chose for them, and their sources made ready to run. */
  extensions: string;
  extensionBook: string;
  extensionCache: string;
  /** Which process has all of this. */
  instance: string;
  /** Electron's userData: IndexedDB lives in it. */
  profile: string | null;
}

/** `ESPALIER_HOME`, if it is set: everything lies in it, the profile too (tests, portable use). */
function homeOf(environment: NodeJS.ProcessEnv): string | null {
  const home = environment.ESPALIER_HOME;
  return home !== undefined && home.trim() !== '' ? home : null;
}

/** Where everything is: in `ESPALIER_HOME`, else where the person moved it, else in `~/.espalier`. */
export function resolvePaths(
  environment: NodeJS.ProcessEnv,
  location?: { data: string | null; former: readonly string[] },
): AppPaths {
  const home = homeOf(environment);
  const data = home ?? location?.data ?? join(homedir(), '.espalier');
  return {
    data,
    former: home === null ? (location?.former ?? []) : [],
    sessions: join(data, 'sessions'),
    trash: join(data, 'trash'),
    outputs: join(data, 'outputs'),
    scratch: join(data, 'workspaces', 'scratch'),
    skills: join(data, 'skills'),
    instructions: join(data, 'instructions.json'),
    prompts: join(data, 'prompts'),
    logs: join(data, 'logs'),
    settings: join(data, 'settings.json'),
    credentials: join(data, 'credentials.json'),
    approvals: join(data, 'approvals.json'),
    asked: join(data, 'asked.json'),
    trust: join(data, 'trust.json'),
    mcp: join(data, 'mcp.json'),
    mcpDecisions: join(data, 'mcp-decisions.json'),
    windowState: join(data, 'window.json'),
    exports: join(data, 'exports.json'),
    imports: join(data, 'imports.json'),
    unsaid: join(data, 'unsaid.json'),
    search: join(data, 'search'),
    tour: join(data, 'tour.json'),
    drawing: join(data, 'drawing.json'),
    shown: join(data, 'shown.json'),
    database: join(data, 'database.json'),
    extensions: join(data, 'extensions'),
    extensionBook: join(data, 'extensions.json'),
    extensionCache: join(data, 'extension-cache'),
    instance: join(data, 'instance.json'),
    profile: home === null ? null : join(data, 'profile'),
  };
}

/** Where a folder is now that was in the scratch workspace before the data folder was moved; any other is where it was. */
export function sinceMoved({ data, former }: Pick<AppPaths, 'data' | 'former'>, folder: string): string {
  for (const before of former) {
    const way = relative(join(before, 'workspaces'), folder);
    if (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)) return join(data, 'workspaces', way);
  }
  return folder;
}
