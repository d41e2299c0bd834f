import { useCallback, useEffect, useMemo, useRef } from 'react';
import type { VirtualItem } from '@tanstack/react-virtual';
import { endsInReply, lastChanges, takeAttempts, type TranscriptItem } from '../../state/group-rows';
import { useSession, useView } from '../../state/hooks';
import type { PendingPrompt } from '../../state/session-view';

interface ItemsInput {
  /** What is made of the rows. */
  stored: readonly TranscriptItem[];
  pending: readonly PendingPrompt[];
  streamId: string | null;
  withTail: boolean;
}

/**
 * The list's items. A reply that was stored keeps the key that it had while it streamed, so that its element, its scroll
 * anchor and what is drawn in it stay.
 */
export function useItems({ stored, pending, streamId, withTail }: ItemsInput): readonly TranscriptItem[] {
  const adopt = useAdoptedKeys();
  return useMemo(() => {
    const items = adopt(stored, streamId);
    const known = new Set(stored.slice(-50).map((item) => item.key));
    for (const prompt of pending) {
      if (!known.has(prompt.itemId)) items.push({ kind: 'pending', key: prompt.itemId, pending: prompt });
    }
    if (streamId !== null)
      items.push({ kind: 'live', key: `live:${streamId}`, ...takeAttempts(items, !endsInReply(items)) });
    // The tail's key follows the row above it: a changed last key is what makes the list follow.
    if (withTail) items.push({ kind: 'tail', key: `tail:${items.at(-1)?.key ?? ''}` });
    return items;
  }, [adopt, stored, pending, streamId, withTail]);
}

type Adopt = (items: readonly TranscriptItem[], streamId: string | null) => TranscriptItem[];

function useAdoptedKeys(): Adopt {
  const adopt = useRef<Adopt>(undefined);
  adopt.current ??= createAdoption();
  return adopt.current;
}

/** Remembers which reply took over which stream: the first reply that is new when the stream is no longer there. */
function createAdoption(): Adopt {
  const keys = new Map<string, string>();
  let streaming: string | null = null;
  let lastReply: string | null = null;
  return (items, streamId) => {
    const reply = items.findLast((item) => item.kind === 'row' && item.row.kind === 'assistant');
    const replyId = reply?.kind === 'row' ? reply.row.id : null;
    if (
      streaming !== null &&
      streaming !== streamId &&
      replyId !== null &&
      replyId !== lastReply &&
      !keys.has(replyId)
    ) {
      keys.set(replyId, `live:${streaming}`);
    }
    if (streamId !== streaming || streamId === null) lastReply = replyId;
    streaming = streamId;
    return items.map((item) => {
      const key = keys.size > 0 && item.kind === 'row' ? keys.get(item.row.id) : undefined;
      return key ? { ...item, key } : item;
    });
  };
}

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
  if (item.kind === 'cut') return [item.row, ...item.earlier].map(({ id }) => id);
  if (item.kind === 'shared') return item.promptId === null ? [] : [item.promptId];
  if (item.kind !== 'row') return [];
  // Of a reply with thousands of calls only the newest cards are drawn; others ask when they are.
  const results = [...item.results.values()].slice(-MOST_RESULTS);
  return [item.row.id, ...results.map((row) => row.id)];
}

const LINE_PX = 24;
const CHARS_A_LINE = 76;
const MAX_ESTIMATE_PX = 4_000;

/** Height before the first measurement, in pixels, from the row's token estimate (four characters each). */
export function estimateHeight(item: TranscriptItem | undefined): number {
  if (!item) return 0;
  if ('rows' in item) return (item.top ? 20 : 0) + (item.kind === 'changes' ? 30 : 0);
  if (item.kind === 'tail') return 48;
  if (item.kind === 'shared') return 38;
  if (item.kind === 'live') return 60;
  if (item.kind === 'pending') return 78;
  if (item.kind === 'cut') return item.earlier.length > 0 ? 130 : 100;
  const { row, results, head } = item;
  const lines = Math.max(1, Math.ceil((row.tokens * 4) / CHARS_A_LINE));
  switch (row.kind) {
    case 'user':
      return Math.min(MAX_ESTIMATE_PX, 54 + lines * LINE_PX);
    case 'assistant': {
      const cards = results.size * 44;
      // A call's arguments are counted as tokens and folded in its card.
      const text = results.size > 0 ? Math.min(lines, 4) : lines;
      return Math.min(MAX_ESTIMATE_PX, (head ? 38 : 14) + cards + text * LINE_PX);
    }
    case 'branchSummary':
      return 98;
    case 'compaction':
      return 30;
    case 'undone':
      return 84;
    case 'prune':
      return 34;
    case 'opaque':
      return 78;
    // A closed fold. Of thousands in a row, each that is not as tall as it was thought to be has the list lay out all below it anew.
    case 'unknown':
    case 'custom':
      return 26;
    default:
      return 48;
  }
}
