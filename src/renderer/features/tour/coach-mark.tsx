import type { ReactNode } from 'react';
import { nextMark, TOUR_MARKS, type TourMark } from '@shared/tour';
import { skipMark, skipTour } from '../../actions/tour';
import { formatTokens } from '../../state/format';
import { useApp, usePreview, useSession, useSummary, useUi, useView } from '../../state/hooks';
import { cx, leaveFocus } from '../../ui';
import styles from './tour.module.css';

/** What each coach mark says: what to do, and why. */
export const MARK_WORDS: Readonly<Record<TourMark, { title: string; text: string }>> = {
  cut: {
    title: 'Drag this line down',
    text: 'Below it, the model sees every word; above it, a summary. The window is getting full: drag the line down to make room, then press Compact. Held at the lower edge, it goes on.',
  },
  undo: {
    title: 'Now undo it',
    text: 'The model sees a summary of everything above this line. Nothing was deleted: Undo brings every word back.',
  },
  branch: {
    title: 'Pull out a branch',
    text: 'Drag the + of a turn onto an empty space. Your next message goes on from there, and this branch stays as it is.',
  },
};

interface CoachMarkProps {
  mark: TourMark;
  /** Where it stands: above or below what it points at, which it never covers; `flat` points at nothing. */
  place: 'above' | 'below' | 'flat';
  /** What will come of it, in figures. */
  figure?: ReactNode;
  /** Pixels from its left edge to what it points at; left out: from the right edge, as the style says. */
  arrowAt?: number;
  className?: string;
  children?: ReactNode;
}

/** One of three hints of the tour: what to do, what will follow, and the way out. It goes once the person has done it. */
export function CoachMark({ mark, place, figure, arrowAt, className, children }: CoachMarkProps) {
  const app = useApp();
  const { title, text } = MARK_WORDS[mark];
  const step = `${TOUR_MARKS.indexOf(mark) + 1} of ${TOUR_MARKS.length}`;
  return (
    <section
      className={cx(styles.coach, className)}
      data-place={place}
      data-coach={mark}
      tabIndex={-1}
      aria-label={`Tour, ${step}: ${title}`}
    >
      <div className={styles.coachHead}>
        <b>{title}</b>
        <span>{step}</span>
      </div>
      <p>{text}</p>
      <div className={styles.coachFoot}>
        <span className={styles.figure}>{figure}</span>
        {children}
        {mark !== 'branch' && (
          <button ref={leaveFocus} type="button" onClick={() => skipMark(app, mark)}>
            Skip this one
          </button>
        )}
        <button type="button" onClick={() => skipTour(app)}>
          Skip the tour
        </button>
      </div>
      {place !== 'flat' && (
        <i className={styles.arrow} style={arrowAt === undefined ? undefined : { left: arrowAt }} aria-hidden />
      )}
    </section>
  );
}

/** The coach mark that the shown session has to offer now; null where it is not the tour, or all is seen. */
export function useTourMark(): TourMark | null {
  const session = useSession();
  const isTour = useSummary(session.id)?.tour === true;
  const seen = useUi((ui) => ui.tourSeen);
  const compactions = useView(session, ({ rows }) =>
    isTour ? rows.reduce((sum, { kind }) => sum + (kind === 'compaction' ? 1 : 0), 0) : 0,
  );
  return isTour ? nextMark(seen, compactions) : null;
}

/** The coach marks at the cut line: drag it; and once that is done, undo it. They stand above the line, over what was summarised. */
export function CutMark() {
  const mark = useTourMark();
  if (mark === 'cut') return <DragMark />;
  return mark === 'undo' ? <CoachMark mark="undo" place="above" className={styles.atUndo} /> : null;
}

function DragMark() {
  const { figures } = usePreview(useSession());
  const first = figures?.first ?? null;
  return (
    <CoachMark
      mark="cut"
      place="above"
      className={styles.atGrip}
      figure={
        figures &&
        first !== null && (
          <>
            {formatTokens(figures.preview.tokensBefore)} →{' '}
            <b>down to about {formatTokens(figures.at(first).projected)}</b> tokens
          </>
        )
      }
    />
  );
}
