import { useEffect, useRef } from 'react';
import { TOUR_MARKS } from '@shared/tour';
import { seeMarks } from '../../actions/tour';
import { useApp, useLive, useSession, useSummary, useUi, useView } from '../../state/hooks';
import { MARK_WORDS } from './mark-words';
import { useTourMark } from './use-tour-mark';

/** Notices what the person does of the tour, however they do it, and tells screen readers what comes next. Draws nothing. */
export function TourGuide() {
  const app = useApp();
  const session = useSession();
  const isTour = useSummary(session.id)?.tour === true;
  const mark = useTourMark();
  const isCompacting = useLive(session, (live) => live.job?.kind === 'compaction');
  const seenFrom = useLive(session, (live) => live.seenFrom);
  // Taken back, there is no second compaction any more, so the mark for it is not the next one.
  const isUndone = useView(session, ({ rows }) => isTour && rows.some(({ kind }) => kind === 'undone'));
  const isDue = useUi(({ tourSeen }) => tourSeen.includes('cut') && !tourSeen.includes('undo'));
  const isBranching = useUi(({ branching }) => branching?.sessionId === session.id);
  /** Where the cut stood when a compaction began. */
  const before = useRef<string | null | undefined>(undefined);
  useEffect(() => {
    if (isCompacting) before.current ??= seenFrom;
    else if (before.current !== undefined) {
      if (mark === 'cut' && before.current !== seenFrom) seeMarks(app, ['cut']);
      before.current = undefined;
    }
  }, [app, isCompacting, mark, seenFrom]);
  useEffect(() => {
    if (isUndone && isDue) seeMarks(app, ['undo']);
  }, [app, isDue, isUndone]);
  useEffect(() => {
    if (mark === 'branch' && isBranching) seeMarks(app, ['branch']);
  }, [app, isBranching, mark]);
  useEffect(() => {
    if (mark === null) return;
    const { title, text } = MARK_WORDS[mark];
    app.announce(`Tour, ${TOUR_MARKS.indexOf(mark) + 1} of ${TOUR_MARKS.length}: ${title}. ${text}`);
  }, [app, mark]);
  return null;
}
