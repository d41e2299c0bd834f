import { namingTurn } from '../../state/branch-names';
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { X } from 'lucide-react';
import {
  completed,
  type Offer,
  offersOf,
  QUERY_FILTERS,
  type QueryFilterName,
  type Typing,
  typingAt,
} from '@shared/graph/query';
import { cx, Input, Kbd, Visible } from '../../ui';
import { useGraph, useGraphState } from './context';
import { hitId, showHit } from './hit-list';
import styles from './search.module.css';
import { loadTexts } from './turn-node';
import { firstOfRun } from './turn-facts';

const MOST_OFFERS = 8;
/** Branches whose names are read so that they can be offered. */
const MOST_NAMED = 400;

const HINTS: Record<QueryFilterName, string> = {
  file: 'turns that changed a file',
  label: 'labelled turns',
  error: 'turns in which something failed',
  tool: 'turns that called a tool',
  branch: 'turns of a branch',
};

/** The field of the graph: words and filters, completed as they are typed, and the way from hit to hit (GR19). */
export function SearchField() {
  const scope = useGraph();
  const { store, overlay } = scope;
  const text = useGraphState((state) => state.search.query);
  const at = useGraphState((state) => state.search.at);
  const [caret, setCaret] = useState(text.length);
  const [pick, setPick] = useState(-1);
  /** The offers were put aside, or nothing was typed yet. */
  const [isQuiet, setQuiet] = useState(true);
  const field = useRef<HTMLInputElement>(null);
  const listId = useId();
  const typing = isQuiet ? null : typingAt(text, caret);
  const offers = useOffers(typing);
  const isOpen = typing !== null && offers.length > 0;

  async function step(by: 1 | -1): Promise<void> {
    setQuiet(true);
    await store.searched();
    showHit(scope, store.stepSearch(by));
  }
  function clear(): void {
    setQuiet(true);
    store.search('');
    overlay.setState({ preview: null });
  }
  function accept(offer: Offer): void {
    if (!typing) return;
    const next = completed(text, typing, offer.value);
    store.search(next.text);
    setPick(-1);
    requestAnimationFrame(() => {
      field.current?.setSelectionRange(next.caret, next.caret);
      setCaret(next.caret);
    });
  }

  function onKeyDown(event: KeyboardEvent<HTMLInputElement>): void {
    if (event.nativeEvent.isComposing) return;
    if (!(isOpen && onOffers(event)) && !onHits(event)) return;
    event.preventDefault();
    event.stopPropagation();
  }
  /** Offers take no Enter before somebody has gone to one: words may look like the beginning of a filter. */
  function onOffers({ key, shiftKey }: KeyboardEvent): boolean {
    const offer = offers[key === 'Tab' ? Math.max(0, pick) : pick];
    if (key === 'ArrowDown') setPick((pick + 1) % offers.length);
    else if (key === 'ArrowUp') setPick(pick <= 0 ? offers.length - 1 : pick - 1);
    else if (key === 'Escape') setQuiet(true);
    else if (offer && ((key === 'Tab' && !shiftKey) || key === 'Enter')) accept(offer);
    else return false;
    return true;
  }
  function onHits({ key, shiftKey, currentTarget }: KeyboardEvent<HTMLInputElement>): boolean {
    const hasHits = store.state.getState().search.found.length > 0;
    if (key === 'Enter') void step(shiftKey ? -1 : 1);
    else if (key === 'ArrowDown' && hasHits) void step(1);
    else if (key === 'ArrowUp' && hasHits) void step(-1);
    else if (key === 'ArrowDown') focusTree(currentTarget);
    else if (key === 'Escape') {
      clear();
      focusTree(currentTarget);
    } else return false;
    return true;
  }

  const tally = useTally();
  return (
    <div className={styles.box}>
      <Input
        ref={field}
        type="text"
        role="combobox"
        className={styles.search}
        style={text === '' ? undefined : { paddingRight: roomFor(tally?.text ?? '…') }}
        data-graph-search
        aria-label="Find in the tree"
        aria-expanded={isOpen || at >= 0}
        aria-haspopup="listbox"
        aria-controls={isOpen ? `${listId} graph-hits` : 'graph-hits'}
        aria-activedescendant={isOpen ? (pick >= 0 ? `${listId}-${pick}` : undefined) : at >= 0 ? hitId(at) : undefined}
        autoComplete="off"
        spellCheck={false}
        maxLength={500}
        placeholder="Find"
        value={text}
        end={text === '' ? <Kbd>/</Kbd> : <End onClear={() => (clear(), field.current?.focus())} />}
        onChange={(event) => {
          store.search(event.target.value);
          setCaret(event.target.selectionStart ?? event.target.value.length);
          setPick(-1);
          setQuiet(false);
        }}
        onSelect={(event) => setCaret(event.currentTarget.selectionStart ?? 0)}
        onKeyDown={onKeyDown}
        onBlur={() => setQuiet(true)}
      />
      {isOpen && (
        <ul
          id={listId}
          role="listbox"
          aria-label={typing.name ? `Values of ${typing.name}:` : 'Filters'}
          className={styles.offers}
        >
          {offers.map((offer, index) => (
            <li
              key={offer.value}
              id={`${listId}-${index}`}
              role="option"
              aria-selected={index === pick}
              className={cx(styles.offer, index === pick && styles.picked)}
              // The keyboard stays in the field.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => accept(offer)}
            >
              <span>{typing.name ? <Visible text={offer.value} place="path" /> : `${offer.value}:`}</span>
              <small>{typing.name ? offer.count : HINTS[offer.value as QueryFilterName]}</small>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** What can stand where the caret is. Names of branches are read as they are needed. */
function useOffers(typing: Typing | null): readonly Offer[] {
  const scope = useGraph();
  const { store } = scope;
  const version = useGraphState((state) => state.version);
  const [reads, setReads] = useState(0);
  const name = typing?.name ?? null;
  const typed = typing?.typed ?? null;
  useEffect(() => {
    if (name !== 'branch') return;
    const firsts = new Set(store.graph.turns.nodes.map((node) => namingTurn(firstOfRun(store, node))));
    let isOver = false;
    void loadTexts(scope, [...firsts].slice(-MOST_NAMED)).then(() => isOver || setReads((count) => count + 1));
    return () => {
      isOver = true;
    };
  }, [scope, store, name]);
  return useMemo(() => {
    if (typed === null || version < 0 || reads < 0) return [];
    if (name === null)
      return QUERY_FILTERS.filter((filter) => filter.startsWith(typed)).map((value) => ({ value, count: 0 }));
    const { graph, facts } = store;
    const offers = offersOf(graph.turns.nodes, name, typed, facts, MOST_OFFERS);
    // What is typed out needs no offer.
    return offers.length === 1 && offers[0]?.value === typed ? [] : offers;
  }, [name, typed, store, version, reads]);
}

/** Which of how many is shown, as it is written and as it is said; null: it is being searched. */
function useTally(): { text: string; words: string } | null {
  const { found, at, isPartial, isBusy, query } = useGraphState((state) => state.search);
  if (isBusy || query === '') return null;
  const count = `${found.length}${isPartial ? '+' : ''}`;
  // Of a single one there is nothing to choose.
  if (at < 0 || count === '1') return { text: count, words: `${count} found` };
  return { text: `${at + 1}/${count}`, words: `${at + 1} of ${count} found` };
}

/** Pixels beside the text: the button, and the tally in figures of one width. */
const roomFor = (tally: string): number => 32 + 7 * tally.length;

function End({ onClear }: { onClear: () => void }) {
  const tally = useTally();
  return (
    <>
      {tally === null ? (
        <span className={styles.count}>…</span>
      ) : (
        <span className={styles.count} role="status" aria-label={tally.words}>
          {tally.text}
        </span>
      )}
      <button type="button" className={styles.clear} aria-label="Clear the search" onClick={onClear}>
        <X size={12} aria-hidden />
      </button>
    </>
  );
}

/** The keyboard goes to the graph or the outline, whichever is shown. */
function focusTree(from: Element): void {
  from.closest('[data-pane="graph"]')?.querySelector<HTMLElement>('[data-graph], [data-outline]')?.focus();
}
