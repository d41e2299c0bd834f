import { type KeyboardEvent, useCallback, useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import { useVirtualizer, type VirtualItem } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react';
import type { PreviewItem, SummaryModel } from '@shared/compaction/preview';
import type { PreviewFigures } from '@shared/compaction/preview-figures';
import { ROLES, textOfItem } from '../../parts/row-text';
import { type Drag, useDrag } from '../../parts/use-drag';
import { formatCost, formatTokens, plural } from '../../state/format';
import { useSession, useView } from '../../state/hooks';
import type { OpenSession } from '../../state/open-session';
import { Button } from '../../ui';
import styles from './compaction.module.css';

/** Places of a Page key. */
const PAGE = 10;

interface CutLineProps {
  figures: PreviewFigures;
  cut: number;
  /** Pixels from the top of the list's content. */
  top: number;
  drag: Drag;
  onMove: (cut: number) => void;
}

/** The line between what is summarised and what stays: dragged, or moved by keyboard from one legal place to the next. */
function CutLine({ figures, cut, top, drag, onMove }: CutLineProps) {
  const { cuts } = figures;
  const { messages, keptMessages, projected } = figures.at(cut);

  function onKeyDown(event: KeyboardEvent): void {
    const to = target(event.key);
    if (to === null) return;
    event.preventDefault();
    onMove(to);
  }

  function target(key: string): number | null {
    switch (key) {
      case 'ArrowDown':
      case 'ArrowRight':
        return figures.step(cut, 1);
      case 'ArrowUp':
      case 'ArrowLeft':
        return figures.step(cut, -1);
      case 'PageDown':
        return figures.step(cut, PAGE);
      case 'PageUp':
        return figures.step(cut, -PAGE);
      case 'Home':
        return cuts[0] ?? null;
      case 'End':
        return cuts.at(-1) ?? null;
      default:
        return null;
    }
  }

  // The keys move it as soon as the sheet is there.
  const line = useRef<HTMLDivElement>(null);
  useEffect(() => line.current?.focus({ preventScroll: true }), []);
  const { onPointerDown, onPointerMove, onPointerUp } = drag;
  return (
    <div
      ref={line}
      className={styles.line}
      style={{ top }}
      role="slider"
      tabIndex={0}
      aria-label="Cut line"
      aria-orientation="vertical"
      aria-valuemin={cuts[0] ?? 0}
      aria-valuemax={cuts.at(-1) ?? 0}
      aria-valuenow={cut}
      aria-valuetext={`${plural(messages, 'message')} summarised, ${keptMessages} kept, about ${formatTokens(projected)} tokens after`}
      data-dragging={drag.isDragging || undefined}
      data-cut-line
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={onPointerUp}
    >
      <span className={styles.pill} aria-hidden>
        <ChevronsUpDown size={11} /> cut here
      </span>
    </div>
  );
}

/** Height of a row, pixels: also in the style sheet. */
const ROW_PX = 26;
const OVERSCAN = 6;
/** Rows between the line and the edge of the list, where there are any. */
const MARGIN_ROWS = 2;

interface CutListProps {
  figures: PreviewFigures;
  /** Position of the first kept item; null: the window can't be cut. */
  cut: number | null;
  onMove: (cut: number) => void;
}

/** The window that may be cut, oldest first: hatched above the line, as it is below. Only what is on screen is drawn. */
export function CutList({ figures, cut, onMove }: CutListProps) {
  const session = useSession();
  const { items } = figures.preview;
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer<HTMLDivElement, HTMLDivElement>({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN,
  });
  const rows = virtualizer.getVirtualItems();
  useBodies(session, items, rows);
  useView(session, (view) => view.entriesVersion);

  const moveTo = useCallback(
    (y: number) => {
      const next = figures.nearest(y / ROW_PX);
      if (next !== null && next !== cut) onMove(next);
    },
    [figures, cut, onMove],
  );
  const drag = useDrag(scroller, moveTo);

  const reveal = useCallback((at: number, share?: number): void => {
    const list = scroller.current;
    if (!list) return;
    const y = at * ROW_PX;
    const margin = MARGIN_ROWS * ROW_PX;
    if (share !== undefined) list.scrollTop = y - list.clientHeight * share;
    else if (y - margin < list.scrollTop) list.scrollTop = y - margin;
    else if (y + margin > list.scrollTop + list.clientHeight) list.scrollTop = y + margin - list.clientHeight;
  }, []);
  // At first the line stands where both sides can be read.
  const first = useRef(true);
  useLayoutEffect(() => {
    if (cut === null || !first.current) return;
    first.current = false;
    reveal(cut, 0.6);
  }, [cut, reveal]);

  const words = useMemo(() => (cut === null ? null : figures.wordForWord(cut).places), [figures, cut]);
  const { scrollOffset } = virtualizer;
  const height = scroller.current?.clientHeight ?? 0;
  const lineY = (cut ?? 0) * ROW_PX;
  const hidden = cut === null || height === 0 ? 0 : sideOf(lineY, scrollOffset ?? 0, height);
  return (
    <div className={styles.listFrame}>
      <div ref={scroller} className={styles.list} role="group" aria-label="Messages in the context" tabIndex={0}>
        <div className={styles.sizer} style={{ height: virtualizer.getTotalSize() }}>
          {cut !== null && <div className={styles.shade} style={{ height: lineY }} />}
          <div role="list">
            {rows.map(({ index, start }) => {
              const item = items[index];
              return (
                item && (
                  <Row
                    key={item.id}
                    item={item}
                    text={textOfItem(item, session.entry)}
                    top={start}
                    position={index + 1}
                    count={items.length}
                    isSummarised={cut !== null && index < cut}
                    isWordForWord={item.pin !== undefined || words?.has(index) === true}
                  />
                )
              );
            })}
          </div>
          {cut !== null && (
            <CutLine
              figures={figures}
              cut={cut}
              top={lineY}
              drag={drag}
              onMove={(to) => {
                onMove(to);
                reveal(to);
              }}
            />
          )}
        </div>
      </div>
      {hidden !== 0 && cut !== null && (
        <Button
          size="small"
          tone="outlineAmber"
          className={hidden < 0 ? styles.toLineUp : styles.toLineDown}
          onClick={() => reveal(cut, 0.5)}
        >
          {hidden < 0 ? <ArrowUp size={12} aria-hidden /> : <ArrowDown size={12} aria-hidden />} Cut line
        </Button>
      )}
    </div>
  );
}

/** Where something lies that is not on screen: −1 above, 1 below, 0 on screen. */
function sideOf(y: number, scrollTop: number, height: number): -1 | 0 | 1 {
  if (y < scrollTop) return -1;
  return y > scrollTop + height ? 1 : 0;
}

/** Asks for the bodies of what is drawn. */
function useBodies(session: OpenSession, items: readonly PreviewItem[], rows: readonly VirtualItem[]): void {
  const from = rows[0]?.index ?? 0;
  const to = (rows.at(-1)?.index ?? -1) + 1;
  useEffect(() => {
    const wanted = items.slice(from, to).flatMap(({ id, call }) => (call ? [id, call.entryId] : [id]));
    void session.loadEntries([...new Set(wanted)]);
  }, [session, items, from, to]);
}

interface RowProps {
  item: PreviewItem;
  text: string | null;
  top: number;
  position: number;
  count: number;
  isSummarised: boolean;
  /** It stays as it is although the summary covers it. */
  isWordForWord: boolean;
}

function Row({ item, text, top, position, count, isSummarised, isWordForWord }: RowProps) {
  const isKept = isSummarised && isWordForWord;
  return (
    <div
      className={styles.row}
      style={{ top }}
      role="listitem"
      aria-posinset={position}
      aria-setsize={count}
      data-summarised={(isSummarised && !isKept) || undefined}
    >
      <span className={styles.role}>{ROLES[item.kind]}</span>
      <span className={styles.text}>{text ?? '…'}</span>
      <span className={styles.tokens}>
        {isKept && 'kept word for word · '}
        {formatTokens(item.raw)}
      </span>
    </div>
  );
}

/** More turns than this are no prospect that helps to decide. */
const MOST_TURNS = 500;

interface CutRailProps {
  figures: PreviewFigures;
  cut: number;
  model: SummaryModel | undefined;
}

/** What the cut comes to, as it moves. */
export function CutRail({ figures, cut, model }: CutRailProps) {
  const { tokensBefore, limits } = figures.preview;
  const { projected, messages, keptMessages, files, gain } = figures.at(cut);
  const { places, earlier } = figures.wordForWord(cut);
  const words = places.size + earlier;
  const cost = model ? figures.cost(cut, model) : null;
  const turns = model ? figures.paysBackIn(cut, model) : null;
  const isStillOver = limits.threshold !== null && projected > limits.threshold;
  return (
    // Focusable, because in a low window it scrolls.
    <div className={styles.rail} role="group" aria-label="Result" tabIndex={0} data-cut-rail>
      <dl>
        <div>
          <dt>after</dt>
          <dd>~{formatTokens(projected)}</dd>
          <dd>from {formatTokens(tokensBefore)}</dd>
          {gain <= 0 && <dd className={styles.warn}>not smaller</dd>}
          {gain > 0 && isStillOver && (
            <dd className={styles.warn}>still above {formatTokens(limits.threshold ?? 0)}</dd>
          )}
        </div>
        <div>
          <dt>summarised</dt>
          <dd>{messages.toLocaleString('en')}</dd>
          {files !== null && <dd>{plural(files, 'file')}</dd>}
          <dd>{keptMessages.toLocaleString('en')} kept</dd>
          {words > 0 && <dd title="Your newest messages stand beside the summary">{words} word for word</dd>}
        </div>
        <div>
          <dt>costs</dt>
          <dd>{cost === null ? 'unknown' : cost === 0 ? 'nothing' : `~${formatCost(cost)}`}</dd>
          {turns !== null && turns <= MOST_TURNS && <dd>pays back in {plural(turns, 'turn')}</dd>}
        </div>
      </dl>
    </div>
  );
}
