import type { ReactNode } from 'react';
import { CornerDownRight } from 'lucide-react';
import { useMarkdownEnvironment } from './environment';
import { REFERENCE } from './references';
import styles from './markdown.module.css';

/** Digits of a long id that are shown. */
const SHOWN = 8;

/** Text with its references to messages as chips; `show` draws what is between them. */
export function withReferences(text: string, show: (text: string) => ReactNode): ReactNode {
  if (!text.includes('[entry:')) return show(text);
  const parts = text.split(REFERENCE);
  if (parts.length === 1) return show(text);
  // Split by one group: text and id in turn.
  return parts.map((part, index) => (index % 2 === 0 ? show(part) : <EntryChip key={index} id={part} />));
}

function EntryChip({ id }: { id: string }) {
  const { openEntry } = useMarkdownEnvironment();
  if (!openEntry) return `[entry:${id}]`;
  return (
    <button
      type="button"
      className={styles.entry}
      title="Go to this message"
      data-markdown={`[entry:${id}]`}
      onClick={() => openEntry(id)}
    >
      <CornerDownRight size={11} aria-hidden />
      <span>message {id.slice(0, SHOWN)}</span>
    </button>
  );
}
