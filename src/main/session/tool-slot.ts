import type { RunTools } from '../agent/run-scope';

/** The tool host of one session (src/main/approvals). */
export interface SessionTools extends RunTools {
  dispose(): Promise<void>;
}

export interface ToolOptions {
  sessionId: string;
  workspaceDir: string;
  /** The entry of the newest reply of the active path: the one whose calls run. */
  replyId: () => string | null;
  keepEdit: (toolCallId: string, command: string) => Promise<void>;
  onOutput: (output: { toolCallId: string; chunk: string }) => void;
}

/** The tools of a session: made when a run first needs them, again when the workspace has changed. */
export class ToolSlot {
  /** The tools of the run under way; null before the first. */
  current: SessionTools | null = null;
  private workspace = '';

  constructor(
    private readonly workspaceDir: () => string,
    private readonly create: (workspaceDir: string) => SessionTools,
  ) {}

  async ready(): Promise<SessionTools> {
    const workspace = this.workspaceDir();
    if (this.current && this.workspace === workspace) return this.current;
    await this.dispose();
    this.workspace = workspace;
    this.current = this.create(workspace);
    return this.current;
  }

  async dispose(): Promise<void> {
    const tools = this.current;
    this.current = null;
    await tools?.dispose();
  }
}
