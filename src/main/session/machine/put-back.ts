import type { QueueItem } from '@shared/types';

/** The message before which HEAD went so that the person can say it anew: what is said there is another version of it (GR5). */
export class PutBack {
  private noted: { id: string; leafId: string | null } | null = null;

  /** HEAD is at `leafId` now; `id` is null where no message was put back into the composer. */
  note(id: string | null, leafId: string | null): void {
    this.noted = id === null ? null : { id, leafId };
  }

  /** The message that one which is said at the leaf is another version of: as it says itself, or because that was put back. */
  versionOf({ parentId, versionOf }: QueueItem, leafId: string | null): string | undefined {
    if (parentId !== undefined) return versionOf;
    return this.noted?.leafId === leafId ? this.noted.id : undefined;
  }
}
