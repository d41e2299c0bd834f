import { useState } from 'react';
import { Button, Notice, Spinner } from '../../ui';
import styles from './settings.module.css';

/** Beside the page, written by the build (scripts/vite-third-party.ts): no part of the window's own code, and read when asked for. */
const TEXTS = '/third-party.js';

type Texts = { state: 'closed' | 'loading' | 'missing' } | { state: 'open'; text: string };

/** The licences of what others wrote and the app holds. */
export function ThirdParty() {
  const [texts, setTexts] = useState<Texts>({ state: 'closed' });
  async function open(): Promise<void> {
    setTexts({ state: 'loading' });
    try {
      const { default: text } = (await import(/* @vite-ignore */ TEXTS)) as { default: string };
      setTexts({ state: 'open', text });
    } catch {
      setTexts({ state: 'missing' });
    }
  }
  if (texts.state === 'open') {
    return (
      <section className={styles.licences} aria-label="Third-party licences" tabIndex={0}>
        {texts.text}
      </section>
    );
  }
  if (texts.state === 'loading') return <Spinner label="Loading licences" size={18} />;
  return (
    <>
      {texts.state === 'missing' && (
        <Notice level="warning" title="The licences are not in this build">
          Development builds don’t include them. An installed app has them in the file THIRD-PARTY.txt.
        </Notice>
      )}
      <Button onClick={() => void open()}>Show licences</Button>
    </>
  );
}
