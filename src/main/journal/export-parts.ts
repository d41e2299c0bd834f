/** Which files an export is writing beside their places, noted so that one that was cut off with the process is cleared up (JN30). */
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import type { JournalFs, PickedFs } from './fs';
import { isPartName, type PartsNote, placeOfPart } from './write-whole';

const schema = z.array(z.string());

export class ExportParts implements PartsNote {
  private readonly parts = new Set<string>();
  /** Of these, those of earlier runs. */
  private left: string[] = [];
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly fs: JournalFs,
    /** A file of our own; without one nothing is noted. */
    private readonly path: string | undefined,
    private readonly log: { warn(message: string, detail?: unknown): void },
  ) {}

  /** Reads what earlier runs left; call once, before any export. A note that can't be read names nothing. */
  async read(): Promise<void> {
    if (this.path === undefined) return;
    try {
      const noted = schema.parse(JSON.parse((await this.fs.readText(this.path)) ?? '[]'));
      // Whatever the note says, nothing else is ever removed.
      this.left = noted.filter((part) => isPartName(basename(part)));
      for (const part of this.left) this.parts.add(part);
    } catch (error) {
      this.log.warn('What was noted of exports could not be read', error);
    }
  }

  async begin(part: string): Promise<void> {
    this.parts.add(part);
    await this.save();
  }

  async end(part: string): Promise<void> {
    this.parts.delete(part);
    await this.save();
  }

  /** Removes what earlier runs left; resolves to the files that were to be made. What can't be reached now is tried again at the next start. */
  async clear(picked: Pick<PickedFs, 'kind' | 'remove'>): Promise<string[]> {
    const cut: string[] = [];
    for (const part of this.left) {
      try {
        const isThere = (await picked.kind(part)) === 'file';
        if (isThere) await picked.remove(part);
        if (isThere) cut.push(join(dirname(part), placeOfPart(basename(part))));
        await this.end(part);
      } catch (error) {
        this.log.warn(`What an export left that was cut off could not be removed: ${part}`, error);
      }
    }
    this.left = [];
    return cut;
  }

  /** An export goes on where its note can't be written: it may be the way off a full disk. */
  private save(): Promise<void> {
    const { path } = this;
    if (path === undefined) return Promise.resolve();
    this.writing = this.writing
      .then(() =>
        this.parts.size === 0 ? this.fs.remove(path) : this.fs.writeText(path, JSON.stringify([...this.parts])),
      )
      .catch((error: unknown) => this.log.warn('An export could not be noted', error));
    return this.writing;
  }
}
