import { type RefObject, useEffect, useState, useSyncExternalStore } from 'react';
import type { ApprovalSubject, ApprovalView } from '@shared/policy/approval';
import { blocksOf } from '@shared/session/records/message-text';
import { newestReply } from '../../actions/sessions';
import { ActionButton } from '../../parts/action-button';
import { useLive, useSession } from '../../state/hooks';
import type { OpenSession } from '../../state/open-session';
import styles from './approvals.module.css';

/** Pixels of a card that must be seen for it to count as on screen: its title. */
const SEEN_PX = 40;

/** Questions whose card is on screen. */
const inView = new Set<string>();
const listeners = new Set<() => void>();

function note(id: string, isSeen: boolean): void {
  if (inView.has(id) === isSeen) return;
  if (isSeen) inView.add(id);
  else inView.delete(id);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Notes whether the card of a question is on screen. A row that the list has taken away is not. */
export function useNoteInView(id: string, card: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = card.current;
    if (!element) return;
    const observer = new IntersectionObserver((entries) => note(id, entries.at(-1)?.isIntersecting === true), {
      root: element.closest('[data-transcript]'),
      rootMargin: `-${SEEN_PX}px 0px`,
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      note(id, false);
    };
  }, [id, card]);
}

function useIsInView(id: string | undefined): boolean {
  return useSyncExternalStore(subscribe, () => id !== undefined && inView.has(id));
}

/** A card that is just drawn is not on screen at once; the bar does not flash for it. */
const REST_MS = 300;

const WHAT: Record<ApprovalSubject['kind'], string> = {
  command: 'A command',
  diff: 'A change',
  path: 'A file',
  call: 'A tool',
};

/** Says that a question waits while its card is not on screen, and leads to it. */
export function WaitingBar() {
  const session = useSession();
  const request = useLive(session, (live) => live.approvals[0]);
  const isInView = useIsInView(request?.id);
  const [shownFor, setShownFor] = useState<string | null>(null);
  const wanted = request && !isInView ? request.id : null;
  useEffect(() => {
    if (wanted === null) return;
    const timer = setTimeout(() => setShownFor(wanted), REST_MS);
    return () => {
      clearTimeout(timer);
      setShownFor(null);
    };
  }, [wanted]);
  if (!request || wanted === null || shownFor !== wanted) return null;
  return (
    <div className={styles.bar}>
      <div className={styles.barBox} role="status" data-waiting-bar>
        <span className={styles.dot} aria-hidden />
        <span className={styles.barText}>
          {WHAT[request.subject.kind]} waits for your answer{placeOf(session, request)}
        </span>
        <ActionButton id="session.question" target={session} size="small" />
      </div>
    </div>
  );
}

/** ` (1 of 7)`: which of the calls of its reply asks. */
function placeOf(session: OpenSession, { toolCallId }: ApprovalView): string {
  const reply = session.entry(newestReply(session) ?? '');
  const { content } = (reply && 'message' in reply ? reply.message : {}) as { content?: unknown };
  const calls = blocksOf(content).filter((block) => block.type === 'toolCall');
  const at = calls.findIndex(({ id }) => id === toolCallId);
  return at < 0 || calls.length < 2 ? '' : ` (call ${at + 1} of ${calls.length})`;
}
