import { useEffect, useState } from 'react';
import { TextArea } from '../../ui';
import { useApp } from '../../state/hooks';
import { recentInstructions } from '../../state/ui-memory';
import styles from './compaction.module.css';

interface InstructionsBoxProps {
  value: string;
  onChange: (value: string) => void;
}

/** What the summary should look at in particular; what was asked for lately is one click away. */
export function InstructionsBox({ value, onChange }: InstructionsBoxProps) {
  const { local } = useApp();
  const [recent, setRecent] = useState<readonly string[]>([]);
  useEffect(() => {
    let isWanted = true;
    void recentInstructions(local).then((list) => isWanted && setRecent(list));
    return () => {
      isWanted = false;
    };
  }, [local]);
  const offered = recent.filter((text) => text !== value);
  return (
    <>
      <TextArea
        className={styles.instructions}
        value={value}
        rows={2}
        maxLength={50_000}
        placeholder="Focus on (optional)"
        aria-label="Focus on"
        onChange={(event) => onChange(event.target.value)}
      />
      {offered.length > 0 && (
        <ul className={styles.chips} aria-label="Recent">
          {offered.map((text) => (
            <li key={text}>
              <button type="button" className={styles.chip} title={text} onClick={() => onChange(text)}>
                {text}
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
