import { Fragment, useId } from 'react';
import { ChevronRight } from 'lucide-react';
import { type Author, type Place, type SearchHit, type SessionHits, sumOf } from '@shared/search/types';
import type { Span } from '@shared/search/words';
import { showHit } from '../../actions/ways';
import { formatMoment, formatPath, plural } from '../../state/format';
import { useApp, useSessions, useSettings } from '../../state/hooks';
import { type HitRef, isSame, restOf, type SearchState } from '../../state/search-store';
import { titleOf } from '../../state/sessions-store';
import { cx, Visible } from '../../ui';
import styles from './search.module.css';

/** A text with what was found in it marked. */
export function Found({ text, marks }: Pick<SearchHit, 'text' | 'marks'>) {
  return partsOf(text, marks).map(({ part, isHit }, index) => (
    <Fragment key={index}>
      {isHit ? (
        <mark className={styles.mark}>
          <Visible text={part} place="path" />
        </mark>
      ) : (
        <Visible text={part} place="path" />
      )}
    </Fragment>
  ));
}

function partsOf(text: string, marks: readonly Span[]): { part: string; isHit: boolean }[] {
  const parts: { part: string; isHit: boolean }[] = [];
  let at = 0;
  const add = (end: number, isHit: boolean): void => {
    if (end > at) parts.push({ part: text.slice(at, end), isHit });
    at = Math.max(at, end);
  };
  for (const [start, end] of marks) {
    add(start, false);
    add(end, true);
  }
  add(text.length, false);
  return parts;
}

const PLACE_WORDS: Record<Place, string> = {
  kept: 'word for word',
  summarized: 'summarised',
  branch: 'other branch',
  reduced: 'not sent in full',
};

/** What the model has of a hit, in the colours of the meter; its words stand beside it. */
export function Gutter({ place }: { place: Place }) {
  return <i className={styles.gutter} data-place={place} aria-hidden />;
}

/** Whose words they are; names from a file in visible form. */
function By({ author: { kind, name } }: { author: Author }) {
  const named = <Visible text={name.slice(0, 60)} place="path" />;
  if (kind === 'person') return <span>You</span>;
  if (kind === 'model') return <span>{name === '' ? 'Assistant' : named}</span>;
  if (kind === 'command') return <span>Your command</span>;
  if (kind === 'summary') return <span>{name === 'compaction' ? 'Summary' : 'Branch summary'}</span>;
  if (kind === 'tool') return <span>output of {name === '' ? 'a tool' : named}</span>;
  return <span>{name === '' ? 'Note' : named}</span>;
}

interface GroupProps {
  group: SessionHits;
  state: SearchState;
  listId: string;
}

/** The element of a hit. */
export const hitId = (listId: string, { sessionId, entryId }: HitRef): string => `${listId}-${sessionId}-${entryId}`;

/** The list of a session's hits. */
export const treeId = (listId: string, sessionId: string): string => `${listId}-${sessionId}`;

/** The hits of one session, below its name. */
export function SessionGroup({ group, state, listId }: GroupProps) {
  const app = useApp();
  const { sessionId, counts, hits } = group;
  const session = useSessions((sessions) => sessions.byId[sessionId]);
  const home = useSettings((settings) => settings.home);
  const scratch = useSettings((settings) => settings.scratchDir);
  const headId = useId();
  const { place } = state;
  const isFolded = state.folded.has(sessionId);
  const count = place === null ? sumOf(counts) : counts[place];
  const rest = restOf(group, place);
  const folder = session && session.workspace !== scratch ? formatPath(session.workspace, home) : '';
  return (
    <section>
      <button
        type="button"
        id={headId}
        className={styles.group}
        aria-expanded={!isFolded}
        onClick={() => app.search.fold(sessionId)}
      >
        <ChevronRight size={12} aria-hidden className={cx(styles.chevron, !isFolded && styles.open)} />
        <b>
          <Visible text={session ? titleOf(session) : 'A session that is not listed'} place="path" />
        </b>
        {folder !== '' && (
          <code>
            <Visible text={folder} place="path" />
          </code>
        )}
        <span>{plural(count, 'hit')}</span>
      </button>
      {!isFolded && (
        <div role="tree" id={treeId(listId, sessionId)} aria-labelledby={headId}>
          {hits.map((hit) => (
            <Hit key={hit.entryId} {...{ sessionId, hit, state, listId }} />
          ))}
        </div>
      )}
      {!isFolded && rest > 0 && (
        <button type="button" className={styles.more} onClick={() => void app.search.more(sessionId)}>
          {rest.toLocaleString('en')} more
        </button>
      )}
    </section>
  );
}

interface HitProps {
  sessionId: string;
  hit: SearchHit;
  state: SearchState;
  listId: string;
}

function Hit({ sessionId, hit, state, listId }: HitProps) {
  const app = useApp();
  const ref = { sessionId, entryId: hit.entryId };
  const isAt = state.at !== null && isSame(state.at, ref);
  return (
    <div
      id={hitId(listId, ref)}
      role="treeitem"
      aria-selected={isAt}
      className={cx(styles.hit, isAt && styles.current)}
      data-hit={hit.entryId}
      data-place={hit.place}
      // The keyboard stays in the field.
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => {
        app.search.state.setState({ at: ref });
        showHit(app, sessionId, hit);
      }}
    >
      <Gutter place={hit.place} />
      <div className={styles.words}>
        <p dir="auto">
          <Found text={hit.text} marks={hit.marks} />
        </p>
        <small>
          <By author={hit.author} />
          <span aria-hidden>·</span>
          <span data-words={hit.place}>{PLACE_WORDS[hit.place]}</span>
          <span className={styles.time}>{hit.time > 0 ? formatMoment(hit.time, app.now()) : ''}</span>
        </small>
      </div>
    </div>
  );
}
