import { useCallback, useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import { useVirtualizer, type VirtualItem } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp } from 'lucide-react';
import type { PreviewItem } from '@shared/compaction/preview';
import type { PreviewFigures } from '@shared/compaction/preview-figures';
import { Button } from '../../ui';
import { formatTokens } from '../../state/format';
import { useSession, useView } from '../../state/hooks';
import type { OpenSession } from '../../state/open-session';
import { CutLine } from './cut-line';
import { ROLES, textOfItem } from '../../parts/row-text';
import { useDrag } from '../../parts/use-drag';
import styles from './compaction.module.css';

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
