import type { KeyboardEvent, ReactNode, Ref } from 'react';
import { Search } from 'lucide-react';
import type { Asked } from '@shared/search/types';
import { readQuery } from '@shared/search/words';
import { cx, Tooltip } from '../../ui';
import styles from './search.module.css';

interface QueryFieldProps {
  asked: Asked;
  label: string;
  onAsk: (asked: Asked) => void;
  onKeyDown: (event: KeyboardEvent<HTMLInputElement>) => void;
  /** Attributes of the field where its answers are a list. */
  list?: { ids: string; at: string | undefined };
  /** Behind the switches. */
  end?: ReactNode;
  className?: string;
  inputRef?: Ref<HTMLInputElement>;
}

/** What is looked for, and how: letters as typed, words as a phrase. */
export function QueryField({ asked, label, onAsk, onKeyDown, list, end, className, inputRef }: QueryFieldProps) {
  return (
    <div className={cx(styles.query, className)}>
      <Search size={13} aria-hidden />
      <input
        ref={inputRef}
        type="text"
        aria-label={label}
        placeholder={label}
        maxLength={500}
        spellCheck={false}
        autoComplete="off"
        value={asked.query}
        onChange={(event) => onAsk({ ...asked, query: event.target.value })}
        onKeyDown={onKeyDown}
        {...(list
          ? {
              ...{
                role: 'combobox',
                'aria-haspopup': 'tree' as const,
                'aria-expanded': list.ids !== '',
                'aria-controls': list.ids || undefined,
                'data-search-field': true,
              },
              'aria-activedescendant': list.at,
            }
          : { 'data-find-field': true })}
      />
      <Toggle
        label="Match case"
        isOn={asked.matchCase}
        onToggle={() => onAsk({ ...asked, matchCase: !asked.matchCase })}
      >
        Aa
      </Toggle>
      <Toggle label="Exact phrase" isOn={asked.exact} onToggle={() => onAsk({ ...asked, exact: !asked.exact })}>
        “ ”
      </Toggle>
      {end}
    </div>
  );
}

interface ToggleProps {
  label: string;
  isOn: boolean;
  onToggle: () => void;
  children: ReactNode;
}

function Toggle({ label, isOn, onToggle, children }: ToggleProps) {
  return (
    <Tooltip text={label}>
      <button type="button" className={styles.toggle} aria-label={label} aria-pressed={isOn} onClick={onToggle}>
        {children}
      </button>
    </Tooltip>
  );
}

/** A letter that is no word by itself: alone it finds nothing but itself (SE2). */
const ONE_LETTER = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}]$/u;

/** Why a question finds nothing, and what could be asked; null: there is just nothing like it. */
export function whyNone(asked: Asked): string | null {
  const text = asked.query.trim().normalize('NFC');
  if (text === '') return null;
  if (!readQuery(text, asked)) return 'Only letters and digits are searched';
  return ONE_LETTER.test(text) ? 'Type at least two letters' : null;
}
