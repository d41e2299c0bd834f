import type { OutsideTool } from '../extensions/tool-source';
import type { FileWorkers } from '../files/file-workers';
import type { FolderLooks } from '../files/looks';
import type { Approvals } from './approvals';
import type { PendingCalls } from './pending-calls';
import type { ToolPolicy } from '@shared/policy/tool-policy';

/** The person's choices that tools follow; read again at each call. */
export interface ToolSettings {
  /** allow · ask · deny per tool name. */
  policy: ToolPolicy;
  /** Paths (absolute, `~/…`, or relative to the workspace) that no tool may touch, with everything below them. */
  deniedPaths: readonly string[];
  /** Commands may use the person's SSH agent. */
  sshAgent?: boolean;
}

export interface ToolHostOptions {
  workspaceDir: string;
  dataDir: string;
  /** Full outputs go to `<outputsDir>/<sessionId>/`. */
  outputsDir: string;
  /** The browser profile, where it lies outside dataDir. */
  profileDir?: string;
  /** Where dataDir was before. */
  formerDirs?: readonly string[];
  sessionId: string;
  approvals: Approvals;
  /** Where it is noted which calls have not begun; without it that is not known after a crash. */
  asked?: PendingCalls;
  /** Keeps the command that will run in place of the call's. The call is made when it resolves, and not if it rejects. */
  keepEdit?: (toolCallId: string, command: string) => Promise<void>;
  /** The entry of the reply whose calls run; null while there is none. */
  replyId?: () => string | null;
  /** Where all work on files is done. */
  files: FileWorkers;
  /** How it is found out which folder stands at the path of the workspace, and what its git settings name. */
  looks?: Pick<FolderLooks, 'identify' | 'git' | 'isSilent'>;
  settings: () => ToolSettings;
  /** Real paths of the person's own skills that a model was told of: reading there is never asked for (EX18). */
  skillFolders?: () => readonly string[];
  /** Whether the person trusts the workspace now; asked at each call. */
  isTrusted: () => Promise<boolean>;
  /** Tools of extensions and MCP servers, asked for when a run begins. */
  outside?: () => readonly OutsideTool[];
  /** The names of those that the model may call; null: all. */
  activeTools?: () => readonly string[] | null;
  /** An extension listens to what tools say while they run. */
  hearsUpdates?: () => boolean;
  /** Live output of `bash`: at most one chunk per 50 ms and call, of more only the end. */
  onOutput?: (output: { toolCallId: string; chunk: string }) => void;
}
