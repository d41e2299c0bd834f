import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { lineOf, type OutlineRow, outlineRows } from '@shared/graph/outline';
import type { TurnNode } from '@shared/graph/turns';
import { act, actionOfKey } from '../../actions/menus';
import { useView } from '../../state/hooks';
import { cx, Glyph, VisuallyHidden } from '../../ui';
import { type GraphScope, useGraph, useGraphState } from './context';
import styles from './graph.module.css';
import { NothingShown } from './nothing-shown';
import { NodeMenu } from './preview-card';
import { loadTexts, PinSign } from './turn-node';
import { isMenuKey, serveCarried, serveKey } from './use-keys';
import { actOn, readThere, targetOf, useWanted } from './view';
import { figuresOf, foldWords, isHeadShown, shownLabel, standing, titleOfNode } from './words';

const ROW_HEIGHT = 30; // pixels
/** Levels further in stand no further right. */
const MAX_INDENT = 8;
const TYPE_AHEAD_MS = 700;

/** The same tree as lines: for screen readers, and for whoever would rather read a list. */
export function Outline() {
  const scope = useGraph();
  const { store, session, texts } = scope;
  const layoutVersion = useGraphState((state) => state.layoutVersion);
  const turns = useGraphState((state) => (state.version < 0 ? 0 : store.graph.turns.nodes.length));
  useGraphState((state) => state.version);
  const cursor = useGraphState((state) => state.cursor);
  useView(session, (view) => view.entriesVersion);
  const [closed, setClosed] = useState<ReadonlySet<TurnNode>>(new Set());
  const scroller = useRef<HTMLDivElement>(null);
  const typed = useRef({ text: '', at: 0 });
  const { graph } = store;
  // An entry that joins its turn makes no line.
  const rows = useMemo(
    () => (turns + layoutVersion >= 0 ? outlineRows(graph, closed) : []),
    [graph, turns, layoutVersion, closed],
  );
  const shownAt = cursor ?? graph.head;
  const current = shownAt && lineOf(graph, shownAt);
  const at = Math.max(
    0,
    rows.findIndex((row) => row.node === current),
  );
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 8,
  });
  const items = list.getVirtualItems();
  const shown = items.flatMap(({ index }) => (rows[index] ? graph.shownOn(rows[index].node) : []));
  const key = shown.map((node) => `${node.index}.${node.entryCount}`).join();
  const shownNow = useRef(shown);
  useEffect(() => {
    shownNow.current = shown;
  });
  useEffect(() => void loadTexts(scope, shownNow.current), [scope, key]);
  useWanted(scope, false);
  useEffect(() => {
    // Somebody leads to a line that is not there: what was closed above it opens.
    if (current && !rows.some((row) => row.node === current)) setClosed((before) => withoutAbove(before, current));
    // oxlint-disable-next-line react/exhaustive-deps -- as below
  }, [cursor]);
  useEffect(() => {
    if (rows.length > 0) list.scrollToIndex(at, { align: 'auto' });
    // Follows the cursor alone: an entry that arrives must not scroll.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [current]);

  const go = (index: number): void => {
    const row = rows[Math.min(rows.length - 1, Math.max(0, index))];
    if (row) store.setCursor(row.node);
  };
  const setOpen = (node: TurnNode, isOpen: boolean): void =>
    setClosed((before) => {
      const next = new Set(before);
      if (isOpen) next.delete(node);
      else next.add(node);
      return next;
    });

  function onKeyDown(event: KeyboardEvent): void {
    const row = rows[at];
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
    if (walk(event.key, row) || typeAhead(event.key) || serveOutlineKey(scope, event, row.node)) {
      event.preventDefault();
      event.stopPropagation();
    }
  }

  function walk(pressed: string, row: OutlineRow): boolean {
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 300) / ROW_HEIGHT) - 1);
    if (pressed === 'ArrowDown') go(at + 1);
    else if (pressed === 'ArrowUp') go(at - 1);
    else if (pressed === 'PageDown') go(at + page);
    else if (pressed === 'PageUp') go(at - page);
    else if (pressed === 'Home') go(0);
    else if (pressed === 'End') go(rows.length - 1);
    else if (pressed === 'ArrowRight') {
      if (row.hasBranches && !row.isOpen) setOpen(row.node, true);
      else if (row.hasBranches) go(at + 1);
    } else if (pressed === 'ArrowLeft') {
      if (row.hasBranches && row.isOpen) setOpen(row.node, false);
      else if (row.parent >= 0) go(row.parent);
    } else return false;
    return true;
  }

  /** Letters find the next line that begins with them; a single capital acts, as in the graph. */
  function typeAhead(pressed: string): boolean {
    if (pressed.length !== 1 || pressed === '/' || pressed === ' ' || /[A-Z]/.test(pressed)) return false;
    const now = scope.app.now();
    const isGoingOn = now - typed.current.at < TYPE_AHEAD_MS;
    typed.current = { text: (isGoingOn ? typed.current.text : '') + pressed.toLowerCase(), at: now };
    const { text } = typed.current;
    const from = text.length > 1 ? at : at + 1;
    for (let by = 0; by < rows.length; by++) {
      const row = rows[(from + by) % rows.length];
      const node = row && graph.shownOn(row.node);
      if (!node || !titleOfNode(node, texts(node)).toLowerCase().startsWith(text)) continue;
      go((from + by) % rows.length);
      return true;
    }
    return true;
  }

  return (
    <div className={styles.outlineFrame}>
      <div
        ref={scroller}
        className={styles.outline}
        role="tree"
        tabIndex={0}
        aria-label="Branches as an outline"
        aria-activedescendant={rows[at] ? rowId(rows[at].node) : undefined}
        data-outline
        onKeyDown={onKeyDown}
      >
        <div style={{ height: list.getTotalSize() }} className={styles.outlineRows} role="presentation">
          {items.map((item) => {
            const row = rows[item.index];
            return row ? (
              <Line key={row.node.index} row={row} top={item.start} isCurrent={item.index === at} onOpen={setOpen} />
            ) : null;
          })}
        </div>
      </div>
      {rows.length === 0 && <NothingShown />}
      <NodeMenu />
    </div>
  );
}

/** What stays closed where a turn is to be seen: nothing that it is below. O(depth). */
function withoutAbove(closed: ReadonlySet<TurnNode>, node: TurnNode): ReadonlySet<TurnNode> {
  const left = new Set(closed);
  for (let above = node.parent; above; above = above.parent) left.delete(above);
  return left;
}

const rowId = (node: TurnNode): string => `outline-row-${node.index}`;

/** What is no walking is what the graph does. */
function serveOutlineKey(scope: GraphScope, event: KeyboardEvent, node: TurnNode): boolean {
  if (isMenuKey(event)) {
    const line = document.getElementById(rowId(node))?.getBoundingClientRect();
    const frame = event.currentTarget.getBoundingClientRect();
    const at = line ? { x: 60, y: line.bottom - frame.top } : { x: 60, y: 60 };
    scope.overlay.setState({ menu: { node, at } });
  } else {
    scope.store.setCursor(node);
    if (serveCarried(scope, event, node)) return true;
    const id = actionOfKey(scope.app, 'node', event.key);
    if (!id) return serveKey(scope, event);
    act(scope.app, id, targetOf(scope, node));
  }
  return true;
}

interface LineProps {
  row: OutlineRow;
  top: number;
  isCurrent: boolean;
  onOpen: (node: TurnNode, isOpen: boolean) => void;
}

function Line({ row, top, isCurrent, onOpen }: LineProps) {
  const scope = useGraph();
  const { store, texts, overlay } = scope;
  const { node, level, hasBranches, isOpen, isStart } = row;
  const { graph } = store;
  const fold = foldWords(graph, node);
  const shown = fold ? node : graph.shownOn(node);
  const text = texts(shown);
  const label = shownLabel(graph, shown);
  const hasHead =
    graph.head !== null && lineOf(graph, graph.head) === node && (node !== graph.head || isHeadShown(graph));
  const Chevron = isOpen ? ChevronDown : ChevronRight;
  return (
    <div
      id={rowId(node)}
      role="treeitem"
      aria-level={level}
      aria-setsize={row.of}
      aria-posinset={row.position}
      aria-selected={isCurrent}
      aria-expanded={hasBranches ? isOpen : undefined}
      className={cx(
        styles.line,
        isStart && styles.lineStart,
        graph.isActive(shown) && styles.lineActive,
        isCurrent && styles.lineCurrent,
      )}
      style={{ transform: `translateY(${top}px)`, paddingLeft: 12 + Math.min(level - 1, MAX_INDENT) * 16 }}
      data-entry={node.contentId}
      onClick={() => {
        store.setCursor(node);
        if (!fold) readThere(scope, targetOf(scope, node));
      }}
      onDoubleClick={() => actOn(scope, fold ? 'node.fold' : 'node.go', node)}
      onContextMenu={(event) => {
        event.preventDefault();
        const frame = event.currentTarget.closest('[data-outline]')?.getBoundingClientRect();
        store.setCursor(node);
        overlay.setState({
          menu: { node, at: { x: event.clientX - (frame?.left ?? 0), y: event.clientY - (frame?.top ?? 0) } },
        });
      }}
    >
      {hasBranches ? (
        // A click on it is none on the line.
        <button
          type="button"
          tabIndex={-1}
          aria-hidden
          className={styles.twist}
          onClick={(event) => {
            event.stopPropagation();
            onOpen(node, !isOpen);
          }}
          onDoubleClick={(event) => event.stopPropagation()}
        >
          <Chevron size={13} />
        </button>
      ) : (
        <span className={styles.twist} />
      )}
      <Glyph
        name={node.kind === 'compaction' ? 'compaction' : node.kind === 'summary' ? 'branchSummary' : 'turn'}
        size={9}
      />
      {isStart && !label && <VisuallyHidden>Branch:</VisuallyHidden>}
      <span className={styles.lineTitle}>
        {graph.pinsOf(shown).length > 0 && <PinSign />}
        {fold ? fold.title : titleOfNode(shown, text)}
      </span>
      {label && <span className={styles.lineFlag}>⚑ {label}</span>}
      {shown.ended && !fold && (
        <em className={shown.ended.isFailure ? styles.ended : styles.endedCalm}>{shown.ended.words}</em>
      )}
      {hasHead && <span className={styles.headMark}>HEAD</span>}
      <small>{fold ? fold.figures : figuresOf(shown, text).join(' · ')}</small>
      <VisuallyHidden>{standing(graph, node, shown).join(', ')}</VisuallyHidden>
    </div>
  );
}
