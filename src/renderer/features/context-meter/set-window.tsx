import { visibleString } from '@shared/policy/visible-text';
import { useApp, useLive, useSession, useSettings } from '../../state/hooks';
import { findModel } from '../../state/settings-store';
import styles from './meter.module.css';

/** Leads to where the window of the session's model is set (MT3): the form of its endpoint. Other providers tell it themselves. */
export function SetWindow() {
  const app = useApp();
  const session = useSession();
  const ref = useLive(session, (live) => live.model);
  const found = findModel(
    useSettings((state) => state.providers),
    ref,
  );
  if (found?.provider.kind !== 'custom') return null;
  return (
    <span className={styles.set}>
      ·{' '}
      <button
        type="button"
        aria-label={`Set the context window of ${visibleString(found.model.name)}`}
        onClick={() => app.ui.setState({ settings: 'providers', windowToSet: ref })}
      >
        Set
      </button>
    </span>
  );
}
