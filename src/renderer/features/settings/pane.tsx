import type { ReactNode } from 'react';
import { SETTING_KEYS, SETTINGS, type SettingSpec } from '@shared/settings';
import { Notice } from '../../ui';
import { useSettings } from '../../state/hooks';
import { SettingRow } from './setting-row';
import styles from './settings.module.css';

/** One page of the settings with its title; values that were refused at start are said here. */
export function Pane({ title, lead, children }: { title: string; lead?: string; children: ReactNode }) {
  const problems = useSettings((state) => state.problems);
  return (
    <div className={styles.pane}>
      <h2 className={styles.title}>{title}</h2>
      {lead && <p className={styles.lead}>{lead}</p>}
      {problems.length > 0 && (
        <Notice level="warning" title="Some saved settings are not valid, so their defaults are used">
          {problems.map((problem) => (
            <p key={problem}>{problem}</p>
          ))}
        </Notice>
      )}
      {children}
    </div>
  );
}

/** All settings of a group, in the order of the schema. */
export function GroupRows({
  group,
  except = [],
}: {
  group: SettingSpec<unknown>['group'];
  except?: readonly string[];
}) {
  const keys = SETTING_KEYS.filter((key) => SETTINGS[key].group === group && !except.includes(key));
  return (
    <div className={styles.rows}>
      {keys.map((key) => (
        <SettingRow key={key} name={key} />
      ))}
    </div>
  );
}
