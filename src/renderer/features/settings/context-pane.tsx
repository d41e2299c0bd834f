import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { endpointHost } from '@shared/policy/addresses';
import { REMOTE_KEY_NAME, type SettingKey } from '@shared/settings';
import type { KeySource } from '@shared/types';
import { useApp, useSettings } from '../../state/hooks';
import { Button, Chip } from '../../ui';
import { Advanced } from './advanced';
import { KeyForm } from './key-form';
import { OverridesEditor } from './overrides-editor';
import { GroupRows, Pane } from './pane';
import { KEY_SOURCES } from './provider-row';
import styles from './settings.module.css';

/** The key of the summary endpoint: only whether there is one, never the key. */
function RemoteKey() {
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

/** Settings of the plain groups that few people change. */
const RARE: readonly SettingKey[] = [
  ...(['compaction.thresholdTokens', 'compaction.reserveTokens', 'compaction.autoContinue'] as const),
  ...(['compaction.maxAutoAttempts', 'compaction.fallbackModels', 'compaction.reasoning'] as const),
  ...(['compaction.includeThinking', 'compaction.toolResultChars', 'compaction.fileListLimit'] as const),
  'compaction.shortSummary',
];

/** When a session is compacted, what stays, and who writes the summary (ST2). */
export function ContextPane() {
  return (
    <Pane
      title="Context"
      lead="When the context window fills up, the model gets a summary of older messages. The session keeps them all."
    >
      <Section title="When to compact">
        <GroupRows group="context" except={RARE} />
      </Section>
      <Section title="What to keep">
        <GroupRows group="keep" />
      </Section>
      <Section title="Summaries">
        <GroupRows group="summaries" except={RARE} />
      </Section>
      <Section title="Branches" lead="When you leave a branch, a summary of it can come with you.">
        <GroupRows group="branches" />
      </Section>
      <Advanced pane="context">
        <Section title="Limits and attempts">
          <GroupRows group="context" only={RARE} />
        </Section>
        <Section title="Summary details">
          <GroupRows group="summaries" only={RARE} />
        </Section>
        <Section title="Summary endpoint" lead="Your own server that writes summaries. Tried before any model.">
          <div className={styles.rows}>
            <GroupRows group="endpoint" />
            <RemoteKey />
          </div>
        </Section>
        <Section title="Tool outputs">
          <GroupRows group="pruning" />
        </Section>
        <Section title="Limits per model" lead="Empty fields use the settings above.">
          <OverridesEditor />
        </Section>
      </Advanced>
    </Pane>
  );
}

function Section({ title, lead, children }: { title: string; lead?: string; children: ReactNode }) {
  return (
    <section className={styles.section} aria-label={title}>
      <h3>{title}</h3>
      {lead && <p className={styles.lineHint}>{lead}</p>}
      {children}
    </section>
  );
}
