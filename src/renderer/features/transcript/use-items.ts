import type { Row } from '@shared/session-state/state';
import { useMemo, useRef } from 'react';
import { endsInReply, groupRows, takeAttempts, type TranscriptItem } from '../../state/group-rows';
import type { PendingPrompt } from '../../state/session-view';

interface ItemsInput {
  rows: readonly Row[];
  seenFrom: string | null;
  repeated: readonly string[];
  /** By entry. */
  labels: Readonly<Record<string, string>>;
  pending: readonly PendingPrompt[];
  streamId: string | null;
  withTail: boolean;
}

/**
 * The list's items. A reply that was stored keeps the key that it had while it streamed, so that its element, its scroll
 * anchor and what is drawn in it stay.
 */
export function useItems({
  rows,
  seenFrom,
  repeated,
  labels,
  pending,
  streamId,
  withTail,
}: ItemsInput): readonly TranscriptItem[] {
  const stored = useMemo(() => groupRows(rows, seenFrom, labels, repeated), [rows, seenFrom, labels, repeated]);
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
