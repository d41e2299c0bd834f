import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { useStore } from 'zustand';
import { ChevronDown, ChevronUp, X } from 'lucide-react';
import type { Place } from '@shared/search/types';
import { readQuery } from '@shared/search/words';
import { openSearch } from '../../actions/search';
import { useKeys } from '../../parts/action-button';
import { plural } from '../../state/format';
import { useApp, useLive, useSession } from '../../state/hooks';
import { IconButton, Kbd } from '../../ui';
import { Gutter } from './found';
import { markWords, unmarkWords } from './mark-words';
import { QueryField } from './query-field';
import styles from './search.module.css';

/** Frames in which the row of a hit is drawn; its body may have to be fetched. */
const MOST_FRAMES = 120;
/** After something was drawn: a reply that streams is not marked with each word. */
const MARK_MS = 100;

/** Find in this session (Ctrl/Cmd+F): a strip above the transcript, never over it (SE1). */
export function FindBar() {
  const app = useApp();
  const { id } = useSession();
  const isOpen = useStore(app.find.state, ({ sessionId }) => sessionId === id);
  return isOpen ? <Bar key={id} /> : null;
}

function Bar() {
  const app = useApp();
  const session = useSession();
  const { asked, answer, at, problem } = useStore(app.find.state);
  const leafId = useLive(session, (live) => live.leafId);
  const keys = useKeys('view.findHere');
  const field = useRef<HTMLInputElement>(null);
  const [from] = useState(() => document.activeElement);
  useShownHit();

  useEffect(() => {
    field.current?.focus();
    field.current?.select();
    return () => {
      if (from instanceof HTMLElement && from.isConnected && from !== document.body) from.focus();
      else app.page.focus('composer');
    };
  }, [app, from]);
  useEffect(() => app.find.again(), [app, leafId]);

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Escape') app.find.close();
    else if (event.key === 'Enter' && !event.nativeEvent.isComposing && event.target === field.current)
      app.find.step(event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  const count = answer?.path.length ?? 0;
  const kept = answer?.path.filter(({ place }) => place === 'kept').length ?? 0;
  return (
    <div className={styles.bar} role="search" aria-label="Find in this session" onKeyDown={onKeyDown}>
      <QueryField
        asked={asked}
        label="Find in this session"
        inputRef={field}
        className={styles.barField}
        onAsk={(next) => app.find.ask(next)}
        onKeyDown={() => undefined}
      />
      <span className={styles.count} role="status">
        {problem ?? (answer ? (count === 0 ? 'No hits' : `${at + 1} of ${count}${answer.isPartial ? '+' : ''}`) : '')}
        {answer?.isUnread && ' so far'}
      </span>
      <IconButton label="Previous hit" shortcut="Shift+F3" size="small" onClick={() => app.find.step(-1)}>
        <ChevronUp size={14} />
      </IconButton>
      <IconButton label="Next hit" shortcut="F3" size="small" onClick={() => app.find.step(1)}>
        <ChevronDown size={14} />
      </IconButton>
      {answer && (
        <span className={styles.places}>
          <Count place="kept" text={`${kept} word for word`} />
          <Count place="summarized" text={`${count - kept} summarised`} />
          <button
            type="button"
            className={styles.elsewhere}
            disabled={answer.branch === 0}
            onClick={() => {
              app.find.close();
              openSearch(app, { asked, place: 'branch', sessionId: session.id });
            }}
          >
            <Count place="branch" text={plural(answer.branch, 'other branch', 'other branches')} />
          </button>
        </span>
      )}
      <span className={styles.barEnd}>
        <Kbd>{keys}</Kbd>
        <IconButton label="Close find" shortcut="Esc" size="small" onClick={() => app.find.close()}>
          <X size={14} />
        </IconButton>
      </span>
    </div>
  );
}

function Count({ place, text }: { place: Place; text: string }) {
  return (
    <span className={styles.placeCount}>
      <Gutter place={place} /> {text}
    </span>
  );
}

/** The transcript shows the hit at which the person is, and marks what was found in the rows that are drawn. */
function useShownHit(): void {
  const app = useApp();
  const { id: sessionId } = useSession();
  const { asked, answer, at, steps } = useStore(app.find.state);
  const entryId = answer?.path[at]?.entryId ?? null;

  useEffect(() => {
    const { answer: now, at: place } = app.find.state.getState();
    const wanted = now?.path[place]?.entryId;
    if (steps > 0 && wanted !== undefined) app.ui.setState({ arrival: { sessionId, entryId: wanted, isTold: true } });
  }, [app, sessionId, steps]);

  useEffect(() => {
    const transcript = document.querySelector('[data-transcript]');
    const query = readQuery(asked.query, asked);
    if (!transcript || !query || !answer) return;
    let frame = 0;
    let left = MOST_FRAMES;
    let hasOpened = false;
    const look = (): void => {
      const row = entryId === null ? null : rowOf(transcript, entryId);
      const isMarked = markWords(transcript, query, row);
      if (isMarked || !row || hasOpened) return;
      // It is in what is folded: that opens, once.
      const folds = row.querySelectorAll<HTMLElement>('button[aria-expanded="false"]:not([aria-haspopup])');
      hasOpened = folds.length > 0;
      for (const fold of folds) fold.click();
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const soon = (): void => {
      timer ??= setTimeout(() => {
        timer = undefined;
        look();
      }, MARK_MS);
    };
    const onFrame = (): void => {
      if (entryId !== null && !rowOf(transcript, entryId) && left-- > 0) frame = requestAnimationFrame(onFrame);
      else look();
    };
    onFrame();
    const drawn = new MutationObserver(soon);
    drawn.observe(transcript, { childList: true, subtree: true, characterData: true });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
      drawn.disconnect();
      unmarkWords();
    };
  }, [asked, answer, entryId, steps]);
}

/** The row that draws an entry: that of a result is its reply's. */
function rowOf(transcript: Element, entryId: string): Element | null {
  return (
    transcript.querySelector(`[data-entry="${CSS.escape(entryId)}"]`) ??
    transcript.querySelector('[data-entry][data-marked]')
  );
}
