import { useId, useState } from 'react';
import { useSettings } from '../../state/hooks';
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
