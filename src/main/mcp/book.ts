import { z } from 'zod';
import { readOwnFile, type OwnFileRead } from '../own-files/own-file';
import { saveOwnFile } from '../own-files/write-own';

const hashSchema = z.string().regex(/^[0-9a-f]{64}$/);
const serverSchema = z.strictObject({
  key: z.string().min(1).max(10_000),
  /** Switched off by the person. */
  off: z.boolean(),
  /** Tools that no model is told of. */
  toolsOff: z.array(z.string().max(200)).max(5_000),
  /** The definition of which the person believes that what it calls read-only is: of another one of this name nothing is believed. */
  believed: hashSchema.optional(),
  /** Of files of earlier versions, which did not say of which definition: nothing is believed by it. */
  trustsReadOnly: z.boolean().optional(),
});
const fileSchema = z.strictObject({
  version: z.literal(1),
  /** Definitions that the person has agreed to, by their hash. */
  agreed: z.array(hashSchema).max(5_000),
  servers: z.array(serverSchema).max(5_000),
});
type BookFile = z.infer<typeof fileSchema>;

type Kept = Pick<z.infer<typeof serverSchema>, 'off' | 'toolsOff' | 'believed'>;

export interface McpChoices {
  off: boolean;
  toolsOff: string[];
  /** What the server calls read-only runs without a question. */
  trustsReadOnly: boolean;
}

/** What is decided about: a server by its place and name, and what it is at the time. */
interface Decided {
  key: string;
  hash: string;
}

const NOTHING: BookFile = { version: 1, agreed: [], servers: [] };
const USUAL: Kept = { off: false, toolsOff: [] };

/** What the person decided about servers: which definitions may start, and what of them is used. Of a file that can't be read: none may. */
export class McpBook {
  private writing: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly file: string,
    private state: BookFile,
    private readonly mayReplace: OwnFileRead<BookFile>['mayReplace'],
    /** Sentences for the person about a file that could not be read. */
    readonly problems: readonly string[],
  ) {}

  /** Never rejects. */
  static async open(file: string): Promise<McpBook> {
    const { value, problems, mayReplace } = await readOwnFile(file, {
      name: 'The decisions about MCP servers',
      parse: (json) => {
        const value = fileSchema.parse(json);
        return { value, bad: [], kept: value };
      },
      empty: () => NOTHING,
      ...{
        remedy: 'Espalier asks about each server again.',
        meanwhile: 'No server is started until they can be read.',
      },
    });
    return new McpBook(file, value, mayReplace, problems);
  }

  isAgreed(hash: string): boolean {
    return this.state.agreed.includes(hash);
  }

  choices({ key, hash }: Decided): McpChoices {
    const { off, toolsOff, believed } = keptOf(this.state, key);
    return { off, toolsOff, trustsReadOnly: believed === hash };
  }

  /** The person agreed to a definition: it may start, also where it was switched off. */
  agree({ hash, key }: Decided): Promise<void> {
    return this.write((state) => ({
      ...withChoices(state, key, { off: false }),
      agreed: [...state.agreed.filter((other) => other !== hash), hash],
    }));
  }

  choose({ hash, key }: Decided, { trustsReadOnly, ...choices }: Partial<McpChoices>): Promise<void> {
    const believed = trustsReadOnly === undefined ? {} : { believed: trustsReadOnly ? hash : undefined };
    return this.write((state) => withChoices(state, key, { ...choices, ...believed }));
  }

  private async write(change: (state: BookFile) => BookFile): Promise<void> {
    const write = this.writing.then(async () => {
      const next = change(this.state);
      await this.mayReplace();
      await saveOwnFile(this.file, `${JSON.stringify(next, null, 2)}\n`);
      this.state = next;
    });
    this.writing = write.catch(() => undefined);
    await write;
  }
}

function keptOf(state: BookFile, key: string): Kept {
  const { off, toolsOff, believed } = state.servers.find((server) => server.key === key) ?? USUAL;
  return { off, toolsOff, believed };
}

function withChoices(state: BookFile, key: string, choices: Partial<Kept>): BookFile {
  const now = keptOf(state, key);
  const others = state.servers.filter((server) => server.key !== key);
  return { ...state, servers: [...others, { ...now, ...choices, key }] };
}
