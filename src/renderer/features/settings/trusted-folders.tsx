import { useEffect, useState } from 'react';
import { X } from 'lucide-react';
import type { TrustList } from '@shared/types';
import { visibleString } from '@shared/policy/visible-text';
import { Button, IconButton, Visible } from '../../ui';
import { toAppError } from '../../bridge';
import { useApp, useSettings, useUi } from '../../state/hooks';
import { formatAgo, formatPath, plural } from '../../state/format';
import styles from './settings.module.css';

const REPLACED = 'This is no longer the folder you trusted';

/** The folders that the person trusts, each with its way back, and those of sessions that could be. Main asks before one is added. */
export function TrustedFolders() {
  const app = useApp();
  const home = useSettings((state) => state.home);
  const trustChanges = useUi((ui) => ui.trustChanges);
  const [list, setList] = useState<TrustList | null>(null);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [problem, setProblem] = useState<string | null>(null);

  useEffect(() => {
    app.client.request('trust.list', {}).then(setList, (cause: unknown) => setProblem(toAppError(cause).message));
  }, [app, trustChanges]);

  async function attempt(task: () => Promise<unknown>): Promise<void> {
    setProblem(null);
    await task().catch((cause: unknown) => setProblem(toAppError(cause).message));
  }
  const toggle = (id: string, isOn: boolean): void =>
    setChosen((ids) => (isOn ? [...ids, id] : ids.filter((other) => other !== id)));
  const ids = chosen.filter((id) => list?.known.some((folder) => folder.id === id));

  return (
    <section className={styles.section} aria-label="Trusted folders">
      <h3>Trusted folders</h3>
      {problem && <p role="alert">{problem}</p>}
      {list?.trusted.length === 0 && (
        <p className={styles.none}>No folder is trusted yet. Espalier asks when you choose a folder for a session.</p>
      )}
      <ul className={styles.rules}>
        {list?.trusted.map(({ id, path, trustedAt, isReplaced }) => (
          <li key={id}>
            <code title={visibleString(path)}>
              <Visible text={formatPath(path, home)} place="path" />
            </code>
            <span className={styles.ruleAge}>{isReplaced ? REPLACED : formatAgo(trustedAt, app.now())}</span>
            <IconButton
              label={`Stop trusting ${visibleString(path)}`}
              size="small"
              onClick={() => {
                toggle(id, false);
                void attempt(() => app.client.request('trust.withdraw', { folderId: id }));
              }}
            >
              <X size={13} />
            </IconButton>
          </li>
        ))}
      </ul>
      {list !== null && list.known.length > 0 && (
        <>
          <h4 className={styles.known}>Used by your sessions but not trusted</h4>
          <ul className={styles.rules}>
            {list.known.map(({ id, path, sessions }) => (
              <li key={id}>
                <label className={styles.knownFolder}>
                  <input
                    type="checkbox"
                    checked={chosen.includes(id)}
                    onChange={(event) => toggle(id, event.target.checked)}
                  />
                  <code title={visibleString(path)}>
                    <Visible text={formatPath(path, home)} place="path" />
                  </code>
                </label>
                <span className={styles.ruleAge}>{plural(sessions, 'session')}</span>
              </li>
            ))}
          </ul>
          <Button
            size="small"
            disabled={ids.length === 0}
            onClick={() => void attempt(() => app.client.request('trust.trustKnown', { ids }))}
          >
            Trust selected…
          </Button>
        </>
      )}
    </section>
  );
}
