import { useCallback, useEffect, useState } from 'react';
import type { KeySource } from '@shared/types';
import { endpointHost } from '@shared/policy/addresses';
import { REMOTE_KEY_NAME } from '@shared/settings';
import { Button, Chip } from '../../ui';
import { useApp, useSettings } from '../../state/hooks';
import { KeyForm } from './key-form';
import { KEY_SOURCES } from './provider-row';
import styles from './settings.module.css';

/** The key of the summary endpoint: only whether there is one, never the key. */
export function RemoteKey() {
  const app = useApp();
  const address = useSettings((state) => state.settings['compaction.remoteEndpoint']);
  const [source, setSource] = useState<KeySource | null>(null);
  const [open, setOpen] = useState(false);
  const look = useCallback(async (): Promise<void> => {
    const answer = await app.ask('providers.keySource', { provider: REMOTE_KEY_NAME });
    if (answer) setSource(answer.source);
  }, [app]);
  useEffect(() => void look(), [look]);
  const isKept = source !== null && source !== 'none';
  const [tone, words] = KEY_SOURCES[source ?? 'none'];

  async function remove(): Promise<void> {
    await app.ask('providers.removeKey', { provider: REMOTE_KEY_NAME });
    await look();
  }

  return (
    <div role="group" aria-label="Endpoint key">
      <div className={styles.line}>
        <div className={styles.lineText}>
          <b>Key</b>
          <div className={styles.lineHint}>
            {address === ''
              ? 'If the endpoint needs one. Sent only to this endpoint.'
              : `If the endpoint needs one. Sent only to ${endpointHost(address)}.`}
          </div>
        </div>
        <div className={styles.lineActions}>
          {source !== null && <Chip tone={tone}>{words}</Chip>}
          {isKept && (
            <Button size="small" onClick={() => void remove()}>
              Remove key
            </Button>
          )}
          <Button size="small" aria-expanded={open} onClick={() => setOpen(!open)}>
            {isKept ? 'Change key' : 'Add key'}
          </Button>
        </div>
      </div>
      {open && (
        <KeyForm
          provider={{ id: REMOTE_KEY_NAME, name: 'your summary endpoint' }}
          hint="Sent as a bearer token."
          onDone={() => {
            setOpen(false);
            void look();
          }}
        />
      )}
    </div>
  );
}
