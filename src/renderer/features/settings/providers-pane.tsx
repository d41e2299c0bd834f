import { useEffect, useState } from 'react';
import { ChevronDown, KeyRound, Plus, RefreshCw, RotateCcw, Search } from 'lucide-react';
import { SETTINGS } from '@shared/settings';
import type { EndpointDraft, ModelInfo, ModelRef, ProviderInfo } from '@shared/types';
import { ModelList } from '../../parts/model-list';
import { useApp, useSettings } from '../../state/hooks';
import { findModel } from '../../state/settings-store';
import { Button, IconButton, Input, Popover, Spinner } from '../../ui';
import { EndpointForm } from './endpoint-form';
import { KeyForm } from './key-form';
import { Advanced } from './advanced';
import { GroupRows, Pane } from './pane';
import { EndpointSaved, ProviderRow } from './provider-row';
import styles from './settings.module.css';

const KEY = 'model.default';

/** The model of new sessions, chosen from the list instead of typed. */
function DefaultModel() {
  const app = useApp();
  const [open, setOpen] = useState(false);
  const providers = useSettings((state) => state.providers);
  const value = useSettings((state) => state.settings[KEY]);
  const ref = toRef(value);
  const found = findModel(providers, ref);
  const name = value === '' ? 'Demo model' : (found?.model.name ?? value);
  const missing = ref !== null && found === null && providers.length > 1;

  function choose(model: ModelInfo): void {
    setOpen(false);
    const chosen = `${model.provider}/${model.modelId}`;
    void app.ask('settings.set', { key: KEY, value: chosen });
  }

  return (
    <div className={styles.line}>
      <div className={styles.lineText}>
        <b>{SETTINGS[KEY].label}</b>
        <div className={styles.lineHint}>
          {missing ? 'This model isn’t available now. New sessions will still use it.' : 'Default: the demo model.'}
        </div>
      </div>
      <div className={styles.lineActions}>
        {value !== '' && (
          <IconButton
            label="Reset the model for new sessions"
            size="small"
            onClick={() => void app.ask('settings.reset', { key: KEY })}
          >
            <RotateCcw size={13} />
          </IconButton>
        )}
        <Popover
          label="Model for new sessions"
          open={open}
          onOpenChange={setOpen}
          align="end"
          className={styles.modelPopover}
          trigger={
            <Button aria-label={`Model for new sessions: ${name}`}>
              {name} <ChevronDown size={13} aria-hidden />
            </Button>
          }
        >
          <ModelList providers={providers} current={ref} onChoose={choose} />
        </Popover>
      </div>
    </div>
  );
}

/** `provider/model`, split at the first slash. */
function toRef(text: string): ModelRef | null {
  const slash = text.indexOf('/');
  return slash > 0 ? { provider: text.slice(0, slash), modelId: text.slice(slash + 1) } : null;
}

const KIND_ORDER: Record<ProviderInfo['kind'], number> = { custom: 0, extension: 1, local: 2, builtin: 3, demo: 4 };

/**
 * Usable ones first (a key, a server that answered, none needed), own ones before those that come with the app, then by name.
 * `wasUsable` says which were when the list was opened, and learns of those that came since: a row keeps its place under the hand of
 * who adds a key to it.
 */
export function sortProviders(providers: readonly ProviderInfo[], wasUsable: Map<string, boolean>): ProviderInfo[] {
  for (const { id, available } of providers) if (!wasUsable.has(id)) wasUsable.set(id, available);
  const rank = ({ id }: ProviderInfo): number => (wasUsable.get(id) ? 0 : 1);
  return [...providers].sort(
    (a, b) =>
      rank(a) - rank(b) ||
      KIND_ORDER[a.kind] - KIND_ORDER[b.kind] ||
      a.name.localeCompare(b.name, 'en') ||
      (a.id < b.id ? -1 : 1),
  );
}

const KEYS = 'Keys stay on this computer and are sent only to their provider.';
const KEYS_OF_EXTENSIONS = `${KEYS.slice(0, -1)}. Where an extension gets one, its provider says so.`;

/** Where answers come from: default model, providers with their keys, own endpoints, local servers. */
export function ProvidersPane() {
  const providers = useSettings((state) => state.providers);
  const [find, setFind] = useState('');
  const [adding, setAdding] = useState(false);
  const [saved, setSaved] = useState<EndpointDraft | null>(null);
  const [wasUsable] = useState(() => new Map<string, boolean>());
  const shown = sortProviders(providers, wasUsable).filter((provider) => matches(provider, find));
  return (
    <Pane title="Providers" lead={providers.some(({ givesKey }) => givesKey) ? KEYS_OF_EXTENSIONS : KEYS}>
      <div className={styles.rows}>
        <DefaultModel />
        <GroupRows group="providers" except={['model.default']} />
      </div>
      <PasteKey />
      <section className={styles.section} aria-label="Providers">
        <div className={styles.sectionHead}>
          <h3>Providers and servers</h3>
          <Input
            aria-label="Find a provider"
            placeholder="Find a provider"
            className={styles.find}
            lead={<Search size={13} />}
            value={find}
            onChange={(event) => setFind(event.target.value)}
          />
          <LookAgain />
        </div>
        <ul className={styles.providers}>
          {shown.map((provider) => (
            <ProviderRow key={provider.id} provider={provider} />
          ))}
        </ul>
        {shown.length === 0 && <p className={styles.none}>{find ? 'No matching provider.' : 'Loading providers.'}</p>}
        {adding ? (
          <EndpointForm
            endpointId={null}
            onDone={(draft) => {
              setAdding(false);
              setSaved(draft ?? null);
            }}
          />
        ) : (
          <Button onClick={() => setAdding(true)}>
            <Plus size={14} aria-hidden /> Add an endpoint
          </Button>
        )}
        {saved && !adding && <EndpointSaved endpoint={saved} onDone={() => setSaved(null)} />}
      </section>
      <Advanced pane="providers">
        <section className={styles.section} aria-label="Network">
          <h3>Network</h3>
          <GroupRows group="network" />
        </section>
        <section className={styles.section} aria-label="When a request fails">
          <h3>When a request fails</h3>
          <GroupRows group="retry" />
        </section>
      </Advanced>
    </Pane>
  );
}

/** For who has a key, and need not look for its provider: it says whose it is. */
function PasteKey() {
  const app = useApp();
  const [open, setOpen] = useState(() => app.ui.getState().keyToPaste);
  useEffect(() => app.ui.setState({ keyToPaste: false }), [app]);
  if (!open)
    return (
      <div className={styles.formActions}>
        <Button onClick={() => setOpen(true)}>
          <KeyRound size={14} aria-hidden /> Paste a key
        </Button>
      </div>
    );
  return (
    <KeyForm
      onDone={(saved) => {
        setOpen(false);
        const how = saved?.isTested ? 'works and is saved' : 'is saved';
        if (saved) app.toast({ level: 'success', text: `The key for ${saved.name} ${how}.` });
      }}
    />
  );
}

function LookAgain() {
  const app = useApp();
  const [looking, setLooking] = useState(false);
  async function look(): Promise<void> {
    setLooking(true);
    const found = await app.ask('models.discover', {});
    if (found) app.settings.setState({ providers: found.providers });
    setLooking(false);
  }
  return (
    <Button size="small" disabled={looking} onClick={() => void look()}>
      {looking ? <Spinner /> : <RefreshCw size={13} aria-hidden />} Look for local servers
    </Button>
  );
}

function matches({ name, id, models }: ProviderInfo, find: string): boolean {
  const wanted = find.trim().toLowerCase();
  return [name, id, ...models.map((model) => model.name)].some((text) => text.toLowerCase().includes(wanted));
}
