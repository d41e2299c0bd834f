import type { SessionHeader } from '@shared/session/records/entry';
import type { RandomHex } from '@shared/session/records/ids';
import { createMigrator, type Migrator } from '@shared/session/records/migrate';
import { admit, createHeaderScan, parseRecord } from '@shared/session/records/records';
import { SessionTree } from '@shared/session/tree/tree';

/** A line that could not be used. It stays where it is in the file. */
interface Damage {
  /** Number of the line; the header is 0, lines before it are negative. */
  seq: number;
  reason: string;
}

/** A session read whole. */
export interface ReadSession {
  /** Version 3, whatever the file had. */
  header: SessionHeader;
  tree: SessionTree;
  damage: Damage[];
  /** True if the file was of an older version. */
  migrated: boolean;
}

/** What `readSession` needs: a name for the error text, random digits for files without ids. */
export interface ReadOptions {
  name?: string;
  randomHex: RandomHex;
}

/**
 * Reads a session from its lines in one go, all bodies resident: the app's own migration, checks and tree, without the journal's chunks.
 * @throws NotASessionFileError (SF17)
 */
export function readSession(lines: Iterable<string>, { name = 'session', randomHex }: ReadOptions): ReadSession {
  const scan = createHeaderScan(name);
  const damage: Damage[] = [];
  let migrator: Migrator | null = null;
  let tree: SessionTree | null = null;
  let seq = 0;
  for (const line of lines) {
    if (!migrator || !tree) {
      const header = scan.feed(parseRecord(line), line.length + 1);
      if (!header) continue;
      migrator = createMigrator(header, { randomHex });
      tree = new SessionTree(migrator.header);
      continue;
    }
    seq++;
    const record = migrator.migrate(line);
    if (record.kind === 'malformed') damage.push({ seq, reason: record.reason });
    else if (record.kind === 'entry' && !tree.addEntry(admit(record.value), seq))
      damage.push({ seq, reason: 'duplicate id' });
  }
  scan.end();
  if (!tree || !migrator) throw new Error('A scan that found a header left none');
  tree.settleLeafAfterLoad();
  return { header: migrator.header, tree, damage, migrated: migrator.needed };
}
