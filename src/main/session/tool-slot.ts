import type { SessionTools } from './session-ports';

/** The tools of a session: made when a run first needs them, anew when the workspace has changed. */
export class ToolSlot {
  private current: SessionTools | null = null;
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
