import { useEffect, useId, useState, type KeyboardEvent } from 'react';
import { useStore } from 'zustand';
import { X } from 'lucide-react';
import { type Place, type SearchAnswer, sumOf } from '@shared/search/types';
import { closeSearch, goToHit, showHit } from '../../actions/ways';
import { useKeys } from '../../parts/action-button';
import { plural } from '../../state/format';
import { useApp, useSessions } from '../../state/hooks';
import { hitAt, NO_FILTERS, type SearchState } from '../../state/search-store';
import { titleOf } from '../../state/sessions-store';
import { Button, IconButton, Kbd, Spinner, TOAST_SLOT, Visible } from '../../ui';
import { QueryField, whyNone } from './query-field';
import { Filters, inFilters, useFolderNames } from './filters';
import { hitId, SessionGroup, treeId } from './found';
import styles from './search.module.css';

const CHIPS: Record<Place, string> = {
  kept: 'Word for word',
  summarized: 'Summarised',
  reduced: 'Not sent in full',
  branch: 'Other branches',
};
const PLACES_SHOWN = Object.keys(CHIPS) as Place[];
/** Hits that a page key goes over. */
const PAGE = 8;

/**
 * Search everything, in the place of the list of sessions. The keyboard stays in the field: arrows walk the hits, Enter shows one where it
 * stands or reads it here, and only Ctrl+Enter moves HEAD (WN11, SE5).
 */
export function SearchPanel() {
  const app = useApp();
  const state = useStore(app.search.state);
  const { asked, answer, at } = state;
  const listId = useId();
  const keys = useKeys('view.find');
  const from = useState(() => document.activeElement)[0];

  // What had the keyboard has it again.
  useEffect(
    () => () => {
      if (from instanceof HTMLElement && from.isConnected && from !== document.body) from.focus();
      else app.page.focus('composer');
    },
    [app, from],
  );
  const lists = answer?.sessions.map(({ sessionId }) => treeId(listId, sessionId)).join(' ');
  const current = at && hitId(listId, at);
  useEffect(() => {
    if (current) document.getElementById(current)?.scrollIntoView({ block: 'nearest' });
  }, [current]);

  function onKeyDown(event: KeyboardEvent<HTMLInputElement>): void {
    const step = STEPS.get(event.key);
    const hit = hitAt(app.search.state.getState());
    if (step !== undefined) app.search.step(step);
    else if (event.key === 'Escape') closeSearch(app);
    else if (event.key === 'Enter' && hit && at && !event.nativeEvent.isComposing) {
      if (event.ctrlKey || event.metaKey) void goToHit(app, at.sessionId, hit);
      else showHit(app, at.sessionId, hit);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <aside className={styles.panel} aria-label="Search everything" data-pane="sessions">
      <div className={styles.head}>
        <h2>Search everything</h2>
        <IconButton label="Close the search" shortcut="Esc" size="small" onClick={() => closeSearch(app)}>
          <X size={15} />
        </IconButton>
      </div>
      <QueryField
        asked={asked}
        label="Search all sessions"
        className={styles.field}
        onAsk={(next) => app.search.ask({ asked: next })}
        onKeyDown={onKeyDown}
        list={{ ids: lists ?? '', at: current ?? undefined }}
        end={<Kbd>{keys}</Kbd>}
      />
      <Places state={state} />
      <Filters filters={state.filters} />
      <Summary state={state} />
      <div className={styles.list} role="group" aria-label="Hits">
        {answer?.sessions.map((group) => (
          <SessionGroup key={group.sessionId} group={group} state={state} listId={listId} />
        ))}
      </div>
      <div className={styles.slot} {...TOAST_SLOT} />
      <div className={styles.foot}>
        <span>
          <Kbd>↑</Kbd> <Kbd>↓</Kbd> move
        </span>
        <span>
          <Kbd>Enter</Kbd> read it there
        </span>
        <span>
          <Kbd>Ctrl+Enter</Kbd> go there
        </span>
        <span>
          <Kbd>Esc</Kbd> close
        </span>
      </div>
    </aside>
  );
}

const STEPS = new Map([
  ['ArrowDown', 1],
  ['ArrowUp', -1],
  ['PageDown', PAGE],
  ['PageUp', -PAGE],
]);

/** Which hits are listed, each place with its number. */
function Places({ state: { place, answer, sessionId } }: { state: SearchState }) {
  const app = useApp();
  const session = useSessions((sessions) => (sessionId === null ? undefined : sessions.byId[sessionId]));
  const chip = (which: Place | null, words: string, count: number | undefined) => (
    <button
      key={words}
      type="button"
      className={styles.chip}
      aria-pressed={place === which}
      onClick={() => app.search.ask({ place: which })}
    >
      {words}
      {count !== undefined && <span className={styles.number}>{count.toLocaleString('en')}</span>}
    </button>
  );
  return (
    <div className={styles.chips} role="group" aria-label="Places">
      {chip(null, 'All places', answer ? sumOf(answer.counts) : undefined)}
      {PLACES_SHOWN.map((which) => {
        const count = answer?.counts[which];
        // Few sessions have any.
        if (which === 'reduced' && place !== which && !count) return null;
        return chip(which, CHIPS[which], count);
      })}
      {sessionId !== null && (
        <button
          type="button"
          className={styles.chip}
          aria-label="Search all sessions instead of this one"
          onClick={() => app.search.ask({ sessionId: null })}
        >
          <span className={styles.only}>
            In <Visible text={session ? titleOf(session) : 'one session'} place="path" />
          </span>
          <X size={12} aria-hidden />
        </button>
      )}
    </div>
  );
}

function Summary({ state: { asked, place, sessionId, filters, answer, isBusy, problem } }: { state: SearchState }) {
  const app = useApp();
  const byFilters = inFilters(filters, useFolderNames());
  const count = answer ? (place === null ? sumOf(answer.counts) : answer.counts[place]) : 0;
  const none = answer && count === 0 ? whyNone(asked) : null;
  const isFiltered = answer && count === 0 && (place !== null || sessionId !== null || byFilters !== '');
  return (
    <div className={styles.summary} role="status">
      {problem !== null ? (
        <span className={styles.problem}>{problem}</span>
      ) : !answer ? (
        asked.query.trim() === '' ? (
          'Finds words by their beginnings, in every message of every session.'
        ) : (
          isBusy && 'Searching'
        )
      ) : none !== null ? (
        none
      ) : isFiltered ? (
        <span>
          <b>No hits</b> {limitsOf(place, sessionId, byFilters)}.{' '}
          <Button tone="link" onClick={() => app.search.ask({ place: null, sessionId: null, filters: NO_FILTERS })}>
            Search everywhere
          </Button>
        </span>
      ) : (
        <Counted answer={answer} count={count} />
      )}
      {answer && answer.unread > 0 && (
        <span className={styles.unread}>
          <Spinner size={11} /> {plural(answer.unread, 'session')} still to read
        </span>
      )}
    </div>
  );
}

function Counted({ answer, count }: { answer: SearchAnswer; count: number }) {
  return (
    <span>
      <b>
        {plural(count, 'hit')}
        {answer.isPartial && ' or more'}
      </b>{' '}
      in {plural(answer.sessionCount, 'session')}
      {answer.sessions.length < answer.sessionCount && `, the newest ${answer.sessions.length} are listed`}
    </span>
  );
}

/** What was left out, in words. */
function limitsOf(place: Place | null, sessionId: string | null, byFilters: string): string {
  const where = place === null ? '' : `among “${CHIPS[place]}”`;
  return [where, sessionId !== null && 'in this one session', byFilters].filter(Boolean).join(' ');
}
