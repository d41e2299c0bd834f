import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { readOwnFile, type OwnFileRead, type Parsed } from '../own-files/own-file';
import { saveOwnFile } from '../own-files/write-own';
import { identify, isSameFolder, type FolderIdentity } from '../places/folder';
import { isAtOrBelow } from '../places/protected-paths';
import { directLooks, type FolderLooks } from '../files/looks';

const folderSchema = z.strictObject({
  path: z.string().min(1).max(8192).refine(isAbsolute),
  ino: z.string().regex(/^\d{1,20}$/),
  born: z
    .string()
    .regex(/^\d{1,20}$/)
    .optional(),
  trustedAt: z.iso.datetime(),
});
const fileSchema = z.strictObject({
  version: z.literal(1),
  /** The folders of the sessions that there were before trust was asked for have been offered. */
  offered: z.boolean(),
  folders: z.array(folderSchema).max(10_000),
});
type TrustFile = z.infer<typeof fileSchema>;

export type TrustedFolder = z.infer<typeof folderSchema>;

const NOTHING: TrustFile = { version: 1, offered: false, folders: [] };

export interface TrustBookOptions {
  /** `<dataDir>/trust.json`. */
  file: string;
  /** The app's own workspaces; they are trusted. */
  scratchRoot: string;
  /** Nothing is trusted in this run, the app's own workspaces neither. */
  isSuspended?: boolean;
  now?: () => number;
  /** How a folder that may hang is looked at. */
  looks?: Pick<FolderLooks, 'identify'>;
}

/**
 * The folders that the person trusts, by real path and identity (docs/specs/safety.md B1). Asked at each use; whatever can't
 * be found out is not trusted. Of a file that is not one, or can't be read, nothing is trusted.
 */
export class TrustBook {
  private readonly looks: Pick<FolderLooks, 'identify'>;
  private readonly listeners = new Set<(folders: readonly string[]) => void>();
  private writing: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly options: TrustBookOptions,
    private state: TrustFile,
    private readonly mayReplace: OwnFileRead<TrustFile>['mayReplace'],
    /** Sentences for the person about a file that could not be read. */
    readonly problems: readonly string[],
  ) {
    this.looks = options.looks ?? directLooks;
  }

  /** Never rejects. */
  static async open(options: TrustBookOptions): Promise<TrustBook> {
    const { value, problems, state, mayReplace } = await readOwnFile(options.file, {
      name: 'The trusted folders',
      parse,
      empty: () => NOTHING,
      ...{
        remedy: 'Espalier asks about every folder again.',
        meanwhile: 'No folder is trusted until they can be read.',
      },
    });
    // What was offered is not known while it can't be read, so nothing is.
    return new TrustBook(options, state === 'unread' ? { ...value, offered: true } : value, mayReplace, problems);
  }

  /** Whether the person trusts the folder that is at this path now. Never rejects. */
  async isTrusted(folder: string): Promise<boolean> {
    if (this.options.isSuspended) return false;
    const found = await this.looks.identify(folder);
    if (!found) return false;
    if (this.state.folders.some((trusted) => isSameFolder(trusted, found))) return true;
    return this.isScratch(found.path);
  }

  /** Whether another folder stands where one stood that the person trusts. Never rejects. */
  async wasReplaced(folder: string): Promise<boolean> {
    const found = await this.looks.identify(folder);
    if (!found) return false;
    const known = this.state.folders.filter(({ path }) => path === found.path);
    return known.length > 0 && !known.some((trusted) => isSameFolder(trusted, found));
  }

  /** Whether a real path is one of the app's own workspaces. */
  async isScratch(path: string): Promise<boolean> {
    const scratch = await identify(this.options.scratchRoot);
    return scratch !== null && isAtOrBelow(path, scratch.path);
  }

  /** Oldest first. */
  list(): TrustedFolder[] {
    return [...this.state.folders];
  }

  get wasOffered(): boolean {
    return this.state.offered || this.options.isSuspended === true;
  }

  /** Trusts what was shown. Rejects with a sentence if something else is there now, or if it can't be saved. */
  async trust(shown: readonly FolderIdentity[]): Promise<void> {
    if (this.options.isSuspended)
      throw new RangeError(
        'Your settings could not be read, so no folder is trusted until Espalier is restarted. Nothing was changed.',
      );
    for (const folder of shown) {
      const now = await this.looks.identify(folder.path);
      if (!now || !isSameFolder(folder, now))
        throw new RangeError(`${folder.path} changed while the question was open. It is not trusted; check it again.`);
    }
    const trustedAt = new Date((this.options.now ?? Date.now)()).toISOString();
    const added = shown.map(({ path, ino, born }) => ({
      path,
      ino,
      ...(born === undefined ? {} : { born }),
      trustedAt,
    }));
    const paths = new Set(added.map(({ path }) => path));
    await this.write(
      ({ folders, ...rest }) => ({
        ...rest,
        folders: [...folders.filter(({ path }) => !paths.has(path)), ...added],
      }),
      [...paths],
    );
  }

  /** From the next use on the folder is restricted again. */
  async withdraw(path: string): Promise<void> {
    await this.write(
      (state) => ({ ...state, folders: state.folders.filter((folder) => folder.path !== path) }),
      [path],
    );
  }

  /** The list of known folders was shown or put aside; it is not offered by itself again. */
  async setOffered(): Promise<void> {
    if (!this.state.offered) await this.write((state) => ({ ...state, offered: true }), []);
  }

  /** The listener gets the paths that became trusted, or are trusted no longer. */
  onChange(listener: (folders: readonly string[]) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private async write(change: (state: TrustFile) => TrustFile, changed: readonly string[]): Promise<void> {
    const write = this.writing.then(async () => {
      const next = change(this.state);
      await this.mayReplace();
      try {
        await saveOwnFile(this.options.file, `${JSON.stringify(next, null, 2)}\n`);
      } catch (error) {
        const reason = (error as Error).message;
        throw new RangeError(`Your decision could not be saved, and nothing was changed. ${reason}`, { cause: error });
      }
      this.state = next;
    });
    this.writing = write.catch(() => undefined);
    await write;
    for (const listener of [...this.listeners]) listener(changed);
  }
}

/** Strict as a whole: a list that anything has changed is not a list of what the person trusts. */
function parse(json: unknown): Parsed<TrustFile> {
  const value = fileSchema.parse(json);
  return { value, bad: [], kept: value };
}
