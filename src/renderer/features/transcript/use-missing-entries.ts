import { useEffect } from 'react';
import type { VirtualItem } from '@tanstack/react-virtual';
import type { TranscriptItem } from './group-rows';
import type { TranscriptProps } from './types';

/** Items fetched beyond the drawn ones, so that slow scrolling meets no skeleton. */
const AHEAD = 12;

/** Asks for the bodies of what is drawn and of what is near. */
export function useMissingEntries(
  items: readonly TranscriptItem[],
  drawn: readonly VirtualItem[],
  { getEntry, requestEntries, entriesVersion }: Pick<TranscriptProps, 'getEntry' | 'requestEntries' | 'entriesVersion'>,
): void {
  const from = Math.max(0, (drawn[0]?.index ?? 0) - AHEAD);
  const to = Math.min(items.length, (drawn.at(-1)?.index ?? -1) + 1 + AHEAD);
  useEffect(() => {
    const missing: string[] = [];
    for (let index = from; index < to; index++) {
      for (const id of entriesOf(items[index])) if (!getEntry(id)) missing.push(id);
    }
    if (missing.length > 0) requestEntries(missing);
  }, [items, from, to, getEntry, requestEntries, entriesVersion]);
}

function entriesOf(item: TranscriptItem | undefined): string[] {
  if (item?.kind === 'changes') return item.rows.map((row) => row.id);
  if (item?.kind !== 'row') return [];
  return [item.row.id, ...[...item.results.values()].map((row) => row.id)];
}
