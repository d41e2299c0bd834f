/** What crosses between main and the process of a scope (EX12). The process is not trusted: main checks what it uses. */

/** `tui`: as in a terminal. `rpc`: the extension is told that there is none. */
type ExtensionMode = 'tui' | 'rpc';

/** An extension to load. */
export interface WireExtension {
  id: string;
  /** As the person knows it. */
  name: string;
  /** Its entry file. */
  path: string;
  mode: ExtensionMode;
  scope: 'user' | 'project';
  /** Folder or file that it was found as. */
  root: string;
}

/** What is true of a session now. Pushed before each event that follows a change. */
export interface WireFacts {
  sessionId: string;
  cwd: string;
  file: string;
  dir: string;
  header: unknown;
  name: string | undefined;
  leafId: string | null;
  model: unknown;
  thinkingLevel: string;
  isIdle: boolean;
  hasPending: boolean;
  contextUsage: unknown;
  activeTools: readonly string[];
  allTools: readonly unknown[];
  commands: readonly unknown[];
  systemPrompt: string;
  isTrusted: boolean;
  /** Text of the composer. Counts when a session is opened; what it becomes is told by itself, since it may be long. */
  editorText: string;
  /** How large a terminal is in its window, as far as that is known. */
  terminal?: { columns: number; rows: number };
}

/** What a scope's process is told once. */
export interface WireStart {
  /** Where extensions keep things; what `getAgentDir` says. */
  agentDir: string;
  /** For sources made ready to run. */
  cacheDir: string;
  /** All models, without keys; and which of them can be used. */
  models: readonly unknown[];
  available: readonly string[];
  version: string;
}

/** One handler that an extension has registered. */
interface WireHandler {
  id: number;
  event: string;
}

export interface WireTool {
  name: string;
  label: string;
  description: string;
  parameters: Record<string, unknown>;
  promptSnippet?: string;
  promptGuidelines?: string[];
  isSequential: boolean;
  /** It prepares raw arguments itself. */
  isPrepared: boolean;
  isOff: boolean;
  readOnlyHint: boolean;
}

export interface WireCommand {
  name: string;
  description: string;
}

/** A provider as it was registered, without its code. */
export interface WireProvider {
  id: string;
  /** `streams`, `oauth`: it has code for that. */
  config: Record<string, unknown>;
}

/** Everything that an extension has registered in one session. */
export interface WireRegistrations {
  handlers: WireHandler[];
  tools: WireTool[];
  commands: WireCommand[];
  providers: WireProvider[];
  /** Of which tools it draws the calls, and of which types the messages and entries. */
  draws: { tools: string[]; types: string[] };
}

/** What came of one handler. `changed`: the payload as the handler left it, if it changed it. */
export interface WireReply {
  result: unknown;
  changed?: Record<string, unknown>;
}

/** A request to a model that an extension streams by code of its own. */
export interface WireStream {
  provider: string;
  model: unknown;
  context: unknown;
  /** pi-ai's simple ones, with the key. */
  options: Record<string, unknown>;
}

/** What is to be drawn: an entry by its id, or one side of a call by the call's. */
export interface WireDraw {
  of: 'call' | 'result' | 'entry';
  id: string;
  columns: number;
  isExpanded: boolean;
}

export type WireTerminalInput = { input: string } | { columns: number; rows: number };

/** Main's calls of the process. */
export interface ProcessCalls {
  start: WireStart;
  open: { facts: WireFacts };
  load: { sessionId: string; extension: WireExtension };
  event: { sessionId: string; handlerId: number; event: string; payload: Record<string, unknown> };
  tool: { sessionId: string; extensionId: string; name: string; callId: string; args: unknown };
  command: { sessionId: string; extensionId: string; name: string; args: string };
  /** A key, a paste or a new size for a view that it has opened. */
  terminal: { sessionId: string; extensionId: string; view: string; what: WireTerminalInput };
  draw: { sessionId: string; extensionId: string } & WireDraw;
  /** What it would write at the cursor of the composer. */
  complete: { sessionId: string; extensionId: string; text: string; caret: number };
  stream: { sessionId: string; extensionId: string; callId: string } & WireStream;
  close: { sessionId: string };
  /** Heartbeat. */
  ping: null;
}
