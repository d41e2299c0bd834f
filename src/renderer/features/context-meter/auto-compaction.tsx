import type { ContextUsage } from '@shared/types';
import { Field, Switch } from '../../ui';
import { useApp } from '../../state/hooks';
import styles from './meter.module.css';

/** What forces it off can't be changed from here. */
const FORCED = 'ESPALIER_DISABLE_AUTOCOMPACT is set. Restart Espalier without it to turn this on.';

/** Says beside the bar that nothing compacts by itself, and turns it on with one click. */
export function AutoOff({ usage }: { usage: ContextUsage }) {
  const setEnabled = useSetEnabled();
  if (usage.autoCompaction) return null;
  if (usage.autoCompactionForcedOff) {
    return (
      <span className={styles.off} title={FORCED}>
        Automatic compaction off (ESPALIER_DISABLE_AUTOCOMPACT)
      </span>
    );
  }
  return (
    <button type="button" className={styles.off} onClick={() => setEnabled(true)}>
      Automatic compaction off. <u>Turn on</u>
    </button>
  );
}

/** `compaction.enabled`, where one looks at what it is about. */
export function AutoSwitch({ usage }: { usage: ContextUsage }) {
  const setEnabled = useSetEnabled();
  const { autoCompaction, autoCompactionForcedOff: isForced } = usage;
  return (
    <Field row label="Automatic compaction" hint={isForced ? FORCED : undefined}>
      {(control) => <Switch {...control} checked={autoCompaction} disabled={isForced} onChange={setEnabled} />}
    </Field>
  );
}

function useSetEnabled(): (value: boolean) => void {
  const app = useApp();
  return (value) => void app.ask('settings.set', { key: 'compaction.enabled', value });
}
