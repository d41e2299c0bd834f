import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { QueueItem } from '@shared/types';
import { toStorageError } from '../own-files/storage-error';
import { readOwnFile, type OwnFileRead } from '../own-files/own-file';
import { NoOwnFile, writeOwnFile } from '../own-files/write-own';

/** What the sidecar holds (QU1). `held` is not in it: after a restart every item waits for the person. */
const STORED = z.object({ v: z.literal(1), items: z.array(z.unknown()) });
const ITEM = z.object({
  id: z.string().min(1),
  text: z.string(),
  attachments: z.array(
    z.object({ kind: z.enum(['image', 'text']), name: z.string(), mimeType: z.string(), data: z.string() }),
  ),
  mode: z.enum(['steer', 'followUp']),
  createdAt: z.number(),
  /** What was stored before there were prepared branches has none: it is for HEAD. */
  parentId: z.string().min(1).nullable().optional(),
  summary: z.object({ instructions: z.string().optional() }).optional(),
  versionOf: z.string().min(1).optional(),
  source: z.literal('extension').optional(),
});
const FULL = 'The unsent messages would be larger than 256 MB. Wait until some are sent, or remove some.';
/** Pictures wait in it as well. */
const MAX_BYTES = 256 * 1024 * 1024;

export interface OpenedQueue {
  queue: DurableQueue;
  /** A sentence for the person if the file could not be read; it is then kept, never deleted. */
  damage: string | null;
}

/**
 * The one queue of a session (QU1): a sidecar beside the journal, replaced atomically. A message is accepted
 * when `add` resolves. An item leaves in the same step that stored its entry; a crash between the two is repaired at the
 * next open, because the entry carries the item's id.
 */
export class DurableQueue {
  private items: QueueItem[];
  private writing: Promise<void> = Promise.resolve();

  private constructor(
    private readonly file: string,
    items: QueueItem[],
    private readonly mayReplace: () => Promise<void>,
    private readonly onChange: () => void,
  ) {
    this.items = items;
  }

  /**
   * Reads the sidecar; every item it holds is held. Items for which `isDelivered` says yes are dropped unsent
   * (QU1). What can't be used of the file is kept and reported; while it can't be read nothing is queued.
   */
  static async open(file: string, isDelivered: (id: string) => boolean, onChange: () => void): Promise<OpenedQueue> {
    const { items, damage, mayReplace } = await readItems(file);
    const waiting = items.filter((item) => !isDelivered(item.id));
    const queue = new DurableQueue(file, waiting, mayReplace, onChange);
    if (waiting.length < items.length) await queue.persist(waiting).catch(() => undefined);
    return { queue, damage };
  }

  list(): QueueItem[] {
    return this.items.map((item) => ({ ...item }));
  }

  has(id: string): boolean {
    return this.items.some((item) => item.id === id);
  }

  /** The oldest item for HEAD that may be sent now, of one mode or of any. */
  next(mode?: QueueItem['mode']): QueueItem | undefined {
    return this.items.find((item) => isForHead(item) && !item.held && (mode === undefined || item.mode === mode));
  }

  /** The oldest prepared branch that may be begun, once nothing waits for HEAD any more (GR13). */
  nextBranch(): QueueItem | undefined {
    return this.next() ? undefined : this.items.find((item) => !isForHead(item) && !item.held);
  }

  /** Resolves when the item is on disk. A known id is ignored. Rejects with a sentence for the person; then nothing changed. */
  async add(item: QueueItem): Promise<void> {
    if (this.has(item.id)) return;
    this.items = [...this.items, item];
    try {
      await this.write();
    } catch (error) {
      this.items = this.items.filter((other) => other.id !== item.id);
      throw error;
    } finally {
      this.onChange();
    }
  }

  /** After the item's entry is stored. A failed write is harmless: the next open drops the item by its entry. */
  async delivered(id: string): Promise<void> {
    if (!this.has(id)) return;
    this.items = this.items.filter((item) => item.id !== id);
    this.onChange();
    await this.write().catch(() => undefined);
  }

  /** The person takes a message back. False if there is none. Rejects if that can't be made durable; then it is still queued. */
  async remove(id: string): Promise<boolean> {
    const at = this.items.findIndex((item) => item.id === id);
    const item = this.items[at];
    if (!item) return false;
    this.items = this.items.filter((other) => other.id !== id);
    try {
      await this.write();
      return true;
    } catch (error) {
      // Only it: what was accepted meanwhile stays.
      this.items = [...this.items.slice(0, at), item, ...this.items.slice(at)];
      throw error;
    } finally {
      this.onChange();
    }
  }

  /** After Stop, a failure or a restart: what waits, or one of it, stays visible as unsent (QU6). */
  setHeld(held: boolean, id?: string): void {
    const isMeant = (item: QueueItem): boolean => (id === undefined || item.id === id) && item.held !== held;
    if (!this.items.some(isMeant)) return;
    this.items = this.items.map((item) => (isMeant(item) ? { ...item, held, problem: undefined } : item));
    this.onChange();
  }

  /** A prepared branch could not be begun: it stays as unsent and says why. */
  keepBack(id: string, problem: string): void {
    this.items = this.items.map((item) => (item.id === id ? { ...item, held: true, problem } : item));
    this.onChange();
  }

  /** Resolves when every write so far has ended, whatever became of it. */
  async idle(): Promise<void> {
    await this.writing.catch(() => undefined);
  }

  private write(): Promise<void> {
    const next = this.writing.catch(() => undefined).then(() => this.persist(this.items));
    this.writing = next;
    return next;
  }

  private async persist(items: readonly QueueItem[]): Promise<void> {
    await this.mayReplace();
    if (items.length === 0) {
      await rm(this.file, { force: true });
      return;
    }
    const stored = items.map(({ id, text, attachments, mode, createdAt, parentId, summary, versionOf, source }) => ({
      ...{ id, text, attachments, mode, createdAt },
      ...(parentId === undefined ? {} : { parentId }),
      ...(summary ? { summary } : {}),
      ...(versionOf === undefined ? {} : { versionOf }),
      ...(source === 'extension' ? { source } : {}),
    }));
    const content = JSON.stringify({ v: 1, items: stored });
    if (Buffer.byteLength(content) > MAX_BYTES) throw new RangeError(FULL);
    try {
      await mkdir(path.dirname(this.file), { recursive: true, mode: 0o700 });
      // What it holds stands in memory as well: a link in its place gives way, and what that leads to stays.
      await writeOwnFile(this.file, content, { givesWay: true });
    } catch (error) {
      throw error instanceof NoOwnFile ? error : toStorageError(error);
    }
  }
}

function isForHead({ parentId }: QueueItem): boolean {
  return parentId === undefined;
}

async function readItems(file: string): Promise<{
  items: QueueItem[];
  damage: string | null;
  mayReplace: OwnFileRead<unknown>['mayReplace'];
}> {
  const { value, problems, mayReplace } = await readOwnFile(file, {
    name: 'The unsent messages',
    maxBytes: MAX_BYTES,
    meanwhile: 'No message can be queued in this session until they can be read.',
    empty: (): z.infer<typeof ITEM>[] => [],
    parse: (json) => {
      const stored = STORED.parse(json).items.map((item) => ITEM.safeParse(item).data);
      const items = stored.filter((item) => item !== undefined);
      const lost = stored.length - items.length;
      const bad = lost > 0 ? [lost === 1 ? 'one message' : `${lost} messages`] : [];
      return { value: items, bad, kept: { v: 1, items } };
    },
  });
  return { items: value.map((item) => ({ ...item, held: true })), damage: problems[0] ?? null, mayReplace };
}
