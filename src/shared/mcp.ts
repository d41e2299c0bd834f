/** What the window is shown of servers of the Model Context Protocol (EX20). */

/** How one does: as it runs in the folder of a session, or why it does not. */
export type McpStatus =
  | 'starting'
  | 'ready'
  /** It ended and is started again soon. */
  | 'waiting'
  | 'failed'
  | 'signIn'
  | 'stopped'
  /** Another server of the same name counts in its place. */
  | 'behind'
  | 'off'
  /** The person has not said yes to it as it is now. */
  | 'unasked'
  | 'untrusted';

export interface McpServerView {
  id: string;
  name: string;
  /** The file that names it. */
  file: string;
  /** It is of a folder, not the person's everywhere. */
  ofFolder: boolean;
  /** Settings can take it out of its file. */
  isOwn: boolean;
  /** Its command line, or its address. */
  reach: string;
  isRemote: boolean;
  /** Something is kept of a sign-in there. */
  isSignedIn: boolean;
  status: McpStatus;
  /** Why it does not run, if there is more to say. */
  problem: string;
  tools: number;
  toolsOff: number;
  /** What the schemas of the tools that are on take of each request. */
  tokens: number;
}

export interface McpList {
  servers: McpServerView[];
  /** What of the files can't be used, a sentence each. */
  problems: string[];
  /** The tools of all take more than a tenth of the model's window: they are found with `tool_search`. */
  isSearched: boolean;
}

interface McpToolView {
  name: string;
  description: string;
  tokens: number;
  readOnly: boolean;
  isOn: boolean;
}

export interface McpDetails {
  tools: McpToolView[];
  /** Newest last. */
  log: string[];
  trustsReadOnly: boolean;
}

/** A server as the form of Settings gives it. */
export type McpEntry =
  { command: string; args: string[]; env: Record<string, string> } | { url: string; headers: Record<string, string> };
