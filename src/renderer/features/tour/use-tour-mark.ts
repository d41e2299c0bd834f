import { nextMark, type TourMark } from '@shared/tour';
import { useSession, useSummary, useUi, useView } from '../../state/hooks';

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
