import { Dialog, Tabs, type TabItem } from '../../ui';
import { useApp, useUi } from '../../state/hooks';
import type { SettingsPane } from '../../state/ui-store';
import { AboutPane, DataPane, NotificationsPane } from './app-panes';
import { ApprovalRules, SessionApprovalRules } from './approval-rules';
import { ContextPane } from './context-pane';
import { GroupRows, Pane } from './pane';
import { ProvidersPane } from './providers-pane';
import { TrustedFolders } from './trusted-folders';
import styles from './settings.module.css';

/** Settings, drawn from the shared schema; each takes effect at once. */
export function SettingsDialog() {
  const app = useApp();
  const pane = useUi((ui) => ui.settings);
  const items: TabItem[] = [
    { value: 'providers', label: 'Providers', content: <ProvidersPane /> },
    {
      value: 'tools',
      label: 'Tools',
      content: (
        <Pane title="Tools">
          <GroupRows group="tools" />
          <TrustedFolders />
          <ApprovalRules />
          <SessionApprovalRules />
        </Pane>
      ),
    },
    { value: 'context', label: 'Context', content: <ContextPane /> },
    {
      value: 'appearance',
      label: 'Appearance',
      content: (
        <Pane title="Appearance">
          <GroupRows group="appearance" />
        </Pane>
      ),
    },
    { value: 'notifications', label: 'Notifications', content: <NotificationsPane /> },
    { value: 'data', label: 'Data', content: <DataPane /> },
    { value: 'about', label: 'About', content: <AboutPane /> },
  ];
  return (
    <Dialog
      open={pane !== null}
      onOpenChange={(open) => !open && app.ui.setState({ settings: null })}
      title="Settings"
      size="large"
      hideTitle
      flush
    >
      <Tabs
        className={styles.tabs}
        label="Settings"
        orientation="vertical"
        items={items}
        value={pane ?? 'providers'}
        onChange={(value) => app.ui.setState({ settings: value as SettingsPane })}
      />
    </Dialog>
  );
}
