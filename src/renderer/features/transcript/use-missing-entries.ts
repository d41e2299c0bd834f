import { useCallback, useEffect } from 'react';
import type { VirtualItem } from '@tanstack/react-virtual';
import { lastChanges, type TranscriptItem } from '../../state/group-rows';
import { useSession, useView } from '../../state/hooks';

/** Items beyond the drawn ones whose bodies are to be there, so that scrolling meets no skeleton. */
const AHEAD = 12;
/** Items fetched in one go when some are missing: a read in each frame of a scroll would cost each frame. */
const BLOCK = 32;
/** Results of one reply. */
const MOST_RESULTS = 50;

/** Asks for the bodies of what is drawn and of what is near. */
export function useMissingEntries(items: readonly TranscriptItem[], drawn: readonly VirtualItem[]): void {
  const session = useSession();
  const entriesVersion = useView(session, (view) => view.entriesVersion);
  const first = drawn[0]?.index ?? 0;
  const last = drawn.at(-1)?.index ?? -1;
  const missing = useCallback(
    (from: number, to: number): string[] =>
      items
        .slice(Math.max(0, from), Math.max(0, to))
        .flatMap(entriesOf)
        .filter((id) => !session.entry(id)),
    [items, session],
  );
  useEffect(() => {
    const wanted = missing(first, last + 1);
    if (wanted.length > 0) void session.loadEntries(wanted);
  }, [missing, first, last, session, entriesVersion]);
  // Once for a place: bodies too large to be held all together would be fetched in turns for ever.
  useEffect(() => {
    const wanted: string[] = [];
    if (missing(first - AHEAD, first).length > 0) wanted.push(...missing(first - BLOCK, first));
    if (missing(last + 1, last + 1 + AHEAD).length > 0) wanted.push(...missing(last + 1, last + 1 + BLOCK));
    if (wanted.length > 0) void session.loadEntries(wanted);
  }, [missing, first, last, session]);
}

function entriesOf(item: TranscriptItem): string[] {
  if (item.kind === 'changes') return lastChanges(item.rows).map((row) => row.id);
  if (item.kind === 'cut') return [item.row.id];
  if (item.kind !== 'row') return [];
  // Of a reply with thousands of calls only the newest cards are drawn; others ask when they are.
  const results = [...item.results.values()].slice(-MOST_RESULTS);
  return [item.row.id, ...results.map((row) => row.id)];
}
