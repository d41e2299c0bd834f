import { formatTokens } from '../../state/format';
import { usePreview, useSession } from '../../state/hooks';
import { CoachMark } from './coach-mark';
import { useTourMark } from './use-tour-mark';
import styles from './tour.module.css';

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
            {formatTokens(figures.preview.tokensBefore)} → <b>about {formatTokens(figures.at(first).projected)}</b>{' '}
            tokens
          </>
        )
      }
    />
  );
}
