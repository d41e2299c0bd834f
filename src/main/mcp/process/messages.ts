/** What main and the process of the MCP clients say to each other. Plain data; all of it bounded by the process. */

/** How a server is started or reached: everything is in it, for the process knows no environment of the app's. */
export type McpReach =
  | { kind: 'stdio'; command: string; args: string[]; env: Record<string, string>; cwd: string }
  | { kind: 'http'; url: string; headers: Record<string, string>; oauth: McpOAuth };

/** What signing in at a server needs; all but `saved` is what its entry says. */
export interface McpOAuth {
  clientId?: string;
  clientSecret?: string;
  scope?: string;
  callbackPort?: number;
  /** What was kept of the last sign-in. */
  saved: string | null;
}

export interface McpTool {
  /** As the server calls it. */
  name: string;
  title: string;
  description: string;
  /** A JSON schema of an object. */
  schema: Record<string, unknown>;
  /** What the server says of it: it changes nothing. */
  readOnly: boolean;
}

export interface McpResource {
  uri: string;
  name: string;
  description: string;
  mimeType: string;
}

export interface McpPrompt {
  name: string;
  description: string;
  arguments: { name: string; description: string; required: boolean }[];
}

/** Something of a server's offer that is left out or cut, and why. */
export interface McpProblem {
  tool: string;
  why: string;
}

/** What a server offers, as far as it can be used. */
export interface McpOffer {
  tools: McpTool[];
  prompts: McpPrompt[];
  hasResources: boolean;
  /** Its own words on how it is used. */
  instructions: string;
  version: string;
  problems: McpProblem[];
}

export type McpPart = { type: 'text'; text: string } | { type: 'image'; data: string; mimeType: string };

export interface McpResult {
  content: McpPart[];
  isError: boolean;
  /** Where all of its text is, if it was more than a result carries. */
  fullOutputPath?: string;
  /** Characters that the server gave in all. */
  totalChars: number;
}

/** Requests of main: name → parameters and answer. */
export interface McpRequests {
  ping: { params: Record<never, never>; answer: null };
  connect: { params: { server: number; reach: McpReach; timeoutMs: number }; answer: McpOffer };
  /** Has the person sign in; answers when they have. */
  signIn: { params: { server: number; url: string; oauth: McpOAuth }; answer: null };
  /** Ends a server with all that it started. */
  disconnect: { params: { server: number }; answer: null };
  offer: { params: { server: number }; answer: McpOffer };
  call: {
    params: { server: number; tool: string; args: Record<string, unknown>; timeoutMs: number; outputFile: string };
    answer: McpResult;
  };
  resources: { params: { server: number }; answer: McpResource[] };
  read: { params: { server: number; uri: string; outputFile: string }; answer: McpResult };
  prompt: { params: { server: number; name: string; args: Record<string, string> }; answer: string };
}

export type McpMethod = keyof McpRequests;

/** Main to process. `cancel` names a request that nobody waits for any more. */
export type ToProcess =
  { [M in McpMethod]: { id: number; method: M } & McpRequests[M]['params'] }[McpMethod] | { cancel: number };

/** Process to main: an answer, or something that happened. */
export type FromProcess =
  | { id: number; answer: unknown }
  | { id: number; error: string; needsSignIn?: true }
  | { event: 'log'; server: number; line: string }
  /** It ended by itself. */
  | { event: 'gone'; server: number; why: string }
  /** Its tools or prompts are others now. */
  | { event: 'changed'; server: number }
  /** The group of processes that it is, to be ended if this process can't do it any more. */
  | { event: 'started'; server: number; group: number }
  /** That group is no more. */
  | { event: 'ended'; group: number }
  /** The person is to be shown this address, for the sign-in with this id. */
  | { event: 'open'; id: number; url: string }
  /** What is to be kept of a sign-in, for the next start. */
  | { event: 'keep'; server: number; saved: string }
  | { event: 'progress'; id: number; text: string };
