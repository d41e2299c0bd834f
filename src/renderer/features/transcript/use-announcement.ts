import { useEffect, useRef, useState } from 'react';
import { messageOf, partsOf } from './message-text';
import { useSession } from '../../state/hooks';

const MAX_SPOKEN_CHARS = 240;

/** What a screen reader is told when a reply is over: its beginning, or how it ended. Tokens are not announced. */
export function useAnnouncement(streamId: string | null): string {
  const { view, entry } = useSession();
  const [announcement, setAnnouncement] = useState('');
  const before = useRef(streamId);
  useEffect(() => {
    if (before.current !== null && streamId === null) {
      const last = view.getState().rows.findLast((row) => row.kind === 'assistant');
      const message = last && messageOf(entry(last.id));
      const text = partsOf(message?.content).texts.join(' ').trim();
      if (last?.stopped) setAnnouncement('Stopped.');
      else if (last?.failed) setAnnouncement('The model’s answer failed.');
      else setAnnouncement(text === '' ? 'The assistant is done.' : `Assistant: ${text.slice(0, MAX_SPOKEN_CHARS)}`);
    }
    before.current = streamId;
  }, [streamId, view, entry]);
  return announcement;
}
