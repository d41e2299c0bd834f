import type { SessionEntry } from '@shared/session/entry';
import type { AppendedRecord, Emit, SessionLog } from '../ports';
import { rowOf } from './path-rows';

/** Tells the window of durable entries, with their row where they follow the path on screen. */
export class EntryTeller {
  /** Where the path on screen ends. */
  private shownLeafId: string | null;

  constructor(
    private readonly log: SessionLog,
    private readonly emit: Emit,
  ) {
    this.shownLeafId = log.tree.leafId;
  }

  tell(records: readonly AppendedRecord[]): void {
    const { sessionId, tree } = this.log;
    // Copies do not follow what is on screen: the window reads the path anew when they are all there.
    const isRebase = records.some(({ entry }) => 'customType' in entry && entry.customType === 'espalier.rebase');
    for (const { entry, line, crc, crcBefore } of records) {
      const row = isRebase || this.isElsewhere(entry) ? null : rowOf(tree, entry.id);
      this.emit({ type: 'entry_appended', sessionId, line, crc, crcBefore, row });
    }
    this.shownLeafId = tree.leafId;
  }

  /** A summary at another point: the window reads the path of the new leaf when it hears of it. */
  private isElsewhere({ type, parentId }: SessionEntry): boolean {
    return type === 'branch_summary' && parentId !== this.shownLeafId;
  }
}
