import type { PendingCalls } from '../approvals/pending-calls';
import type { Approvals } from '../approvals/approvals';
import { createToolHost } from '../approvals/tool-host';
import type { ToolSources } from '../extensions/tool-source';
import type { FileWorkers } from '../files/file-workers';
import type { WorkerLooks } from '../files/looks';
import type { AppPaths } from '../paths';
import type { SessionTools, ToolOptions } from '../session/machine/tool-slot';
import type { SettingsStore } from '../settings/settings-store';
import type { Project } from '../trust/project-door';
import type { TrustBook } from '../trust/trust-book';

interface ToolParts {
  paths: AppPaths;
  /** Electron's own folder: never written by a tool. */
  profileDir: string;
  files: FileWorkers;
  looks: WorkerLooks;
  approvals: Approvals;
  asked: PendingCalls;
  trust: TrustBook;
  project: Project;
  toolSources: ToolSources;
  settings: SettingsStore;
  onCreate: (sessionId: string) => void;
}

/** Makes the tools of a session, in the folder that it works in. */
export function toolHosts({ paths, trust, project, toolSources, settings, onCreate, ...parts }: ToolParts) {
  return ({ sessionId, workspaceDir, ...options }: ToolOptions): SessionTools => {
    onCreate(sessionId);
    return createToolHost({
      ...{ ...parts, ...options, sessionId, workspaceDir },
      ...{ dataDir: paths.data, formerDirs: paths.former, outputsDir: paths.outputs },
      isTrusted: () => trust.isTrusted(workspaceDir),
      skillFolders: () => project.skillFolders(workspaceDir),
      outside: () => toolSources.toolsOf(sessionId),
      settings: () => {
        const current = settings.current();
        return {
          policy: { write: current['tools.write'], edit: current['tools.write'], bash: current['tools.bash'] },
          deniedPaths: current['tools.deniedPaths'],
          sshAgent: current['tools.sshAgent'],
        };
      },
    });
  };
}
