import type { GuidanceFile, ProjectDoor, ProjectLook } from '../ports';
import { findGuidance, readGuidance } from '../agent/project-guidance';
import { gatherWorkspaceFacts } from '../agent/workspace-facts';
import { Workspace } from '../tools/workspace';

export interface ProjectOptions {
  /** Asked at each use. */
  isTrusted: (folder: string) => Promise<boolean>;
  /** Whether a folder is one of the app's own workspaces, which the agents of many sessions share. Asked at each use. */
  isScratch: (folder: string) => Promise<boolean>;
  dataDir: string;
  profileDir?: string;
  deniedPaths: () => readonly string[];
}

const RESTRICTED_FACTS = [
  '- The person has not trusted this folder. Its notes, its git state and its list of files are left out here. Reading in it is asked for once, every write and every command each time.',
];

/** What a session learns of its folder by itself. In a folder that is not trusted: nothing. */
export class Project implements ProjectDoor {
  constructor(private readonly options: ProjectOptions) {}

  async look(folder: string): Promise<ProjectLook> {
    const isTrusted = await this.options.isTrusted(folder);
    // What lies in a shared workspace was written by the agent of any session: nobody chose it as guidance for this one.
    const hasGuidance = isTrusted && !(await this.options.isScratch(folder));
    return { isTrusted, guidance: hasGuidance ? await readGuidance(this.workspace(folder)) : null };
  }

  async facts(folder: string): Promise<string[]> {
    if (!(await this.options.isTrusted(folder))) return RESTRICTED_FACTS;
    return gatherWorkspaceFacts(this.workspace(folder));
  }

  guidanceFiles(folder: string): Promise<GuidanceFile[]> {
    return findGuidance(this.workspace(folder));
  }

  private workspace(workspaceDir: string): Workspace {
    const { dataDir, profileDir, deniedPaths } = this.options;
    return new Workspace({ workspaceDir, dataDir, profileDir, deniedPaths: deniedPaths() });
  }
}
