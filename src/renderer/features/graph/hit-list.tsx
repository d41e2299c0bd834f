import { useEffect, useRef, useState } from 'react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { QUERY_FILTERS, valuesOf } from '@shared/graph/query';
import { readEntry } from '../../actions/reading';
import { formatWhen, fullMoment, plural } from '../../state/format';
import { namingTurn, variantAt } from '../../state/branch-names';
import { type GraphHit, type GraphSearch, marksIn } from '../../state/graph-search';
import { useView } from '../../state/hooks';
import { hidesTranscript } from '../../state/ui-store';
import { cx, Kbd } from '../../ui';
import { Found } from '../search/found';
import { type GraphScope, useGraph, useGraphState } from './context';
import { fromMark } from './hit-line';
import styles from './search.module.css';
import { firstOfRun } from './turn-facts';
import { loadTexts } from './turn-node';
import { show } from './view';
import { titleOfNode } from './words';

const ROW_HEIGHT = 36; // pixels
const ROWS_SHOWN = 4;

/** The element of a hit, by its place. */
export const hitId = (at: number): string => `graph-hit-${at}`;

/** Makes a hit visible with its preview, and leads the transcript to it (GR19); the keyboard stays where it is. */
export function showHit(scope: GraphScope, hit: GraphHit | null): void {
  if (!hit) return;
  const { app, session, store, overlay } = scope;
  const { node, entryId } = hit;
  show(scope, node);
  // A branch that opens for it, or the list that comes above it, moves it: where it is then shows the next picture.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      const { found, at } = store.state.getState().search;
      if (found[at]?.node !== node) return;
      show(scope, node);
      overlay.setState({ preview: node });
    }),
  );
  if (!hidesTranscript(app.ui.getState().layout))
    void readEntry(app, session.id, entryId ?? store.graph.readAt(node), { isTold: true });
}

/** The hits, docked above the tree. */
export function HitList() {
  const search = useGraphState((state) => state.search);
  if (search.query.trim() === '') return null;
  return (
    <section className={styles.hits} aria-label="Hits">
      <Summary search={search} />
      {search.found.length > 0 && <Rows search={search} />}
    </section>
  );
}

function Summary({ search }: { search: GraphSearch }) {
  const scope = useGraph();
  const { store } = scope;
  const { found, asked, source, problem, isBusy, isPartial } = search;
  const step = (by: 1 | -1): void => showHit(scope, store.stepSearch(by));
  return (
    <div className={styles.summary}>
      <span role="status">
        {problem !== null ? (
          <em>{problem}</em>
        ) : isBusy && found.length === 0 ? (
          'Searching'
        ) : (
          <>
            <b>
              {found.length === 0 ? 'No hits' : plural(found.length, 'hit')}
              {isPartial && ' or more'}
            </b>
            {found.length > 0 && ` in ${plural(branchesOf(scope, found), 'branch', 'branches')}`}
            {exactness(search)}
          </>
        )}
        {asked.unknown.map((name) => (
          <em key={name}>
            {' '}
            · “{name}:” is searched as a word: the filters are {QUERY_FILTERS.map((filter) => `${filter}:`).join(' ')}
          </em>
        ))}
        {source === 'journal' && problem === null && <em> · the index is not ready: all words, in any place</em>}
      </span>
      {found.length > 0 && (
        <span className={styles.steps}>
          <button type="button" onClick={() => step(1)}>
            Next <Kbd>Enter</Kbd>
          </button>
          <button type="button" onClick={() => step(-1)}>
            Previous <Kbd>⇧Enter</Kbd>
          </button>
        </span>
      )}
    </div>
  );
}

function branchesOf({ store }: GraphScope, found: readonly GraphHit[]): number {
  const { graph } = store;
  // The path to HEAD is one.
  return new Set(found.map(({ node }) => (graph.isActive(node) ? null : firstOfRun(store, node)))).size;
}

/** Whether the words follow each other as they were typed. */
function exactness({ asked, found, source }: GraphSearch): string {
  if (source !== 'index' || !/\S\s+\S/.test(asked.words)) return '';
  const exact = found.filter(({ by }) => by === 'exact').length;
  const loose = found.filter(({ by }) => by === 'loose').length;
  if (exact + loose === 0) return '';
  if (loose === 0) return ' · exact words';
  return exact === 0 ? ' · words anywhere' : ` · ${exact} with the exact words`;
}

function Rows({ search }: { search: GraphSearch }) {
  const scope = useGraph();
  const { session, store } = scope;
  const { found, at } = search;
  const scroller = useRef<HTMLDivElement>(null);
  const [, setReads] = useState(0);
  useView(session, (view) => view.entriesVersion);
  const list = useVirtualizer({
    count: found.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 6,
  });
  const items = list.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? -1;
  useEffect(() => {
    let isOver = false;
    const seen = found.slice(first, last + 1);
    const nodes = new Set(seen.flatMap(({ node }) => [node, namingTurn(firstOfRun(store, node))]));
    void Promise.all([store.excerpts.read(seen), loadTexts(scope, [...nodes])]).then(
      () => isOver || setReads((count) => count + 1),
    );
    return () => {
      isOver = true;
    };
  }, [scope, store, found, first, last]);
  useEffect(() => {
    if (at >= 0) list.scrollToIndex(at, { align: 'auto' });
    // Follows the walk alone: what is found anew must not scroll.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [at, search.steps]);
  return (
    <div
      ref={scroller}
      role="listbox"
      id="graph-hits"
      aria-label="Turns that were found"
      className={styles.list}
      style={{ height: Math.min(found.length, ROWS_SHOWN) * ROW_HEIGHT }}
      // Chromium makes what scrolls a stop of Tab; the field walks it.
      tabIndex={-1}
    >
      <div role="presentation" style={{ height: list.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const hit = found[index];
          return hit && <Row key={hit.node.index} {...{ hit, index, start, isHere: index === at, of: found.length }} />;
        })}
      </div>
    </div>
  );
}

interface RowProps {
  hit: GraphHit;
  index: number;
  start: number;
  isHere: boolean;
  of: number;
}

function Row({ hit, index, start, isHere, of }: RowProps) {
  const scope = useGraph();
  const { app, store, texts } = scope;
  const { graph, facts } = store;
  const { node, count } = hit;
  const title = titleOfNode(node, texts(node));
  const line = lineOf(scope, hit, title);
  const cut = fromMark(line);
  const isOnPath = graph.isActive(node);
  const variant = variantAt(scope.session, node);
  const branch = isOnPath ? 'HEAD’s path' : [facts.branchName(node) || 'a branch', variant].filter(Boolean).join(' ');
  const isFirst = firstOfRun(store, node) === node && !isOnPath;
  const time = store.excerpts.excerptOf(hit)?.time || node.time;
  return (
    <div
      role="option"
      id={hitId(index)}
      aria-selected={isHere}
      aria-posinset={index + 1}
      aria-setsize={of}
      className={cx(styles.hit, isHere && styles.here)}
      style={{ transform: `translateY(${start}px)` }}
      data-graph-hit={node.contentId}
      // The keyboard stays in the field.
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => showHit(scope, store.goToHit(index))}
    >
      <p dir="auto">
        <Found text={cut.text} marks={cut.marks} />
      </p>
      <small>
        <b data-path={isOnPath || undefined} dir="auto">
          {branch}
        </b>
        <span aria-hidden>·</span>
        <span className={styles.turn}>{line.why ?? titleBeside(line.text, title, isFirst)}</span>
        {count > 1 && <span className={styles.more}>{plural(count, 'message')}</span>}
        <time title={fullMoment(time)}>{formatWhen(time, app.now())}</time>
      </small>
    </div>
  );
}

/** The title of a turn, where the first line is not that already. */
function titleBeside(line: string, title: string, isFirst: boolean): string {
  if (!line.startsWith(title)) return title;
  return isFirst ? 'first turn' : 'You';
}

/** The first line of a hit: what was found of it, as far as that is read. */
function lineOf({ store }: GraphScope, hit: GraphHit, title: string) {
  const { asked } = store.state.getState().search;
  const { node, by } = hit;
  const { facts } = store;
  const excerpt = store.excerpts.excerptOf(hit);
  if (by === 'label' || by === 'branch') {
    // HEAD may have come to it meanwhile: its path is one branch.
    const name = (by === 'label' ? facts.label(node) : facts.startOf(node) || facts.branchName(node)) || title;
    return { text: name, marks: marksIn(name, asked.words, false), why: title };
  }
  if (excerpt) return { text: excerpt.text, marks: excerpt.marks, why: null };
  const [filter] = asked.filters;
  const why = filter && asked.words === '' ? valuesOf(node, filter.name, facts) : [];
  const wanted = filter?.value.toLowerCase() ?? '';
  const shown = why.find((value) => value.toLowerCase().includes(wanted)) ?? null;
  return {
    text: title,
    marks: by === 'exact' || by === 'loose' ? marksIn(title, asked.words, by === 'exact') : [],
    why: shown,
  };
}
