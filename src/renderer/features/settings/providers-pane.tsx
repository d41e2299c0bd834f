import { useEffect, useState } from 'react';
import { KeyRound, Plus, RefreshCw, Search } from 'lucide-react';
import type { ProviderInfo } from '@shared/types';
import { Button, Input, Spinner } from '../../ui';
import { useApp, useSettings } from '../../state/hooks';
import { DefaultModel } from './default-model';
import { EndpointForm } from './endpoint-form';
import { KeyForm } from './key-form';
import { GroupRows, Pane } from './pane';
import { sortProviders } from './provider-order';
import { ProviderRow } from './provider-row';
import styles from './settings.module.css';

/** Where answers come from: default model, providers with their keys, own endpoints, local servers. */
export function ProvidersPane() {
  const providers = useSettings((state) => state.providers);
  const [find, setFind] = useState('');
  const [adding, setAdding] = useState(false);
  const [wasUsable] = useState(() => new Map<string, boolean>());
  const shown = sortProviders(providers, wasUsable).filter((provider) => matches(provider, find));
  return (
    <Pane title="Providers" lead="Keys stay on this computer and are sent only to their provider.">
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
          <EndpointForm endpointId={null} onDone={() => setAdding(false)} />
        ) : (
          <Button onClick={() => setAdding(true)}>
            <Plus size={14} aria-hidden /> Add an endpoint
          </Button>
        )}
      </section>
      <section className={styles.section} aria-label="Network">
        <h3>Network</h3>
        <GroupRows group="network" />
      </section>
      <section className={styles.section} aria-label="When a request fails">
        <h3>When a request fails</h3>
        <GroupRows group="retry" />
      </section>
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
        if (saved) app.toast({ level: 'success', text: `The key for ${saved.name} is saved.` });
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
