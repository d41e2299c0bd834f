import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { UNTRUSTED_FOLDER } from '@shared/policy/call-outcome';
import { type ListedSkill, listSkills } from '@shared/skills';
import type { WordFile, WordsAsk } from '@shared/words';
import type { Guidance, GuidanceFile, Instructions, ProjectDoor, ProjectLook } from '../ports';
import { isAtOrBelow } from '../places/protected-paths';
import type { ToolPlace } from '../places/workspace';
import { directLooks, type FolderLooks } from '../files/looks';
import type { FolderNames } from '../project/folder-names';
import type { MorePlaces } from '../project/more-words';
import { PACKAGE_PLACES } from '../project/package-files';

export interface ProjectOptions {
  /** Asked at each use. */
  isTrusted: (folder: string) => Promise<boolean>;
  /** Whether a folder is one of the app's own workspaces, which the agents of many sessions share. Asked at each use. */
  isScratch: (folder: string) => Promise<boolean>;
  dataDir: string;
  profileDir?: string;
  formerDirs?: readonly string[];
  deniedPaths: () => readonly string[];
  looks?: FolderLooks;
  /** Names of skills that the person switched off. */
  skillsOff?: () => readonly string[];
  instructions?: (folder: string) => Instructions;
}

/** Where the data folder has those of the person. */
const OWN_FOLDERS = { templates: 'prompts', skills: 'skills' } as const;

const RESTRICTED_FACTS = [
  `- ${UNTRUSTED_FOLDER} Its notes, its git state and its list of files are left out here. Reading in it is asked for once, every write and every command each time.`,
];

const SILENT_FACTS = [
  '- The folder does not answer now (a network drive or a disk that is gone, perhaps). Nothing of it was looked at.',
];

/** What a session learns of its folder by itself. In a folder that is not trusted: nothing. */
export class Project implements ProjectDoor {
  private readonly looks: FolderLooks;
  private readonly readable = new Map<string, readonly string[]>();

  constructor(private readonly options: ProjectOptions) {
    this.looks = options.looks ?? directLooks;
  }

  async look(folder: string): Promise<ProjectLook> {
    const isTrusted = await this.options.isTrusted(folder);
    // What lies in a shared workspace was written by the agent of any session: nobody chose it as guidance for this one.
    const hasGuidance = isTrusted && !(await this.options.isScratch(folder));
    const guidance = hasGuidance ? await this.looks.guidance(this.place(folder)).catch(() => null) : null;
    return this.looks.isSilent(folder) ? { isTrusted, guidance, isSilent: true } : { isTrusted, guidance };
  }

  async facts(folder: string): Promise<string[]> {
    const isTrusted = await this.options.isTrusted(folder);
    if (this.looks.isSilent(folder)) return SILENT_FACTS;
    if (!isTrusted) return RESTRICTED_FACTS;
    return this.looks.facts(this.place(folder)).catch(() => SILENT_FACTS);
  }

  guidanceFiles(folder: string): Promise<GuidanceFile[]> {
    return this.looks.guidanceFiles(this.place(folder));
  }

  folderNames(folder: string): Promise<FolderNames> {
    return this.looks.names(this.place(folder));
  }

  async words(folder: string | null, ask: WordsAsk, paths: readonly string[] = []): Promise<WordFile[]> {
    const own = this.looks.ownWords(join(this.options.dataDir, OWN_FOLDERS[ask.kind]), ask);
    // As with guidance: what lies in a shared workspace, nobody chose.
    const isOf = folder !== null && (await this.options.isTrusted(folder)) && !(await this.options.isScratch(folder));
    const project = isOf ? this.looks.words(this.place(folder), ask) : [];
    const places: MorePlaces = {
      own: [join(this.options.dataDir, 'packages')],
      packages: isOf ? PACKAGE_PLACES.map((place) => join(folder, place)) : [],
      paths,
    };
    const more = this.looks.moreWords(isOf ? folder : this.options.dataDir, places, ask);
    const found = await Promise.all([own, project, more].map((some) => Promise.resolve(some).catch(() => [])));
    return found.flat();
  }

  async skills(folder: string, paths: readonly string[] = []): Promise<ListedSkill[]> {
    const found = await this.words(folder, { kind: 'skills' }, paths);
    const off = this.options.skillsOff?.() ?? [];
    this.readable.set(folder, this.readableOf(found.filter(({ name }) => !off.includes(name))));
    return listSkills(found, off);
  }

  /** The folders of the person's own skills, as they were listed last for this folder: models read in them unasked (EX18). */
  skillFolders(folder: string): readonly string[] {
    return this.readable.get(folder) ?? [];
  }

  instructions(folder: string): Instructions {
    return this.options.instructions?.(folder) ?? { everywhere: '', here: '' };
  }

  async nestedGuidance(folder: string, files: readonly string[]): Promise<Guidance[]> {
    if (!(await this.options.isTrusted(folder)) || (await this.options.isScratch(folder))) return [];
    return this.looks.nestedGuidance(this.place(folder), files).catch(() => []);
  }

  /** A link that makes a skill of a folder with more than a skill in it opens nothing. */
  private readableOf(found: readonly WordFile[]): string[] {
    const kept = [this.options.dataDir, homedir()];
    return found.flatMap(({ isOut, isOwn, folder, path }) => {
      const own = dirname(path);
      return isOut || (folder !== '' && !isOwn) || kept.some((place) => isAtOrBelow(place, own)) ? [] : [own];
    });
  }

  private place(workspaceDir: string): ToolPlace {
    const { dataDir, profileDir, formerDirs, deniedPaths } = this.options;
    return { workspaceDir, dataDir, profileDir, formerDirs, deniedPaths: deniedPaths() };
  }
}
