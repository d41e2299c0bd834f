import type { ContextUsage } from '@shared/types';
import { Field, Switch } from '../../ui';
import { useApp, useSettings } from '../../state/hooks';
import { FORCED_OFF } from '../../state/settings-store';
import styles from './meter.module.css';

/** Says beside the bar that nothing compacts by itself, and turns it on with one click. */
export function AutoOff({ usage }: { usage: ContextUsage }) {
  const setEnabled = useSetEnabled();
  const isForced = useSettings((state) => state.autoCompactionForcedOff);
  if (usage.autoCompaction) return null;
  if (isForced) {
    return (
      <span className={styles.off} title={FORCED_OFF}>
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
  const isForced = useSettings((state) => state.autoCompactionForcedOff);
  return (
    <Field row label="Automatic compaction" hint={isForced ? FORCED_OFF : undefined}>
      {(control) => <Switch {...control} checked={usage.autoCompaction} disabled={isForced} onChange={setEnabled} />}
    </Field>
  );
}

function useSetEnabled(): (value: boolean) => void {
  const app = useApp();
  return (value) => void app.ask('settings.set', { key: 'compaction.enabled', value });
}
