import type { Settings } from '@shared/settings';
import type { RunTools } from '../agent/agent-run';
import type { StreamTransport } from '../agent/stream/types';
import type { PromptPlace } from '../agent/system-prompt';
import type { Serializer } from '../compaction/serializer';
import type { ExtensionBus } from '../extensions/bus';
import type { Emit, ModelRegistry, ProjectDoor } from '../ports';

/** The tool host of one session (src/main/tools). */
export interface SessionTools extends RunTools {
  dispose(): Promise<void>;
}

interface ToolOptions {
  sessionId: string;
  workspaceDir: string;
  onOutput: (output: { toolCallId: string; chunk: string }) => void;
}

/** What a session is given; everything else it owns. */
export interface SessionPorts {
  models: ModelRegistry;
  transport: StreamTransport;
  serializer: Serializer;
  /** Where extensions take part; the same for all sessions. */
  extensions: ExtensionBus;
  settings: () => Settings;
  emit: Emit;
  /** Sends the events that wait for their frame. */
  flushEvents?: () => void;
  createTools: (options: ToolOptions) => SessionTools;
  /** Absolute path of the session's workspace. */
  workspaceOf: (sessionId: string) => string;
  /** What may be known of that folder before a tool is called. */
  project: ProjectDoor;
  promptPlace: (workspaceDir: string) => PromptPlace;
  queueFile: (sessionId: string) => string;
  /** An entry could not be stored (the error), or one could again (null). */
  onStorage: (error: unknown) => void;
  /** Unix milliseconds. */
  now: () => number;
}
