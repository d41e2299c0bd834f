import type { SettingKey } from '@shared/settings';
import type { SettingsStore } from './settings-store';

/** Tells of each change of one setting, and of no other. */
export function onSetting(
  settings: Pick<SettingsStore, 'current' | 'onChange'>,
  key: SettingKey,
  told: () => void,
): void {
  let before = JSON.stringify(settings.current()[key]);
  settings.onChange((current) => {
    const now = JSON.stringify(current[key]);
    if (now === before) return;
    before = now;
    told();
  });
}
