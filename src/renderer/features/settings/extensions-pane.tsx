import { useEffect, useState } from 'react';
import type { ExtensionList, ExtensionView } from '@shared/extensions/view';
import { visibleString } from '@shared/policy/visible-text';
import { toAppError } from '../../bridge';
import { formatPath } from '../../state/format';
import { reviewFolder, useApp, useFolderStatus, useSessions, useSettings, useUi } from '../../state/hooks';
import { sessionShown } from '../../state/sessions-store';
import { Button, Notice, Spinner, Visible } from '../../ui';
import { ExtensionRow } from './extension-row';
import styles from './extensions.module.css';
import { GroupRows, Pane } from './pane';
import settings from './settings.module.css';

const LEAD =
  'Programs that take part in your sessions: tools, commands, what they show. Each runs with your rights, apart from the app, so that one that fails takes nothing with it.';

/** What is installed, how it fares, and what the person can do about it (EX17). */
export function ExtensionsPane() {
  const app = useApp();
  const changes = useUi((ui) => ui.extensionChanges);
  const [list, setList] = useState<ExtensionList | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    let isOld = false;
    app.client.request('extensions.list', {}).then(
      (found) => !isOld && setList(found),
      (cause: unknown) => !isOld && setProblem(toAppError(cause).message),
    );
    return () => {
      isOld = true;
    };
  }, [app, changes]);
  return (
    <Pane title="Extensions" lead={LEAD}>
      <GroupRows group="extensions" />
      {problem && <p role="alert">{problem}</p>}
      {list ? <Lists list={list} /> : problem === null && <Spinner label="Looking for extensions" size={18} />}
      <RestrictedFolder />
    </Pane>
  );
}

function Lists({ list: { extensions, place } }: { list: ExtensionList }) {
  const app = useApp();
  const home = useSettings((state) => state.home);
  const workspaces = [...new Set(extensions.flatMap(({ workspace }) => workspace ?? []))];
  const ofWorkspace = (workspace: string | null): ExtensionView[] =>
    extensions.filter((extension) => extension.workspace === workspace);
  const own = ofWorkspace(null);
  return (
    <>
      <section className={settings.section} aria-label="Your extensions">
        <div className={settings.sectionHead}>
          <h3>Yours, in every session</h3>
          <Button size="small" onClick={() => void app.ask('extensions.reload', {})}>
            Reload all
          </Button>
          <Button size="small" onClick={() => void app.ask('extensions.openFolder', {})}>
            Open folder
          </Button>
        </div>
        {own.length === 0 && (
          <p className={settings.none}>
            None yet. Put a <code>.ts</code> or <code>.js</code> file, or a folder with an <code>index.ts</code>, into{' '}
            <code className={styles.place}>
              <Visible text={formatPath(place, home)} place="path" />
            </code>
            . It runs from then on.
          </p>
        )}
        <Rows extensions={own} />
      </section>
      {workspaces.map((workspace) => (
        <section
          key={workspace}
          className={settings.section}
          aria-label={`Extensions of ${visibleString(formatPath(workspace, home))}`}
        >
          <h3 className={styles.workspace}>
            In sessions of{' '}
            <code>
              <Visible text={formatPath(workspace, home)} place="path" />
            </code>
          </h3>
          <Rows extensions={ofWorkspace(workspace)} />
        </section>
      ))}
    </>
  );
}

function Rows({ extensions }: { extensions: readonly ExtensionView[] }) {
  return (
    <ul className={styles.list}>
      {extensions.map((extension) => (
        <ExtensionRow key={extension.id} extension={extension} />
      ))}
    </ul>
  );
}

/** Why nothing of the shown session's folder is here (EX11). */
function RestrictedFolder() {
  const app = useApp();
  const home = useSettings((state) => state.home);
  const sessionId = useSessions((state) => sessionShown(state)?.id ?? '');
  const status = useFolderStatus(sessionId);
  if (status?.trust !== 'restricted') return null;
  const shownFolder = visibleString(formatPath(status.folder, home));
  const own = ['.espalier/extensions', '.pi/extensions'];
  return (
    <Notice
      level="info"
      className={styles.restricted}
      title={`Nothing of ${shownFolder} runs`}
      actions={
        <Button size="small" onClick={() => void reviewFolder(app, sessionId)}>
          Review folder…
        </Button>
      }
    >
      You have not trusted it, so Espalier does not even look for extensions in its <code>{own[0]}</code> and{' '}
      <code>{own[1]}</code>: opening a folder must not run its code.
    </Notice>
  );
}
