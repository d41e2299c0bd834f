import { z } from 'zod';
import type { SessionMeta } from '../ports';
import { moveIfThere } from './fs';
import type { JournalFs } from './fs';
import type { SessionFiles } from './session-files';
import { toStorageError } from '../own-files/storage-error';

const schema = z.object({
  title: z.string(),
  titleSource: z.enum(['none', 'auto', 'person']),
  workspace: z.string(),
  suggestion: z.string().optional(),
  pinned: z.boolean(),
  archived: z.boolean(),
  createdAt: z.number(),
  updatedAt: z.number(),
  preview: z.string(),
  demo: z.boolean(),
  conflict: z
    .object({
      with: z.string(),
      there: z.number(),
      here: z.number(),
      since: z.number().nullable(),
      isRead: z.boolean(),
      fileOf: z.string().optional(),
    })
    .optional()
    .catch(undefined),
}) satisfies z.ZodType<SessionMeta>;

/** What is known of a session before anything was said in it. `now`: Unix milliseconds. */
export function emptyMeta(workspace: string, now: number): SessionMeta {
  return {
    ...{ title: '', titleSource: 'none', workspace, pinned: false, archived: false },
    ...{ createdAt: now, updatedAt: now, preview: '', demo: false },
  };
}

/** A sidecar as it was found. */
export interface MetaRead {
  /** Null if it is missing or not whole: what is missing is made from the journal then. */
  meta: SessionMeta | null;
  /** Of one that is not whole, what can be used. */
  rest: Partial<SessionMeta>;
  isDamaged: boolean;
  /** Where it could not be kept as it was: keeps it, and is to be awaited before anything takes its place. Rejects as long as it can't. */
  keep?: () => Promise<void>;
}

/** Reads a sidecar, whatever became of it. One that is not whole is kept beside its place as it was, now or later. Never throws. */
export async function readMetaParts(fs: JournalFs, path: string, now: number): Promise<MetaRead> {
  const aside = `${path}.bad-${now}`;
  let text: string | null;
  try {
    text = await fs.readText(path);
  } catch {
    return {
      meta: null,
      rest: {},
      isDamaged: true,
      ...(await keepNow(async () => void (await moveIfThere(fs, path, aside)))),
    };
  }
  if (text === null) return { meta: null, rest: {}, isDamaged: false };
  const stored = parseJson(text);
  const whole = schema.safeParse(stored);
  if (whole.success) return { meta: whole.data, rest: {}, isDamaged: false };
  return { meta: null, rest: usable(stored), isDamaged: true, ...(await keepNow(() => fs.writeText(aside, text))) };
}

async function keepNow(keep: () => Promise<void>): Promise<Pick<MetaRead, 'keep'>> {
  return keep().then(
    () => ({}),
    () => ({ keep }),
  );
}

/** Reads a sidecar; null if it is missing or not whole. */
export async function readMeta(fs: JournalFs, path: string): Promise<SessionMeta | null> {
  const text = await fs.readText(path).catch(() => null);
  return text === null ? null : (schema.safeParse(parseJson(text)).data ?? null);
}

function usable(stored: unknown): Partial<SessionMeta> {
  if (typeof stored !== 'object' || stored === null) return {};
  const fields = Object.entries(schema.shape).flatMap(([name, field]) => {
    const value = Object.hasOwn(stored, name) ? field.safeParse((stored as Record<string, unknown>)[name]) : null;
    return value?.success ? [[name, value.data] as const] : [];
  });
  return Object.fromEntries(fields) as Partial<SessionMeta>;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What the person chose for each session, in memory and in a sidecar beside the journal (SF24, JN25). */
export class MetaStore {
  private readonly metas = new Map<string, SessionMeta>();
  private readonly unkept = new Map<string, () => Promise<void>>();
  /** Sessions whose sidecar is being written, with the promise of the write that will hold the newest state. */
  private readonly writing = new Map<string, { current: Promise<void>; next: Promise<void> | null }>();

  constructor(
    private readonly fs: JournalFs,
    private readonly files: SessionFiles,
  ) {}

  get(id: string): SessionMeta | undefined {
    return this.metas.get(id);
  }

  ids(): string[] {
    return [...this.metas.keys()];
  }

  /** Files of a session that are kept before its sidecar takes their place. */
  keepFirst(id: string, keep: () => Promise<void>): void {
    this.unkept.set(id, keep);
  }

  /** Sessions whose sidecar, as it was found, is nowhere else. */
  get unkeptCount(): number {
    return this.unkept.size;
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
      await this.unkept.get(id)?.();
      this.unkept.delete(id);
      await this.fs.makeDir(this.files.dir);
      await this.fs.writeText(this.files.meta(id), `${JSON.stringify(meta, null, 2)}\n`);
    } catch (error) {
      throw toStorageError(error);
    }
  }
}
