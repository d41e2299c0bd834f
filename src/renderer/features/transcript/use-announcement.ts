import { useEffect, useRef, useState } from 'react';
import type { ApprovalView } from '@shared/policy/approval';
import { beginningOf } from '@shared/cut-text';
import { excerptOf } from '@shared/excerpt';
import { callsOf } from '@shared/session/messages/sanitizer';
import type { AssistantMessage } from '@shared/session/records/entry';
import { messageOf, partsOf } from './message-text';
import { useSession } from '../../state/hooks';

const MAX_SPOKEN_CHARS = 240;
const SPOKEN = 'Assistant: ';

/**
 * What a screen reader is told when a reply is over: its beginning, or how it ended; then what waits for an answer. Tokens are not
 * announced.
 */
export function useAnnouncement(streamId: string | null, question: ApprovalView | undefined): string {
  const { view, entry } = useSession();
  const [announcement, setAnnouncement] = useState('');
  const before = useRef(streamId);
  const asked = useRef<{ id: string; words: string } | null>(null);
  useEffect(() => {
    if (before.current !== null && streamId === null) {
      const last = view.getState().rows.findLast((row) => row.kind === 'assistant');
      const message = last && messageOf(entry(last.id));
      const text = excerptOf(
        partsOf(message?.content)
          .texts.join('\n')
          .slice(0, 8 * MAX_SPOKEN_CHARS),
      );
      if (last?.stopped) setAnnouncement('Stopped.');
      else if (last?.failed) setAnnouncement('The model’s answer failed.');
      else setAnnouncement(text === '' ? wordless(message) : `${SPOKEN}${beginningOf(text, MAX_SPOKEN_CHARS)}`);
    }
    before.current = streamId;
  }, [streamId, view, entry]);
  useEffect(() => {
    const before = asked.current;
    if ((question?.id ?? null) === (before?.id ?? null)) return;
    const isFirst = before === null;
    const words = question ? `A question waits for your answer: ${question.title.slice(0, MAX_SPOKEN_CHARS)}` : '';
    asked.current = question ? { id: question.id, words } : null;
    // What is answered asks no longer.
    if (!question) return setAnnouncement((said) => (before && said.endsWith(before.words) ? '' : said));
    // What was said of its reply may not have been heard yet.
    setAnnouncement((said) => (isFirst && said.startsWith(SPOKEN) ? `${said} ${words}` : words));
  }, [question]);
  return announcement;
}

/** A reply without text is not the end where it makes calls: their cards say what comes of them. */
function wordless(message: unknown): string {
  return message && callsOf(message as AssistantMessage).length > 0 ? '' : 'The assistant is done.';
}
