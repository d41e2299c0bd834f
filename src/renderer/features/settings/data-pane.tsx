import type { ReactNode } from 'react';
import { Button } from '../../ui';
import { useApp, useSessions, useSettings } from '../../state/hooks';
import { plural } from '../../state/format';
import { exportSession } from '../../actions/sessions';
import { ActionButton } from '../../parts/action-button';
import { Pane } from './pane';
import styles from './settings.module.css';

/** Import, export, and where everything is. */
export function DataPane() {
  const app = useApp();
  const paths = useSettings((state) => state.paths);
  const activeId = useSessions((state) => state.activeId);
  const count = useSessions((state) => Object.keys(state.byId).length);
  const show = (what: 'data' | 'logs') => (): void => void app.ask('app.showInFolder', { what });
  const close = (): void => app.ui.setState({ settings: null });
  return (
    <Pane
      title="Data"
      lead={`${plural(count, 'session')}, each a plain file on this computer. What leaves it is what a model is sent.`}
    >
      <div className={styles.rows}>
        <Line
          title="Import sessions"
          hint="Session files (.jsonl) are copied; the originals stay as they are. You can also drop them on the window."
        >
          <ActionButton id="session.import" target={null} onClose={close} />
        </Line>
        <Line
          title="Export this session"
          hint="A complete copy of every record, which pi and compatible programs can read."
        >
          <ActionButton id="session.export" target={{ id: activeId ?? '' }} disabled={!activeId} />
          <Button disabled={!activeId} onClick={() => activeId && void exportSession(app, { id: activeId }, true)}>
            Export original…
          </Button>
        </Line>
        <Line title="Your files" hint={<code>{paths.data}</code>}>
          <Button onClick={show('data')}>Show folder</Button>
        </Line>
        <Line title="Logs" hint={<code>{paths.logs}</code>}>
          <Button onClick={show('logs')}>Show folder</Button>
        </Line>
      </div>
    </Pane>
  );
}

function Line({ title, hint, children }: { title: string; hint: ReactNode; children: ReactNode }) {
  return (
    <div className={styles.line}>
      <div className={styles.lineText}>
        <b>{title}</b>
        <div className={styles.lineHint}>{hint}</div>
      </div>
      <div className={styles.lineActions}>{children}</div>
    </div>
  );
}
