import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * Where Espalier keeps its files. The journals live outside the browser profile on purpose: whatever resets the
 * profile (QB2) must not reach them.
 */
export interface AppPaths {
  data: string;
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
  /** Which process has all of this. */
  instance: string;
  /** Electron's userData: IndexedDB lives in it. */
  profile: string | null;
}

/** `ESPALIER_HOME` moves everything, profile included (tests, portable use); otherwise `~/.espalier`. */
export function resolvePaths(environment: NodeJS.ProcessEnv): AppPaths {
  const moved = environment.ESPALIER_HOME;
  const data = moved && moved.trim() !== '' ? moved : join(homedir(), '.espalier');
  return {
    data,
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
    windowState: join(data, 'window.json'),
    exports: join(data, 'exports.json'),
    imports: join(data, 'imports.json'),
    unsaid: join(data, 'unsaid.json'),
    search: join(data, 'search'),
    tour: join(data, 'tour.json'),
    drawing: join(data, 'drawing.json'),
    shown: join(data, 'shown.json'),
    database: join(data, 'database.json'),
    instance: join(data, 'instance.json'),
    profile: moved && moved.trim() !== '' ? join(data, 'profile') : null,
  };
}
