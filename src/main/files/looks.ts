import { setMaxListeners } from 'node:events';
import type { Guidance, GuidanceFile } from '../ports';
import { type FolderNames, namesInFolder } from '../project/folder-names';
import { findGuidance, readGuidance, readNestedGuidance } from '../project/guidance';
import { wordsOfFolder, wordsOfWorkspace } from '../project/read-words';
import type { WordFile, WordsAsk } from '@shared/words';
import { extensionsOf, type FoundExtension, packageExtensions } from '../project/extension-files';
import { moreWords, type MorePlaces } from '../project/more-words';
import { gatherWorkspaceFacts, type GitLook, lookAtGit } from '../project/workspace-facts';
import { SilentFolder, type FileWorkers } from './file-workers';
import type { FileJobs } from './file-work';
import { mountOf } from '../places/mounts';
import { isAtOrBelow } from '../places/protected-paths';
import { Workspace, type ToolPlace } from '../places/workspace';
import { identify, widthOf, type FolderIdentity, type Width } from '../places/folder';

/** What main wants to know of a folder that an agent works in, or might. */
export interface FolderLooks {
  /** What is there; null if that is not a folder, or one that does not answer. Never rejects. */
  identify(folder: string): Promise<FolderIdentity | null>;
  /** The others reject with a sentence where the folder does not answer. */
  widthOf(folder: string, dataDir: string): Promise<Width | null>;
  git(folder: string): Promise<GitLook>;
  guidance(place: ToolPlace): Promise<Guidance | null>;
  guidanceFiles(place: ToolPlace): Promise<GuidanceFile[]>;
  /** The extensions that lie in a workspace. */
  extensions(folder: string): Promise<FoundExtension[]>;
  /** What it would bring if it were trusted. */
  names(place: ToolPlace): Promise<FolderNames>;
  facts(place: ToolPlace): Promise<string[]>;
  nestedGuidance(place: ToolPlace, files: readonly string[]): Promise<Guidance[]>;
  /** Skills or templates of a workspace. */
  words(place: ToolPlace, ask: WordsAsk): Promise<WordFile[]>;
  /** Those in a folder of the person's own. */
  ownWords(folder: string, ask: WordsAsk): Promise<WordFile[]>;
  /** Those of packages, and of what extensions name. `folder`: where it may hang. */
  moreWords(folder: string, places: MorePlaces, ask: WordsAsk): Promise<WordFile[]>;
  /** Extensions of packages in npm projects of the person's own. */
  packages(folder: string, places: readonly string[]): Promise<FoundExtension[]>;
  /** Whether it did not answer when it was last looked at. */
  isSilent(folder: string): boolean;
}

/** Looks in this process: for the tests and programs that have no other folders than their own. The app's are `WorkerLooks`. */
export const directLooks: FolderLooks = {
  identify,
  widthOf,
  git: lookAtGit,
  guidance: (place) => readGuidance(new Workspace(place)),
  guidanceFiles: (place) => findGuidance(new Workspace(place)),
  extensions: extensionsOf,
  names: namesInFolder,
  facts: (place) => gatherWorkspaceFacts(new Workspace(place)),
  nestedGuidance: (place, files) => readNestedGuidance(new Workspace(place), files),
  words: wordsOfWorkspace,
  ownWords: wordsOfFolder,
  moreWords: (_folder, places, ask) => moreWords(places, ask),
  packages: (_folder, places) => packageExtensions(places),
  isSilent: () => false,
};

/** Milliseconds that a folder has. With git, which has three seconds of its own. */
const LOOK_MS = 5_000;
const GIT_LOOK_MS = 8_000;
/** Until it is asked again by itself: twice as long each time. */
const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 60_000;

/** What is said of a folder that does not answer. */
export const notResponding = (folder: string): string =>
  `${folder} is not responding. It may be on a network drive or a disk that is gone. Nothing was changed; Espalier keeps checking it.`;

/**
 * Looks in processes that may be lost (docs/specs/safety.md A12). A folder that does not answer within its time counts as silent, and with it all of what
 * is mounted there: nobody waits for it again until it has answered, and who is asked meanwhile says so at once.
 */
export class WorkerLooks implements FolderLooks {
  /** By the mount point where that is known, else by the folder. */
  private readonly silent = new Map<string, { waitMs: number; timer: NodeJS.Timeout | undefined }>();

  private readonly closing = new AbortController();

  /** @param onChange a folder fell silent, or answers again */
  constructor(
    private readonly files: Pick<FileWorkers, 'run'>,
    private readonly onChange: () => void,
    private readonly firstWaitMs = FIRST_WAIT_MS,
    private readonly lookMs = LOOK_MS,
  ) {
    // Of every look that is under way, and each takes its own away: past ten Node would warn of a leak.
    setMaxListeners(0, this.closing.signal);
  }

  isSilent(folder: string): boolean {
    return [...this.silent.keys()].some((place) => isAtOrBelow(folder, place));
  }

  identify(folder: string): Promise<FolderIdentity | null> {
    return this.ask('identify', folder, { folder }).catch(() => null);
  }

  widthOf(folder: string, dataDir: string): Promise<Width | null> {
    return this.ask('width', folder, { folder, dataDir });
  }

  git(folder: string): Promise<GitLook> {
    return this.ask('git', folder, { folder }, GIT_LOOK_MS);
  }

  guidance(place: ToolPlace): Promise<Guidance | null> {
    return this.ask('guidance', place.workspaceDir, { place });
  }

  guidanceFiles(place: ToolPlace): Promise<GuidanceFile[]> {
    return this.ask('guidanceFiles', place.workspaceDir, { place });
  }

  extensions(folder: string): Promise<FoundExtension[]> {
    return this.ask('extensions', folder, { folder });
  }

  names(place: ToolPlace): Promise<FolderNames> {
    return this.ask('folderNames', place.workspaceDir, { place });
  }

  facts(place: ToolPlace): Promise<string[]> {
    return this.ask('facts', place.workspaceDir, { place }, GIT_LOOK_MS);
  }

  nestedGuidance(place: ToolPlace, files: readonly string[]): Promise<Guidance[]> {
    return this.ask('nestedGuidance', place.workspaceDir, { place, files });
  }

  words(place: ToolPlace, ask: WordsAsk): Promise<WordFile[]> {
    return this.ask('words', place.workspaceDir, { place, ask });
  }

  ownWords(folder: string, ask: WordsAsk): Promise<WordFile[]> {
    return this.ask('ownWords', folder, { folder, ask });
  }

  moreWords(folder: string, places: MorePlaces, ask: WordsAsk): Promise<WordFile[]> {
    return this.ask('moreWords', folder, { folder, places, ask });
  }

  packages(folder: string, places: readonly string[]): Promise<FoundExtension[]> {
    return this.ask('packages', folder, { folder, places });
  }

  /** Nobody waits any longer, and nothing is asked again: the app quits. */
  close(): void {
    this.closing.abort();
    for (const { timer } of this.silent.values()) clearTimeout(timer);
  }

  private async ask<K extends keyof FileJobs>(
    kind: K,
    folder: string,
    params: FileJobs[K]['params'],
    timeoutMs = this.lookMs,
  ): Promise<FileJobs[K]['answer']> {
    if (this.isSilent(folder)) throw new RangeError(notResponding(folder));
    try {
      return await this.files.run(kind, params, { lane: 'looks', timeoutMs, signal: this.closing.signal });
    } catch (error) {
      if (!(error instanceof SilentFolder)) throw error;
      this.fellSilent(folder);
      throw new RangeError(notResponding(folder), { cause: error });
    }
  }

  private fellSilent(folder: string): void {
    const place = mountOf(folder) ?? folder;
    if (this.silent.has(place)) return;
    const entry = { waitMs: this.firstWaitMs, timer: undefined as NodeJS.Timeout | undefined };
    this.silent.set(place, entry);
    const again = (): void => {
      if (this.closing.signal.aborted) return;
      entry.timer = setTimeout(() => {
        entry.waitMs = Math.min(2 * entry.waitMs, LONGEST_WAIT_MS);
        this.files
          .run('identify', { folder }, { lane: 'looks', timeoutMs: this.lookMs, signal: this.closing.signal })
          .then(() => {
            this.silent.delete(place);
            this.onChange();
          }, again);
      }, entry.waitMs);
      entry.timer.unref();
    };
    again();
    this.onChange();
  }
}
