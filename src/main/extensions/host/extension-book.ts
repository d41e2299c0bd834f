import { z } from 'zod';
import { readOwnFile, type OwnFileRead } from '../../own-files/own-file';
import { saveOwnFile } from '../../own-files/write-own';
import type { ExtensionMode } from '@shared/extensions/view';

const schema = z.strictObject({
  version: z.literal(1),
  /** Ids of extensions that the person has switched off. */
  off: z.array(z.string().max(100)).max(10_000),
  /** Of those that are told that there is no terminal. */
  rpc: z.array(z.string().max(100)).max(10_000),
});
type Book = z.infer<typeof schema>;

const NOTHING: Book = { version: 1, off: [], rpc: [] };

/** What the person has chosen for extensions: `extensions.json`. */
export class ExtensionBook {
  private writing: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly file: string,
    private book: Book,
    private readonly mayReplace: OwnFileRead<Book>['mayReplace'],
    readonly problems: readonly string[],
    /** It can't be read now: nothing is loaded that might have been switched off. */
    private readonly isUnknown: boolean,
  ) {}

  /** Never rejects. */
  static async open(file: string): Promise<ExtensionBook> {
    const { value, mayReplace, problems, state } = await readOwnFile<Book>(file, {
      name: 'The choices for extensions',
      parse: (json) => {
        const book = schema.parse(json);
        return { value: book, bad: [], kept: book };
      },
      empty: () => NOTHING,
      remedy: 'All extensions are on again; switch off those that you do not want in Settings, Extensions.',
      meanwhile: 'No extension is loaded until they can be read.',
    });
    return new ExtensionBook(file, value, mayReplace, problems, state === 'unread');
  }

  isOn(id: string): boolean {
    return !this.isUnknown && !this.book.off.includes(id);
  }

  modeOf(id: string): ExtensionMode {
    return this.book.rpc.includes(id) ? 'rpc' : 'tui';
  }

  setOn(id: string, isOn: boolean): Promise<void> {
    return this.write('off', id, !isOn);
  }

  setMode(id: string, mode: ExtensionMode): Promise<void> {
    return this.write('rpc', id, mode === 'rpc');
  }

  private async write(list: 'off' | 'rpc', id: string, isIn: boolean): Promise<void> {
    const write = this.writing.then(async () => {
      const others = this.book[list].filter((other) => other !== id);
      const next = { ...this.book, [list]: isIn ? [...others, id] : others };
      await this.mayReplace();
      await saveOwnFile(this.file, `${JSON.stringify(next, null, 2)}\n`);
      this.book = next;
    });
    this.writing = write.catch(() => undefined);
    await write;
  }
}
