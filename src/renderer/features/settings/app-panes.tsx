import { useEffect, useState } from 'react';
import type { StorageSizes } from '@shared/types';
import { visibleString } from '@shared/policy/visible-text';
import { exportSession } from '../../actions/sessions';
import { ActionButton } from '../../parts/action-button';
import { formatBytes, plural } from '../../state/format';
import { isMac } from '../../state/keys';
import { useApp, useSessions, useSettings } from '../../state/hooks';
import { BrandMark, Button, Notice, Spinner } from '../../ui';
import { DataFolder } from './data-folder';
import { Line } from './line';
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

/** Sessions that are listed with their sizes; the rest is one figure. */
const SHOWN_SIZES = 20;

/** What takes room on the disk (WN15). */
function Sizes() {
  const app = useApp();
  const byId = useSessions((state) => state.byId);
  const [sizes, setSizes] = useState<StorageSizes | null>(null);
  useEffect(() => {
    let isGone = false;
    void app.ask('sessions.storage', {}).then((found) => {
      if (found && !isGone) setSizes(found);
    });
    return () => {
      isGone = true;
    };
  }, [app]);
  if (!sizes) return <Spinner label="Adding up the sizes" size={18} />;
  const shown = sizes.sessions.slice(0, SHOWN_SIZES);
  const rest = sizes.sessions.slice(SHOWN_SIZES);
  const sum = (list: StorageSizes['sessions']): number => list.reduce((total, { bytes }) => total + bytes, 0);
  return (
    <section className={styles.section} aria-label="Disk space">
      <h3>Disk space</h3>
      <p className={styles.lineHint}>
        {plural(sizes.sessions.length, 'session')}: {formatBytes(sum(sizes.sessions))}, with the outputs of their
        commands.{!sizes.isWhole && ' There are more files than were counted.'}
      </p>
      <div className={styles.rows}>
        <Line title="Recently deleted" hint="Kept for at least 30 days, then removed.">
          <span className={styles.size}>{formatBytes(sizes.trash)}</span>
          <Button onClick={() => app.ui.setState({ settings: null, deletedOpen: true })}>Show</Button>
        </Line>
        {shown.map(({ id, bytes }) => {
          const known = byId[id];
          const title = known ? known.title || 'New session' : 'Files of no session in the list';
          return (
            <div key={id} className={styles.sized}>
              <bdi className={styles.sizedTitle} title={visibleString(title)}>
                {visibleString(title)}
              </bdi>
              <span className={styles.size}>{formatBytes(bytes)}</span>
              <Button
                size="small"
                aria-label={`Show file of ${visibleString(title)}`}
                onClick={() => void app.ask('sessions.showInFolder', { sessionId: id })}
              >
                Show file
              </Button>
            </div>
          );
        })}
        {rest.length > 0 && (
          <div className={styles.sized}>
            <span className={styles.sizedTitle}>{plural(rest.length, 'smaller session')}</span>
            <span className={styles.size}>{formatBytes(sum(rest))}</span>
          </div>
        )}
      </div>
    </section>
  );
}

/** Whether what is typed is checked, and by what: there is nothing to set (WN23, decision 38). */
export function Spelling() {
  const platform = useSettings((state) => state.platform);
  return (
    <div className={styles.rows}>
      <Line title="Spelling" hint={isMac(platform) ? SPELLING.mac : SPELLING.elsewhere}>
        <span className={styles.size}>{isMac(platform) ? 'By the system' : 'Off'}</span>
      </Line>
    </div>
  );
}

const SPELLING = {
  mac: 'What you write is checked by macOS, with its languages and its dictionary.',
  elsewhere:
    'What you write is not checked here: the browser inside Espalier would download its dictionary from a server of Google, and nothing is fetched that you did not ask for.',
};

/** Import, export, what takes room, and where everything is. */
export function DataPane() {
  const app = useApp();
  const paths = useSettings((state) => state.paths);
  const activeId = useSessions((state) => state.activeId);
  const count = useSessions((state) => Object.keys(state.byId).length);
  const close = (): void => app.ui.setState({ settings: null });
  return (
    <Pane
      title="Storage"
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
          title="Import from pi"
          hint="All sessions of pi, or of another folder: you see what there is before anything is copied."
        >
          <ActionButton id="session.importAll" target={null} onClose={close} />
        </Line>
        <Line
          title="Export this session"
          hint="A complete copy of every record, which pi and compatible programs can read."
        >
          <ActionButton id="session.export" target={{ id: activeId ?? '' }} disabled={!activeId} />
          <Button
            disabled={!activeId}
            onClick={() => activeId && void exportSession(app, { id: activeId }, 'original')}
          >
            Export original…
          </Button>
        </Line>
        <DataFolder />
        <Line title="Logs" hint={<code>{paths.logs}</code>}>
          <Button onClick={() => void app.ask('app.showInFolder', { what: 'logs' })}>Show folder</Button>
        </Line>
      </div>
      <Sizes />
    </Pane>
  );
}

/** Beside the page, written by the build (scripts/vite-third-party.ts): no part of the window's own code, and read when asked for. */
const TEXTS = '/third-party.js';

type Texts = { state: 'closed' | 'loading' | 'missing' } | { state: 'open'; text: string };

/** The licences of what others wrote and the app holds. */
function ThirdParty() {
  const [texts, setTexts] = useState<Texts>({ state: 'closed' });
  async function open(): Promise<void> {
    setTexts({ state: 'loading' });
    try {
      const { default: text } = (await import(/* @vite-ignore */ TEXTS)) as { default: string };
      setTexts({ state: 'open', text });
    } catch {
      setTexts({ state: 'missing' });
    }
  }
  if (texts.state === 'open') {
    return (
      <section className={styles.licences} aria-label="Third-party licences" tabIndex={0}>
        {texts.text}
      </section>
    );
  }
  if (texts.state === 'loading') return <Spinner label="Loading licences" size={18} />;
  return (
    <>
      {texts.state === 'missing' && (
        <Notice level="warning" title="The licences are not in this build">
          Development builds don’t include them. An installed app has them in the file THIRD-PARTY.txt.
        </Notice>
      )}
      <Button onClick={() => void open()}>Show licences</Button>
    </>
  );
}

/** What this is, and which version. */
export function AboutPane() {
  const version = useSettings((state) => state.version);
  return (
    <Pane title="About">
      <div className={styles.about}>
        <BrandMark size={44} />
        <div>
          <b>Espalier {version}</b>
          <p>A desktop chat app for very long agent sessions. MIT licence.</p>
        </div>
      </div>
      <p className={styles.lead}>
        An espalier is a tree trained flat against a frame by pruning and tying its branches. A session is such a tree:
        you can see it, branch it and compact it without losing a word.
      </p>
      <p className={styles.lead}>Espalier includes third-party software under its own licences.</p>
      <ThirdParty />
    </Pane>
  );
}
