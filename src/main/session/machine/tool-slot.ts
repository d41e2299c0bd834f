import type { RunTools } from '../../agent/run-scope';
import type { PromptLines } from '../../extensions/prompt-lines';
import type { ToolFacts } from '../../extensions/session-door';

/** The tool host of one session (src/main/approvals). */
export interface SessionTools extends RunTools {
  /** All that there is for the next run, and the names of those that it will have. */
  offered?(): { all: ToolFacts[]; active: string[] };
  /** What they want the system prompt of the run to say. */
  promptLines?(): PromptLines;
  /** A run begins with the tools that there are now. */
  fix?(): void;
  dispose(): Promise<void>;
}

export interface ToolOptions {
  sessionId: string;
  workspaceDir: string;
  /** The entry of the newest reply of the active path: the one whose calls run. */
  replyId: () => string | null;
  keepEdit: (toolCallId: string, command: string) => Promise<void>;
  onOutput: (output: { toolCallId: string; chunk: string }) => void;
  /** An extension listens to what tools say while they run. */
  hearsUpdates: () => boolean;
  /** The names of the tools that the model may call; null: those that are by default. */
  activeTools: () => readonly string[] | null;
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
    if (!this.current || this.workspace !== workspace) {
      await this.dispose();
      this.workspace = workspace;
      this.current = this.create(workspace);
    }
    this.current.fix?.();
    return this.current;
  }

  /** What the next run will have; a host is made for it if there is none. */
  offered(): { all: ToolFacts[]; active: string[] } {
    if (!this.current) {
      this.workspace = this.workspaceDir();
      this.current = this.create(this.workspace);
    }
    const { tools, offered } = this.current;
    const plain = tools.map(({ name, label, description, parameters }) => ({ name, label, description, parameters }));
    const all = plain.map((tool) => ({ ...tool, origin: null }));
    return offered?.() ?? { all, active: all.map(({ name }) => name) };
  }

  async dispose(): Promise<void> {
    const tools = this.current;
    this.current = null;
    await tools?.dispose();
  }
}
