import { useEffect, useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { type Branch, listBranches } from '@shared/graph/branches';
import type { TurnNode } from '@shared/graph/turns';
import { formatTokens, formatWhen, plural } from '../../state/format';
import { useLive, useView } from '../../state/hooks';
import { cx, Input } from '../../ui';
import { cardStyle } from './card-place';
import { useFlowView, useGraph, useGraphState, usePicture } from './context';
import styles from './many-list.module.css';
import { RAIL } from './rail';
import { branchNameOf } from './turn-facts';
import { loadTexts } from './turn-node';
import { show } from './view';

const SIZE = { width: 300, height: 280 }; // pixels, at most
/** A list of which less is seen is none: field and four branches. */
const LEAST = { width: 200, height: 240 };
/** Branches that are listed at once: who looks for one of more writes a few letters of it. */
const LISTED = 100;

/** The branches that one row or cell stands for, with a field to find one by its name (GR6). */
export function ManyList() {
  const node = useStore(useGraph().overlay, (state) => state.many);
  return node && <List key={node.index} node={node} />;
}

function List({ node }: { node: TurnNode }) {
  const scope = useGraph();
  const { store, session, overlay, app } = scope;
  const picture = usePicture();
  const { view, size } = useFlowView();
  useView(session, (state) => state.entriesVersion);
  const version = useGraphState((state) => state.version);
  const [wanted, setWanted] = useState('');
  const [at, setAt] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const members = useMemo(() => {
    if (version < 0) return [];
    return store.graph.order.siblings(node.parent).filter((first) => picture.cellOf(first) === node);
  }, [store, node, version, picture]);
  // The figures of the tab "Branches", which counts a branch with the variants behind it (GR17).
  const figuresOf = useMemo(() => {
    const { of } = listBranches(store.graph, store.graph.order);
    return (first: TurnNode): Branch => of(first);
    // oxlint-disable-next-line react/exhaustive-deps -- the graph is one object that grows
  }, [store, version]);
  useEffect(() => field.current?.focus(), []);
  const words = wanted.trim().toLowerCase();
  useLive(session, (live) => live.names);
  const nameOf = (first: TurnNode): string => branchNameOf(scope, first)?.text ?? '…';
  const found = words === '' ? members : members.filter((first) => nameOf(first).toLowerCase().includes(words));
  const listed = found.slice(0, LISTED);
  const now = useRef({ listed, members });
  useEffect(() => {
    now.current = { listed, members };
  });
  const key = listed.map(({ index, entryCount }) => `${index}.${entryCount}`).join();
  useEffect(() => void loadTexts(scope, now.current.listed), [scope, key]);
  // Who looks for one by its name looks in all of them: once, not with every entry.
  const isSearched = words !== '';
  useEffect(() => void (isSearched && loadTexts(scope, now.current.members)), [scope, isSearched]);
  const close = (): void => {
    overlay.setState({ many: null });
    document.querySelector<HTMLElement>('[data-graph]')?.focus({ preventScroll: true });
  };
  const open = (first: TurnNode | undefined): void => {
    if (!first) return;
    close();
    store.openRun(store.graph.order.runOf(first), true);
    show(scope, first);
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.key === 'Escape') close();
    else if (event.key === 'Enter') open(listed[at]);
    else if (event.key === 'ArrowDown') setAt(Math.min(listed.length - 1, at + 1));
    else if (event.key === 'ArrowUp') setAt(Math.max(0, at - 1));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const style = cardStyle(scope, picture, node, {
    ...{ card: SIZE, least: LEAST, view, size },
    x: (cell) => (picture.kind === 'rail' ? RAIL.words : cell.x),
  });
  return (
    <section
      className={styles.list}
      style={style}
      aria-label={plural(members.length, 'branch', 'branches')}
      onKeyDown={onKeyDown}
      data-floats
      data-many
    >
      <Input
        ref={field}
        type="text"
        role="combobox"
        aria-expanded
        aria-controls="many-branches"
        aria-activedescendant={listed[at] ? `many-${listed[at].index}` : undefined}
        aria-label="Find a branch"
        placeholder={`Find one of ${members.length.toLocaleString('en')} branches`}
        value={wanted}
        onChange={(event) => {
          setWanted(event.target.value);
          setAt(0);
        }}
      />
      <div role="listbox" id="many-branches" aria-label="Branches" className={styles.rows}>
        {listed.map((first, index) => (
          <div
            key={first.index}
            id={`many-${first.index}`}
            role="option"
            aria-selected={index === at}
            className={cx(styles.row, index === at && styles.on)}
            ref={index === at ? keepInView : undefined}
            onClick={() => open(first)}
          >
            <span className={styles.name} dir="auto">
              {nameOf(first)}
            </span>
            <Figures branch={figuresOf(first)} now={app.now()} />
          </div>
        ))}
      </div>
      {found.length !== listed.length && (
        <p className={styles.more}>
          {plural(found.length - listed.length, 'more', 'more')}. Write a few letters to find one.
        </p>
      )}
      {found.length === 0 && <p className={styles.more}>No branch has these words in its name.</p>}
    </section>
  );
}

function Figures({ branch: { turns, tokens, lastTime }, now }: { branch: Branch; now: number }) {
  return (
    <small>
      {plural(turns, 'turn')} · {formatTokens(tokens)} tok · {formatWhen(lastTime, now)}
    </small>
  );
}

function keepInView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' });
}
