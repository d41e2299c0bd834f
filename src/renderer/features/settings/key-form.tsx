import { type KeyboardEvent, useCallback, useEffect, useId, useState } from 'react';
import { ownerOfKey } from '@shared/policy/keys';
import { REMOTE_KEY_NAME } from '@shared/settings';
import type { ProviderInfo } from '@shared/types';
import { toAppError } from '../../bridge';
import { useApp, useSettings } from '../../state/hooks';
import { Button, Field, Input, Select, Spinner } from '../../ui';
import styles from './settings.module.css';

export type Keep = 'encrypted' | 'session' | 'plain';

/** Where no keyring is: this run only, or plain text after a yes. `onChange` gets null until that yes is given. */
export function KeepChoice({ onChange }: { onChange: (keep: Keep | null) => void }) {
  const name = useId();
  const data = useSettings((state) => state.paths.data);
  const [plain, setPlain] = useState(false);
  const [sure, setSure] = useState(false);
  function choose(nextPlain: boolean, nextSure: boolean): void {
    setPlain(nextPlain);
    setSure(nextSure);
    onChange(!nextPlain ? 'session' : nextSure ? 'plain' : null);
  }
  return (
    <fieldset className={styles.keep}>
      <legend>Your system has no keyring, so the key can’t be stored encrypted.</legend>
      <label>
        <input type="radio" name={name} checked={!plain} onChange={() => choose(false, false)} />
        For this run only. Espalier forgets it when it closes.
      </label>
      <label>
        <input type="radio" name={name} checked={plain} onChange={() => choose(true, false)} />
        In a plain text file in {data}
      </label>
      {plain && (
        <label className={styles.sure}>
          <input type="checkbox" checked={sure} onChange={(event) => choose(true, event.target.checked)} />
          Yes, store it unencrypted. Anyone who can read my files can read it.
        </label>
      )}
    </fieldset>
  );
}

interface OwnEscape {
  'data-own-escape': true;
  onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
}

/**
 * What a form in Settings does with Escape: the first one leaves it, the second one, which is pressed outside of it, closes Settings. A
 * form with something in it stays as it is meanwhile, so that nothing half typed is lost unseen.
 */
export function ownEscape(hasText: boolean, onDone: () => void, onKept?: () => void): OwnEscape {
  return {
    'data-own-escape': true,
    onKeyDown: (event) => {
      if (event.key !== 'Escape' || event.nativeEvent.isComposing) return;
      event.preventDefault();
      // The dialog takes the focus, before what has it goes.
      event.currentTarget.closest<HTMLElement>('[role="dialog"]')?.focus();
      if (hasText) onKept?.();
      else onDone();
    },
  };
}

type Whose = Pick<ProviderInfo, 'id' | 'name'>;

interface KeyOwnership {
  /** Whom it would be kept for; null: that is not known yet. */
  whose: Whose | null;
  /** What its beginning says, for the person. */
  words?: string;
  /** It looks like a key of this one, and not of the one that it was entered for. */
  other?: Whose;
  /** Among whom the person chooses; absent: there is nothing to choose. */
  options?: readonly Whose[];
  choose: (id: string) => void;
}

/** Whose a key is (WN16): the provider that it is entered for, the one that its beginning names, or whom the person says. Nothing is sent. */
function useWhose(key: string, given: Whose | undefined): KeyOwnership {
  const providers = useSettings((state) => state.providers);
  // A choice is of the text it was made for: another key may be another provider's.
  const [choice, setChoice] = useState<{ id: string; text: string } | null>(null);
  const text = key.trim();
  const choose = (id: string): void => setChoice({ id, text });
  const builtin = providers.filter(({ kind }) => kind === 'builtin');
  const find = (id: string): Whose | undefined => builtin.find((provider) => provider.id === id);
  const owner = ownerOfKey(key);
  const named = owner.kind === 'own' ? find(owner.provider) : undefined;
  const chosen = choice?.text === text ? find(choice.id) : undefined;
  // Endpoints and servers of the person's own take keys of any form.
  if (given) {
    if (!named || !find(given.id) || named.id === given.id) return { whose: given, choose };
    if (chosen) return { whose: chosen, words: `It is kept for ${chosen.name} and sent only there.`, choose };
    const words = `This looks like a key for ${named.name}, not for ${given.name}.`;
    return { whose: given, words, other: named, choose };
  }
  if (named) return { whose: named, words: `A key for ${named.name}. It is sent only there.`, choose };
  if (text === '') return { whose: null, choose };
  const first = owner.kind === 'shared' ? owner.providers.flatMap((id) => find(id) ?? []) : [];
  const options = [...first, ...builtin.filter(({ id }) => !first.some((one) => one.id === id))];
  const words =
    owner.kind === 'shared'
      ? 'Several providers have keys that begin like this. Choose the provider. Nothing is sent until you do.'
      : 'Its beginning doesn’t say whose it is. Choose the provider. Nothing is sent until you do.';
  return { whose: chosen ?? null, words, options, choose };
}

interface KeyFormProps {
  /** Whose key it is: the name it is kept under, and what to call it. Absent: the key says so, or the person does. */
  provider?: Pick<ProviderInfo, 'id' | 'name'>;
  hint?: string;
  /** `saved`: whose key was kept, and whether it answered a test; absent: none was. */
  onDone: (saved?: Pick<ProviderInfo, 'id' | 'name'> & { isTested: boolean }) => void;
}

/**
 * Takes a key and says whose it is and where it will be kept before it is. It is tested with a small request first (WN16): the person sees
 * that and can stop it; a key that fails, or that nobody tested, is kept only where the person says so.
 */
export function KeyForm({ provider, hint, onDone }: KeyFormProps) {
  const app = useApp();
  const keyring = useSettings((state) => state.keyring);
  const [key, setKey] = useState('');
  const [keep, setKeep] = useState<Keep | null>(keyring === 'available' ? 'encrypted' : 'session');
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState<'testing' | 'saving' | null>(null);
  /** The test of this text failed: it is kept only if the person says so. */
  const [hasFailed, setFailed] = useState(false);
  const stopTest = useTestEnd(busy === 'testing');
  // The summary endpoint speaks another language than a model does.
  const canTest = provider?.id !== REMOTE_KEY_NAME;
  /** It was left with a key in it. */
  const [isKept, setKept] = useState(false);
  const { whose, words, other, options, choose } = useWhose(key, provider);
  const isReady = key.trim() !== '' && whose !== null && keep !== null && busy === null;

  async function save(isTested = false): Promise<void> {
    if (!keep || !whose || !key.trim()) return;
    setBusy('saving');
    setProblem(null);
    try {
      await app.client.request('providers.setKey', { provider: whose.id, key: key.trim(), keep });
      setKey('');
      onDone({ ...whose, isTested });
    } catch (cause) {
      setProblem(toAppError(cause).message);
      setBusy(null);
    }
  }

  async function test(): Promise<void> {
    if (!keep || !whose || !key.trim()) return;
    setBusy('testing');
    setProblem(null);
    try {
      const { ok, message } = await app.client.request('providers.testKey', { provider: whose.id, key: key.trim() });
      if (ok) return await save(true);
      setProblem(message);
      setFailed(true);
    } catch (cause) {
      setProblem(toAppError(cause).message);
    }
    setBusy(null);
  }

  return (
    <form
      className={styles.form}
      {...ownEscape(key !== '', onDone, () => setKept(true))}
      onSubmit={(event) => {
        event.preventDefault();
        // Enter is no answer to "whose is it?": one of the two buttons is.
        if (other) setProblem(`${words} Choose one of the buttons below.`);
        else void (canTest ? test() : save());
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
            readOnly={busy !== null}
            value={key}
            onChange={(event) => {
              setKey(event.target.value);
              setProblem(null);
              setFailed(false);
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
      {busy === 'testing' && (
        <p className={styles.testing} role="status">
          <Spinner /> Asking {whose?.name} one short question with this key.
        </p>
      )}
      <div className={styles.formActions}>
        {other && (
          <Button
            tone="primary"
            disabled={busy !== null}
            onClick={() => {
              choose(other.id);
              setProblem(null);
            }}
          >
            Use it for {other.name}
          </Button>
        )}
        {canTest && !other && (
          <Button type="submit" tone="primary" disabled={!isReady}>
            {hasFailed ? 'Test again' : 'Test and save'}
          </Button>
        )}
        <Button
          type={canTest ? 'button' : 'submit'}
          tone={canTest ? 'default' : 'primary'}
          disabled={!isReady}
          onClick={canTest ? () => void save() : undefined}
        >
          {other ? 'Save here anyway' : !canTest ? 'Save key' : hasFailed ? 'Save anyway' : 'Save without a test'}
        </Button>
        {busy === 'testing' ? (
          <Button autoFocus onClick={stopTest}>
            Stop the test
          </Button>
        ) : (
          <Button onClick={() => onDone()}>Cancel</Button>
        )}
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

/** Ends the test when its form goes: nobody would see how it went. @returns what stops it before */
function useTestEnd(isTesting: boolean): () => void {
  const { client } = useApp();
  const stop = useCallback(() => void client.request('providers.stopKeyTest', {}).catch(() => undefined), [client]);
  useEffect(() => (isTesting ? stop : undefined), [isTesting, stop]);
  return stop;
}
