import { useState } from 'react';
import type { ProviderInfo } from '@shared/types';
import { Button, Field, Input, Select } from '../../ui';
import { toAppError } from '../../bridge';
import { useApp, useSettings } from '../../state/hooks';
import { KeepChoice, type Keep } from './keep-choice';
import { ownEscape } from './own-escape';
import { useWhose } from './use-whose';
import styles from './settings.module.css';

interface KeyFormProps {
  /** Whose key it is: the name it is kept under, and what to call it. Absent: the key says so, or the person does. */
  provider?: Pick<ProviderInfo, 'id' | 'name'>;
  hint?: string;
  /** `saved`: whose key was kept; absent: none was. */
  onDone: (saved?: Pick<ProviderInfo, 'id' | 'name'>) => void;
}

/** Takes a key and says whose it is and where it will be kept before it is. */
export function KeyForm({ provider, hint, onDone }: KeyFormProps) {
  const app = useApp();
  const keyring = useSettings((state) => state.keyring);
  const [key, setKey] = useState('');
  const [keep, setKeep] = useState<Keep | null>(keyring === 'available' ? 'encrypted' : 'session');
  const [problem, setProblem] = useState<string | null>(null);
  const [saving, setSaving] = useState(false);
  /** It was left with a key in it. */
  const [isKept, setKept] = useState(false);
  const { whose, words, other, options, choose } = useWhose(key, provider);

  async function save(): Promise<void> {
    if (!keep || !whose || !key.trim()) return;
    setSaving(true);
    setProblem(null);
    try {
      await app.client.request('providers.setKey', { provider: whose.id, key: key.trim(), keep });
      setKey('');
      onDone(whose);
    } catch (cause) {
      setProblem(toAppError(cause).message);
      setSaving(false);
    }
  }

  return (
    <form
      className={styles.form}
      {...ownEscape(key !== '', onDone, () => setKept(true))}
      onSubmit={(event) => {
        event.preventDefault();
        // Enter is no answer to "whose is it?": one of the two buttons is.
        if (other) setProblem(`${words} Choose one of the buttons below.`);
        else void save();
      }}
    >
      <Field
        label={provider ? `Key for ${provider.name}` : 'API key'}
        hint={words ?? hint ?? 'Paste the key exactly as the provider shows it.'}
        error={problem ?? undefined}
      >
        {(control) => (
          <Input
            {...control}
            type="password"
            autoComplete="off"
            spellCheck={false}
            autoFocus
            value={key}
            onChange={(event) => {
              setKey(event.target.value);
              setProblem(null);
              setKept(false);
            }}
          />
        )}
      </Field>
      {options && (
        <Select
          label="Whose key"
          className={styles.whose}
          value={whose?.id ?? ''}
          placeholder="Choose the provider"
          options={options.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={choose}
        />
      )}
      {keyring === 'unavailable' && <KeepChoice onChange={setKeep} />}
      <div className={styles.formActions}>
        {other && (
          <Button
            tone="primary"
            disabled={saving}
            onClick={() => {
              choose(other.id);
              setProblem(null);
            }}
          >
            Use it for {other.name}
          </Button>
        )}
        <Button
          type={other ? 'button' : 'submit'}
          tone={other ? 'default' : 'primary'}
          disabled={!key.trim() || !whose || !keep || saving}
          onClick={other && (() => void save())}
        >
          {other ? 'Save here anyway' : 'Save key'}
        </Button>
        <Button onClick={() => onDone()}>Cancel</Button>
        {isKept && (
          <span className={styles.note} role="status">
            This key is not saved. Escape closes Settings and drops it.
          </span>
        )}
        {keyring === 'available' && !isKept && <span className={styles.note}>Encrypted by your system’s keyring.</span>}
      </div>
    </form>
  );
}
