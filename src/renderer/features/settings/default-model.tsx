import { useState } from 'react';
import { ChevronDown, RotateCcw } from 'lucide-react';
import { SETTINGS } from '@shared/settings';
import type { ModelInfo, ModelRef } from '@shared/types';
import { Button, IconButton, Popover } from '../../ui';
import { ModelList } from '../../parts/model-list';
import { useApp, useSettings } from '../../state/hooks';
import { findModel } from '../../state/settings-store';
import styles from './settings.module.css';

const KEY = 'model.default';

/** The model of new sessions, chosen from the list instead of typed. */
export function DefaultModel() {
  const app = useApp();
  const [open, setOpen] = useState(false);
  const providers = useSettings((state) => state.providers);
  const value = useSettings((state) => state.settings[KEY]);
  const ref = toRef(value);
  const found = findModel(providers, ref);
  const name = value === '' ? 'Demo model' : (found?.model.name ?? value);
  const missing = ref !== null && found === null && providers.length > 1;

  function choose(model: ModelInfo): void {
    setOpen(false);
    const chosen = `${model.provider}/${model.modelId}`;
    void app.ask('settings.set', { key: KEY, value: chosen });
  }

  return (
    <div className={styles.line}>
      <div className={styles.lineText}>
        <b>{SETTINGS[KEY].label}</b>
        <div className={styles.lineHint}>
          {missing ? 'This model isn’t available now. New sessions will still use it.' : 'Default: the demo model.'}
        </div>
      </div>
      <div className={styles.lineActions}>
        {value !== '' && (
          <IconButton
            label="Reset the model for new sessions"
            size="small"
            onClick={() => void app.ask('settings.reset', { key: KEY })}
          >
            <RotateCcw size={13} />
          </IconButton>
        )}
        <Popover
          label="Model for new sessions"
          open={open}
          onOpenChange={setOpen}
          align="end"
          className={styles.modelPopover}
          trigger={
            <Button aria-label={`Model for new sessions: ${name}`}>
              {name} <ChevronDown size={13} aria-hidden />
            </Button>
          }
        >
          <ModelList providers={providers} current={ref} onChoose={choose} />
        </Popover>
      </div>
    </div>
  );
}

/** `provider/model`, split at the first slash. */
function toRef(text: string): ModelRef | null {
  const slash = text.indexOf('/');
  return slash > 0 ? { provider: text.slice(0, slash), modelId: text.slice(slash + 1) } : null;
}
