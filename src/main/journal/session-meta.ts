import { z } from 'zod';
import type { SessionMeta } from '../ports';
import type { JournalFs } from './fs';
import type { SessionFiles } from './session-files';
import { toStorageError } from './storage-error';

const schema = z.object({
  title: z.string(),
  titleSource: z.enum(['none', 'auto', 'person']),
  workspace: z.string(),
  pinned: z.boolean(),
  archived: z.boolean(),
  createdAt: z.number(),
  updatedAt: z.number(),
  preview: z.string(),
  demo: z.boolean(),
}) satisfies z.ZodType<SessionMeta>;

/** What is known of a session before anything was said in it. `now`: Unix milliseconds. */
export function emptyMeta(workspace: string, now: number): SessionMeta {
  return {
    ...{ title: '', titleSource: 'none', workspace, pinned: false, archived: false },
    ...{ createdAt: now, updatedAt: now, preview: '', demo: false },
  };
}

/** Reads a sidecar; null if it is missing or is not one (it is rebuilt from the journal then). */
export async function readMeta(fs: JournalFs, path: string): Promise<SessionMeta | null> {
  try {
    const text = await fs.readText(path);
    return text === null ? null : schema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** What the person chose for each session, in memory and in a sidecar beside the journal (engine.md 1.10). */
export class MetaStore {
  private readonly metas = new Map<string, SessionMeta>();
  /** Sessions whose sidecar is being written, with the promise of the write that will hold the newest state. */
  private readonly writing = new Map<string, { current: Promise<void>; next: Promise<void> | null }>();

  constructor(
    private readonly fs: JournalFs,
    private readonly files: SessionFiles,
  ) {}

  get(id: string): SessionMeta | undefined {
    return this.metas.get(id);
  }

  /** Sets the state in memory only. */
  put(id: string, meta: SessionMeta): void {
    this.metas.set(id, meta);
  }

  forget(id: string): void {
    this.metas.delete(id);
  }

  /** Writes the newest state; many calls at once share one write. Rejects with `StorageError`. */
  save(id: string): Promise<void> {
    const busy = this.writing.get(id);
    if (busy) {
      busy.next ??= busy.current.catch(() => undefined).then(() => this.startWrite(id));
      return busy.next;
    }
    return this.startWrite(id);
  }

  /** Resolves when no sidecar is being written. */
  async settled(): Promise<void> {
    while (this.writing.size > 0) {
      await Promise.allSettled([...this.writing.values()].map(({ current, next }) => next ?? current));
    }
  }

  private startWrite(id: string): Promise<void> {
    const current = this.write(id).finally(() => {
      if (this.writing.get(id)?.current === current) this.writing.delete(id);
    });
    this.writing.set(id, { current, next: null });
    return current;
  }

  private async write(id: string): Promise<void> {
    const meta = this.metas.get(id);
    if (!meta) return;
    try {
      await this.fs.makeDir(this.files.dir);
      await this.fs.writeText(this.files.meta(id), `${JSON.stringify(meta, null, 2)}\n`);
    } catch (error) {
      throw toStorageError(error);
    }
  }
}
