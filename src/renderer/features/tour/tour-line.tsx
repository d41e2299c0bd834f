import { Import, KeyRound } from 'lucide-react';
import { visibleString } from '@shared/policy/visible-text';
import { pasteKey, startWith } from '../../actions/tour';
import { ActionButton } from '../../parts/action-button';
import { useApp, useSession, useSettings, useSummary, useUi } from '../../state/hooks';
import { isGraphOpen } from '../../state/ui-store';
import { Button } from '../../ui';
import { CoachMark } from './coach-mark';
import { useTourMark } from './use-tour-mark';
import styles from './tour.module.css';

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
      <ActionButton id="session.import" target={null} size="small">
        <Import size={13} aria-hidden /> Import from pi
      </ActionButton>
    </div>
  );
}
