import { useEffect, useState } from 'react';
import { visibleString } from '@shared/policy/visible-text';
import type { EndpointDraft, KeySource, ModelRef, ProviderInfo } from '@shared/types';
import { sessionShown } from '../../state/sessions-store';
import { Button, Chip, type ChipTone, Notice, Select } from '../../ui';
import { useApp, useSettings } from '../../state/hooks';
import { formatTokens, plural } from '../../state/format';
import { EndpointForm } from './endpoint-form';
import { KeyForm, ownEscape } from './key-form';
import styles from './settings.module.css';

/** One provider: whether it can answer, where its key comes from, and what can be done about it. */
export function ProviderRow({ provider }: { provider: ProviderInfo }) {
  const app = useApp();
  const { id, kind, keySource } = provider;
  // MT3: the person came for the window of one model.
  const [modelId] = useState(() => modelOf(app.ui.getState().windowToSet, id));
  const [open, setOpen] = useState<'key' | 'endpoint' | 'remove' | null>(modelId === null ? null : 'endpoint');
  const [saved, setSaved] = useState<EndpointDraft | null>(null);
  useEffect(() => {
    if (modelId !== null) app.ui.setState({ windowToSet: null });
  }, [app, modelId]);
  const own = keySource === 'stored' || keySource === 'session' || keySource === 'plain';
  const takesKey = kind === 'builtin' || kind === 'custom' || (kind === 'extension' && keySource !== 'notNeeded');
  const [tone, words] = sourceInWords(provider);
  return (
    <li className={styles.provider}>
      <div className={styles.providerHead}>
        <b>{visibleString(provider.name)}</b>
        <Chip tone={tone}>{words}</Chip>
        <span className={styles.providerFacts}>{factsOf(provider)}</span>
        <span className={styles.providerActions}>
          {kind === 'custom' && (
            <Button size="small" onClick={() => setOpen(open === 'endpoint' ? null : 'endpoint')}>
              Edit
            </Button>
          )}
          {own && (
            <Button size="small" onClick={() => void app.ask('providers.removeKey', { provider: id })}>
              Remove key
            </Button>
          )}
          {takesKey && (
            <Button size="small" aria-expanded={open === 'key'} onClick={() => setOpen(open === 'key' ? null : 'key')}>
              {own ? 'Change key' : 'Add key'}
            </Button>
          )}
          {kind === 'custom' && (
            <Button
              size="small"
              tone="danger"
              aria-expanded={open === 'remove'}
              onClick={() => setOpen(open === 'remove' ? null : 'remove')}
            >
              Remove…
            </Button>
          )}
        </span>
      </div>
      {provider.givesKey && (
        <p className={styles.givesKey}>
          The extension {visibleString(provider.extension ?? '')} sends the requests itself and gets the key that you
          enter here.
        </p>
      )}
      <LearnedWindows provider={provider} />
      {open === 'remove' && <RemoveQuestion provider={provider} onDone={() => setOpen(null)} />}
      {open === 'key' && <KeyForm provider={provider} onDone={() => setOpen(null)} />}
      {open === 'endpoint' && (
        <EndpointForm
          endpointId={id}
          windowOf={modelId}
          onDone={(draft) => {
            setOpen(null);
            setSaved(draft ?? null);
          }}
        />
      )}
      {saved && open !== 'endpoint' && <EndpointSaved endpoint={saved} onDone={() => setSaved(null)} />}
    </li>
  );
}

interface EndpointSavedProps {
  endpoint: EndpointDraft;
  onDone: () => void;
}

/**
 * Says that an endpoint is saved and makes one of its models that of new sessions (WN16). A session that is open and in which nothing
 * was said yet takes it as well: the person is about to write there.
 */
export function EndpointSaved({ endpoint, onDone }: EndpointSavedProps) {
  const app = useApp();
  const { id: provider, name, models } = endpoint;
  const chosenNow = useSettings((state) => state.settings['model.default']);
  const [modelId, setModelId] = useState(models[0]?.id ?? '');
  const isChosen = chosenNow === `${provider}/${modelId}`;
  async function choose(): Promise<void> {
    const done = await app.ask('settings.set', { key: 'model.default', value: `${provider}/${modelId}` });
    const shown = sessionShown(app.sessions.getState());
    if (!done || !shown) return;
    const { status, rows, pending } = app.openSession(shown.id).view.getState();
    const isBlank = status === 'ready' && rows.length === 0 && pending.length === 0;
    if (isBlank) await app.ask('session.setModel', { sessionId: shown.id, provider, modelId });
  }
  return (
    <Notice
      level="success"
      className={styles.endpointSaved}
      title={`${visibleString(name)} is saved`}
      actions={
        <>
          {models.length > 1 && (
            <Select
              label="Model for new sessions"
              value={modelId}
              options={models.map(({ id }) => ({ value: id, label: visibleString(id) }))}
              onChange={setModelId}
            />
          )}
          {!isChosen && (
            <Button size="small" tone="primary" autoFocus onClick={() => void choose()}>
              Use for new sessions
            </Button>
          )}
          {/* The keyboard was in a form that has gone, then on a button that has: it stays here, and so in view. */}
          <Button key={String(isChosen)} size="small" autoFocus={isChosen} onClick={onDone}>
            Done
          </Button>
        </>
      }
    >
      {isChosen ? `New sessions use ${visibleString(modelId)}.` : 'Choose it in a session, or for all new ones.'}
    </Notice>
  );
}

/** An endpoint took time to set up, and its key can't be shown again. */
function RemoveQuestion({ provider, onDone }: { provider: ProviderInfo; onDone: () => void }) {
  const app = useApp();
  const { id: endpointId, name } = provider;
  return (
    <div className={styles.form} role="group" aria-label={`Remove ${name}`} {...ownEscape(false, onDone)}>
      <p>Remove {name}, its models and its key? Sessions that use it keep their messages but need another model.</p>
      <div className={styles.formActions}>
        <Button autoFocus onClick={onDone}>
          Cancel
        </Button>
        <Button tone="danger" onClick={() => void app.ask('endpoints.remove', { endpointId })}>
          Remove {name}
        </Button>
      </div>
    </div>
  );
}

/** Windows that errors of the server told of: smaller ones than its models are set to, until they are forgotten. */
function LearnedWindows({ provider }: { provider: ProviderInfo }) {
  const app = useApp();
  const learned = provider.models.filter((model) => model.learnedWindow !== undefined);
  if (learned.length === 0) return null;
  return (
    <ul className={styles.learned}>
      {learned.map(({ modelId, name, learnedWindow: window }) => (
        <li key={modelId}>
          <span>
            <b>{name}</b> takes {formatTokens(window?.tokens ?? 0)} tokens, according to an error from its server on{' '}
            {new Date(window?.at ?? 0).toLocaleDateString('en-GB', { day: 'numeric', month: 'long' })}. This limit is
            forgotten after a week.
          </span>
          <Button
            size="small"
            aria-label={`Forget the context window of ${name}`}
            onClick={() => void app.ask('models.forgetWindow', { provider: provider.id, modelId })}
          >
            Forget
          </Button>
        </li>
      ))}
    </ul>
  );
}

function modelOf(ref: ModelRef | null, provider: string): string | null {
  return ref?.provider === provider ? ref.modelId : null;
}

/** How a key is kept, in words. */
export const KEY_SOURCES: Record<KeySource, [ChipTone, string]> = {
  none: ['outline', 'no key'],
  stored: ['leaf', 'key stored, encrypted'],
  session: ['leaf', 'key for this run only'],
  plain: ['amber', 'key in a plain text file'],
  environment: ['leaf', 'key from the environment'],
  notNeeded: ['leaf', 'no key needed'],
};

function sourceInWords({ keySource, environmentName }: ProviderInfo): [ChipTone, string] {
  if (keySource === 'environment' && environmentName) return ['leaf', `key from ${environmentName}`];
  return KEY_SOURCES[keySource];
}

function factsOf({ models, problem, available, baseUrl, extension }: ProviderInfo): string {
  if (!available && problem) return problem;
  const from = extension === undefined ? '' : `from the extension ${visibleString(extension)}`;
  return [from, baseUrl, plural(models.length, 'model')].filter(Boolean).join(' · ');
}
