import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type PointerEvent,
  type RefObject,
} from 'react';
import { own } from '@shared/checks';
import type { PreviewFigures } from '@shared/compaction/preview-figures';
import { formatTokens } from '../../state/format';
import { act } from '../../actions/menus';
import { useApp, usePreview, useSession } from '../../state/hooks';
import type { OpenSession } from '../../state/open-session';
import type { App } from '../../state/app-type';
import { useDrag } from '../../parts/use-drag';
import styles from './cut.module.css';

/** Pixels that a press may move and still be a press. */
const SLOP = 5;

export interface Press {
  pointerId: number;
  /** Pixels from the top of the window. */
  y: number;
}

interface Place {
  /** The first message that would be kept, and what the model would see then. */
  cutAt: string;
  projected: number;
  /** It would see less than it does now. */
  makesRoom: boolean;
  /** Pixels from the top of the transcript. */
  top: number;
}

/**
 * The cut line while it is dragged through the transcript (TS8): it lies over all of it and has the pointer, so that the line may leave
 * the screen while the messages pass below it. Dropped, it asks what the Compact sheet asks, with the cut where it was left.
 */
export function CutDrag({
  press,
  scroller,
  onEnd,
}: {
  press: Press;
  scroller: RefObject<HTMLElement | null>;
  onEnd: () => void;
}) {
  const app = useApp();
  const session = useSession();
  const { figures, problem } = usePreview(session);
  const layer = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState<Place | null>(null);
  const [isDropped, setDropped] = useState(false);
  const pointerY = useRef(press.y);
  const places = useMemo(() => new Map(figures?.preview.items.map(({ id }, at) => [id, at])), [figures]);
  const look = useCallback(() => {
    const list = scroller.current;
    if (figures && list) setPlace(placeAt(figures, places, list, pointerY.current));
  }, [figures, places, scroller]);
  const drag = useDrag(scroller, look);
  const { begin } = drag;
  useLayoutEffect(() => {
    if (layer.current) begin(layer.current, press.pointerId, press.y);
  }, [begin, press]);
  useEffect(() => {
    if (Math.abs(pointerY.current - press.y) >= SLOP) look();
  }, [look, press]);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      event.stopPropagation();
      onEnd();
    };
    window.addEventListener('keydown', onKeyDown, { capture: true });
    return () => window.removeEventListener('keydown', onKeyDown, { capture: true });
  }, [onEnd]);

  const finish = useCallback(
    (cutAt: string | null) => {
      onEnd();
      if (cutAt !== null) propose(app, session, cutAt);
      act(app, 'session.compactSheet', session);
    },
    [app, onEnd, session],
  );
  // Dropped before it was known what can be cut: the line falls where the pointer was, once it is.
  useEffect(() => {
    const list = scroller.current;
    if (!isDropped || !list) return;
    if (figures) finish(placeAt(figures, places, list, pointerY.current)?.cutAt ?? null);
    else if (problem !== null) finish(null);
  }, [figures, finish, isDropped, places, problem, scroller]);

  function drop(event: PointerEvent<HTMLElement>): void {
    const hasMoved = Math.abs(pointerY.current - press.y) >= SLOP;
    if (figures || problem !== null || !hasMoved) return finish(hasMoved ? (place?.cutAt ?? null) : null);
    drag.onPointerUp(event);
    setDropped(true);
  }

  return (
    <div
      ref={layer}
      className={styles.layer}
      data-cut-drag
      onPointerMove={(event) => {
        if (isDropped) return;
        pointerY.current = event.clientY;
        drag.onPointerMove(event);
      }}
      onPointerUp={drop}
      onPointerCancel={onEnd}
    >
      {place && (
        <div className={styles.ghost} style={{ top: place.top }} data-cut-ghost={place.cutAt}>
          <span>
            cut here · about <b>{formatTokens(place.projected)}</b> tokens{!place.makesRoom && ', not smaller'}
          </span>
        </div>
      )}
    </div>
  );
}

/** The sheet opens with this cut; what else was chosen there stays. */
function propose(app: App, { id, live }: OpenSession, cutAt: string): void {
  const { leafId } = live.getState();
  app.ui.setState(({ sheets }) => {
    const before = own(sheets, id);
    const kept = before?.leafId === leafId ? before : { instructions: '', model: null };
    return { sheets: { ...sheets, [id]: { ...kept, cutAt, leafId } } };
  });
}

/** The nearest place to cut at a height of the window, among what is drawn. O(rows on screen). */
function placeAt(
  figures: PreviewFigures,
  places: ReadonlyMap<string, number>,
  list: HTMLElement,
  y: number,
): Place | null {
  const { items } = figures.preview;
  const frame = list.getBoundingClientRect();
  const rows = [...list.querySelectorAll<HTMLElement>('[data-entry][data-kind]')].map((row) => ({
    id: row.dataset.entry,
    top: row.getBoundingClientRect().top,
  }));
  const near = rows.toSorted((a, b) => Math.abs(a.top - y) - Math.abs(b.top - y));
  for (const { id } of near) {
    const at = id === undefined ? undefined : places.get(id);
    if (at === undefined) continue;
    const cut = figures.nearest(at);
    const cutAt = cut === null ? undefined : items[cut]?.id;
    if (cut === null || cutAt === undefined) return null;
    const top = rows.find((row) => row.id === cutAt)?.top ?? y;
    const shown = Math.max(frame.top, Math.min(frame.bottom, top)) - frame.top;
    const { projected, gain } = figures.at(cut);
    return { cutAt, projected, makesRoom: gain > 0, top: shown };
  }
  return null;
}
