import { Notice } from '../../ui';
import { useSettings } from '../../state/hooks';
import { GroupRows, Pane } from './pane';
import styles from './settings.module.css';

const LEAD = 'They show the session’s title and why, never a command or a path. A click leads to the question.';

/** What the system tells while the person is in another window, and what it can't (NT2, NT3). */
export function NotificationsPane() {
  const { notifications, badge } = useSettings((state) => state.desktop);
  if (!notifications) {
    return (
      <Pane title="Notifications">
        <div className={styles.section}>
          <Notice level="info" title="This desktop shows no notifications">
            Espalier tells you in its window alone: in the title, and with the waiting sessions above the list.
          </Notice>
        </div>
      </Pane>
    );
  }
  return (
    <Pane title="Notifications" lead={LEAD}>
      <GroupRows group="notifications" />
      {!badge && (
        <p className={styles.lineHint}>
          This desktop shows no count at the app’s icon. The title of the window says how many sessions wait for you.
        </p>
      )}
    </Pane>
  );
}
