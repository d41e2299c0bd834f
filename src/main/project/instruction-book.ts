import { z } from 'zod';
import { readOwnFile, type OwnFileRead } from '../own-files/own-file';
import { saveOwnFile } from '../own-files/write-own';
import type { Instructions } from '../ports';
import { MAX_INSTRUCTION_CHARS } from '@shared/limits';

/** As many folders have instructions of their own; of more the oldest are forgotten. */
const MOST_FOLDERS = 500;

const TEXT = z.string().max(MAX_INSTRUCTION_CHARS);
const FILE = z.strictObject({
  version: z.literal(1),
  everywhere: TEXT,
  folders: z.array(z.strictObject({ path: z.string().min(1).max(8192), text: TEXT })).max(MOST_FOLDERS),
});
type Stored = z.infer<typeof FILE>;

const NOTHING: Stored = { version: 1, everywhere: '', folders: [] };

/** What the person wants to be told to every model: everywhere, and in one workspace (EX21). Kept by the folder's path. */
export class InstructionBook {
  private writing: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly file: string,
    private state: Stored,
    private readonly mayReplace: OwnFileRead<Stored>['mayReplace'],
    /** What was wrong with the file, for the person. */
    readonly problems: readonly string[],
  ) {}

  /** Never rejects. */
  static async open(file: string): Promise<InstructionBook> {
    const { value, problems, mayReplace } = await readOwnFile(file, {
      name: 'Your instructions',
      empty: () => NOTHING,
      parse: (json) => ({ value: FILE.parse(json), bad: [], kept: json }),
      ...{ remedy: 'Write them again in Settings.', meanwhile: 'No model is told of them.' },
    });
    return new InstructionBook(file, value, mayReplace, problems);
  }

  of(folder: string): Instructions {
    const { everywhere, folders } = this.state;
    return { everywhere, here: folders.find(({ path }) => path === folder)?.text ?? '' };
  }

  /** `folder` null: everywhere. @throws StorageError, and then nothing has changed */
  async set(folder: string | null, text: string): Promise<void> {
    const change = async (): Promise<void> => {
      const rest = this.state.folders.filter(({ path }) => path !== folder);
      const next: Stored =
        folder === null
          ? { ...this.state, everywhere: text }
          : {
              ...this.state,
              folders: text.trim() === '' ? rest : [...rest, { path: folder, text }].slice(-MOST_FOLDERS),
            };
      await this.mayReplace();
      await saveOwnFile(this.file, `${JSON.stringify(next, null, 2)}\n`);
      this.state = next;
    };
    const writing = this.writing.then(change);
    this.writing = writing.catch(() => undefined);
    return writing;
  }
}
