import { createHash } from 'node:crypto';
import type { FoundFile, FoundHead } from '../files/found-sessions';
import type { ImportedFrom } from '../ports';
import type { ImportGroup } from '@shared/folder-import';

/** What is to be imported of a folder, before anything is written. Pure. */

/** A session file that was found. */
export interface PlannedFile extends FoundFile {
  id: string;
  /** Where it was made; empty: it does not say. */
  folder: string;
}

export interface ImportPlan {
  files: PlannedFile[];
  /** Files that are no sessions, or can't be read, and why. */
  unfit: { name: string; problem: string }[];
  groups: ImportGroup[];
}

/** @param missing folders that do not exist on this computer */
export function planImport(
  found: readonly FoundFile[],
  heads: readonly FoundHead[],
  known: ReadonlyMap<string, readonly ImportedFrom[]>,
  missing: ReadonlySet<string>,
): ImportPlan {
  const files: PlannedFile[] = [];
  const unfit: ImportPlan['unfit'] = [];
  const groups = new Map<string, ImportGroup>();
  for (const [at, file] of found.entries()) {
    const head = heads[at] ?? { problem: 'It was not looked at.' };
    if ('problem' in head) {
      unfit.push({ name: file.name, problem: head.problem });
      continue;
    }
    const { folder } = head;
    files.push({ ...file, ...head });
    const group = groups.get(folder) ?? {
      ...{ id: groupId(folder), folder, files: 0, bytes: 0, here: 0, grown: 0 },
      isMissing: missing.has(folder),
    };
    groups.set(folder, group);
    group.files += 1;
    group.bytes += file.bytes;
    // What it says is looked at when it is imported.
    const lengths = (known.get(head.id) ?? []).map(({ bytes }) => bytes);
    if (lengths.includes(file.bytes)) group.here += 1;
    else if (lengths.some((bytes) => bytes < file.bytes)) group.grown += 1;
  }
  const sorted = [...groups.values()].sort((a, b) => b.files - a.files || (a.folder < b.folder ? -1 : 1));
  return { files, unfit, groups: sorted };
}

/** Sessions by the id that their files had. */
export function bySource(imported: readonly ImportedFrom[]): Map<string, ImportedFrom[]> {
  const map = new Map<string, ImportedFrom[]>();
  for (const one of imported) {
    const others = map.get(one.sourceId);
    if (others) others.push(one);
    else map.set(one.sourceId, [one]);
  }
  return map;
}

/** Stands for a folder where the window speaks of it. */
export function groupId(folder: string): string {
  return createHash('sha256').update(folder).digest('hex').slice(0, 32);
}
