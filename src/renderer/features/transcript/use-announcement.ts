import { useEffect, useRef, useState } from 'react';
import { messageOf, partsOf } from './message-text';
import type { TranscriptProps } from './types';

const MAX_SPOKEN_CHARS = 240;

/** What a screen reader is told when a reply is finished: its beginning. Tokens are not announced. */
export function useAnnouncement(
  { rows, getEntry }: Pick<TranscriptProps, 'rows' | 'getEntry'>,
  streamId: string | null,
): string {
  const [announcement, setAnnouncement] = useState('');
  const before = useRef(streamId);
  useEffect(() => {
    if (before.current !== null && streamId === null) {
      const last = rows.findLast((row) => row.kind === 'assistant');
      const text = last
        ? partsOf(messageOf(getEntry(last.id))?.content)
            .texts.join(' ')
            .trim()
        : '';
      setAnnouncement(text === '' ? 'The assistant is done.' : `Assistant: ${text.slice(0, MAX_SPOKEN_CHARS)}`);
    }
    before.current = streamId;
  }, [streamId, rows, getEntry]);
  return announcement;
}
