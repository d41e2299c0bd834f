import { useEffect, useRef } from 'react';
import { cx } from '../../ui';
import type { CompletionChoice } from './use-completion';
import styles from './composer.module.css';

interface CompletionListProps {
  id: string;
  label: string;
  choices: readonly CompletionChoice[];
  selected: number;
  onHover: (index: number) => void;
  onChoose: (choice: CompletionChoice) => void;
}

/** The list above the composer; the text field keeps the focus and points at the selected row. */
export function CompletionList({ id, label, choices, selected, onHover, onChoose }: CompletionListProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[selected]?.scrollIntoView({ block: 'nearest' });
  }, [selected]);
  return (
    <div ref={list} id={id} role="listbox" aria-label={label} className={styles.completions}>
      {choices.map((choice, index) => (
        <div
          key={choice.id}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === selected}
          className={cx(styles.completion, index === selected && styles.selected)}
          onPointerMove={() => onHover(index)}
          // Pressing must not take the focus from the text field.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onChoose(choice)}
        >
          <code>{choice.label}</code>
          <span>{choice.hint}</span>
        </div>
      ))}
    </div>
  );
}
