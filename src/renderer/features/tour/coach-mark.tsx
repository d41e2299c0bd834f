import type { ReactNode } from 'react';
import { TOUR_MARKS, type TourMark } from '@shared/tour';
import { skipMark, skipTour } from '../../actions/tour';
import { useApp } from '../../state/hooks';
import { cx, leaveFocus } from '../../ui';
import { MARK_WORDS } from './mark-words';
import styles from './tour.module.css';

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
