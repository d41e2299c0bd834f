import { useEffect, useRef } from 'react';
import { Import, KeyRound } from 'lucide-react';
import { useStore } from 'zustand';
import { visibleString } from '@shared/policy/visible-text';
import { TOUR_MARKS } from '@shared/tour';
import { pasteKey, seeMarks, startWith } from '../../actions/tour';
import { ActionButton } from '../../parts/action-button';
import { useApp, useLive, useSession, useSettings, useSummary, useUi, useView } from '../../state/hooks';
import { isGraphOpen } from '../../state/ui-store';
import { Button } from '../../ui';
import { CoachMark, MARK_WORDS, useTourMark } from './coach-mark';
import styles from './tour.module.css';

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
  const isBranching = useStore(session.draft.state, ({ branch }) => branch !== null);
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

/** Above the composer of the tour: what this session is, and the ways to one's own. Each leads somewhere; a local server only if it was found. */
export function TourLine() {
  const session = useSession();
  const isTour = useSummary(session.id)?.tour === true;
  return isTour ? (
    <>
      <BranchMark />
      <Ways />
    </>
  ) : null;
}

/** The last mark where the branches are not shown: it leads there. */
function BranchMark() {
  const app = useApp();
  const mark = useTourMark();
  const session = useSession();
  const layout = useUi((ui) => ui.layout);
  if (mark !== 'branch' || isGraphOpen(layout, app.page.width())) return null;
  return (
    <CoachMark mark="branch" place="flat" className={styles.inLine}>
      <ActionButton id="view.branches" target={session} size="small" className={styles.lead} />
    </CoachMark>
  );
}

function Ways() {
  const app = useApp();
  const local = useSettings((state) =>
    state.providers.find(({ kind, models }) => kind === 'local' && models.length > 0),
  );
  const model = local?.models[0];
  return (
    <div className={styles.ways} role="group" aria-label="This is a demo session">
      <p>
        <b>This is a demo session.</b> Start your own:
      </p>
      <Button size="small" tone="primary" onClick={() => pasteKey(app)}>
        <KeyRound size={13} aria-hidden /> Paste a key
      </Button>
      {local && model && (
        <Button size="small" onClick={() => void startWith(app, { provider: local.id, modelId: model.modelId })}>
          <i className={styles.found} aria-hidden /> {local.name} found: {visibleString(model.name)}
        </Button>
      )}
      <ActionButton id="session.importAll" target={null} size="small">
        <Import size={13} aria-hidden /> Import from pi
      </ActionButton>
    </div>
  );
}
