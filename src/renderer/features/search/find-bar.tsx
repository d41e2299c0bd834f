import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { useStore } from 'zustand';
import { ChevronDown, ChevronRight, ChevronUp, X } from 'lucide-react';
import { noCounts, type Place, type SessionAnswer } from '@shared/search/types';
import { closeTopmost } from '../../actions/escape';
import { openSearch } from '../../actions/ways';
import { useKeys } from '../../parts/action-button';
import { plural } from '../../state/format';
import { useApp, useLive, useReading, useSession } from '../../state/hooks';
import { cx, IconButton, Kbd } from '../../ui';
import { Gutter } from './found';
import { QueryField, whyNone } from './query-field';
import styles from './search.module.css';

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

  useEffect(() => {
    field.current?.focus();
    field.current?.select();
    return () => {
      if (from instanceof HTMLElement && from.isConnected && from !== document.body) from.focus();
      else app.page.focus('composer');
    };
  }, [app, from]);
  // A path that is read stays as it is while HEAD's goes on, but what else there is changes.
  const readId = useReading(session, ({ path }) => path?.leafId ?? null);
  useEffect(() => app.find.again(readId), [app, leafId, readId]);

  const count = answer?.path.length ?? 0;
  const isRead = readId !== null;
  const goElsewhere = (): void => {
    app.find.close();
    openSearch(app, { asked, place: isRead ? null : 'branch', sessionId: session.id });
  };

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Escape') closeTopmost(app, session);
    else if (event.key === 'Enter' && !event.nativeEvent.isComposing && event.target === field.current) {
      // Where nothing is found here, the key for the next hit leads to those elsewhere.
      if (answer && count === 0 && answer.branch > 0) goElsewhere();
      else app.find.step(event.shiftKey ? -1 : 1, app.page.spots());
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  const none = count === 0 ? whyNone(asked) : null;
  const label = isRead ? 'Find on the branch you are reading' : 'Find in this session';
  return (
    <div className={styles.bar} role="search" aria-label={label} onKeyDown={onKeyDown}>
      <QueryField
        asked={asked}
        label={label}
        inputRef={field}
        className={cx(styles.field, styles.barField)}
        onAsk={(next) => app.find.ask(next)}
        onKeyDown={() => undefined}
      />
      <span className={styles.count} role="status">
        {problem ?? (answer ? (none ?? placeAmong(at, count, answer.isPartial)) : '')}
        {answer?.isUnread && none === null && ' so far'}
      </span>
      <IconButton
        label="Previous hit"
        shortcut={useKeys('view.findPrevious')}
        size="small"
        onClick={() => app.find.step(-1, app.page.spots())}
      >
        <ChevronUp size={14} />
      </IconButton>
      <IconButton
        label="Next hit"
        shortcut={useKeys('view.findNext')}
        size="small"
        onClick={() => app.find.step(1, app.page.spots())}
      >
        <ChevronDown size={14} />
      </IconButton>
      {answer && <Places answer={answer} isRead={isRead} onElsewhere={goElsewhere} />}
      <span className={styles.barEnd}>
        <Kbd>{keys}</Kbd>
        <IconButton label="Close find" shortcut="Esc" size="small" onClick={() => app.find.close()}>
          <X size={14} />
        </IconButton>
      </span>
    </div>
  );
}

/** How many hits stand where; those elsewhere lead to the list of all. */
function Places({ answer, isRead, onElsewhere }: { answer: SessionAnswer; isRead: boolean; onElsewhere: () => void }) {
  const counts = noCounts();
  for (const { place } of answer.path) counts[place]++;
  const words = `${plural(answer.branch, 'hit')} ${isRead ? 'elsewhere' : 'on other branches'}`;
  const elsewhere = isRead ? words : <Count place="branch" text={words} />;
  return (
    <span className={styles.places}>
      {isRead && <Count place="branch" text={`${counts.branch} on this branch`} />}
      <Count place="kept" text={`${counts.kept} word for word`} />
      <Count place="summarized" text={`${counts.summarized} summarised`} />
      {counts.reduced > 0 && <Count place="reduced" text={`${counts.reduced} not sent in full`} />}
      {answer.branch === 0 ? (
        <span className={styles.nowhere}>{elsewhere}</span>
      ) : (
        <button type="button" className={styles.elsewhere} title="Show them in the search" onClick={onElsewhere}>
          {elsewhere} <ChevronRight size={12} aria-hidden />
        </button>
      )}
    </span>
  );
}

/** Which of the hits it is; of a single one there is nothing to choose. */
function placeAmong(at: number, count: number, isPartial: boolean): string {
  if (count === 0) return 'No hits';
  return count === 1 && !isPartial ? '1 hit' : `${at + 1} of ${count}${isPartial ? '+' : ''}`;
}

function Count({ place, text }: { place: Place; text: string }) {
  return (
    <span className={styles.placeCount}>
      <Gutter place={place} /> {text}
    </span>
  );
}
