import { costDraft, type SpentCost } from '@shared/session/tree/drafts';
import type { EntryDraft } from '@shared/session/records/entry';

/**
 * What discarded summaries cost, until a message is written next (GR17): that a job was cancelled leaves no trace in the file (IN6). What a
 * session that is quit before owes is not known afterwards.
 */
export class OwedCosts {
  private owed: SpentCost[] = [];

  add(spent: SpentCost): void {
    if (spent.cost > 0) this.owed.push(spent);
  }

  /** Writes the records together with what `append` is given; not written they are owed still. Rejects with what `append` does. */
  async with<T>(append: (drafts: EntryDraft[]) => Promise<T>): Promise<T> {
    const paid = this.owed;
    this.owed = [];
    try {
      return await append(paid.map(costDraft));
    } catch (error) {
      this.owed = [...paid, ...this.owed];
      throw error;
    }
  }
}
