import { type FieldControl, Input, TextArea } from '../../ui';
import styles from './settings.module.css';
import { type Taken, useDraft } from './use-setting';

/** The number that a text is, null if it is empty; what is not a number stays a text and is refused with its bound. */
export function toNumber(text: string): number | string | null {
  const plain = text.replace(/[\s,_]/g, '');
  if (plain === '') return null;
  return /^-?\d{1,15}(\.\d+)?$/.test(plain) ? Number(plain) : text;
}

/** The lines that hold anything. */
export function toLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
}

interface TypedProps<T> {
  control: Partial<FieldControl> & { 'aria-label'?: string };
  value: T;
  onTake: (value: unknown) => Taken;
  placeholder?: string;
}

/** One line of text. */
export function TextField({ control, value, onTake, placeholder, code }: TypedProps<string> & { code?: boolean }) {
  const draft = useDraft(value, onTake);
  return (
    <Input
      {...control}
      className={code ? styles.address : styles.text}
      spellCheck={false}
      invalid={control['aria-invalid']}
      placeholder={placeholder}
      value={draft.value}
      onFocus={draft.onFocus}
      onBlur={draft.onBlur}
      onChange={(event) => draft.onChange(event.target.value)}
      onKeyDown={(event) => event.key === 'Enter' && draft.onEnter()}
    />
  );
}

/** A whole number, with or without separators; empty is null, which the setting may refuse. */
export function NumberField({ control, value, onTake, placeholder }: TypedProps<number | null>) {
  const draft = useDraft(value === null ? '' : value.toLocaleString('en'), (text) => onTake(toNumber(text)));
  return (
    <Input
      {...control}
      className={styles.numeric}
      inputMode="numeric"
      autoComplete="off"
      invalid={control['aria-invalid']}
      placeholder={placeholder}
      value={draft.value}
      onFocus={draft.onFocus}
      onBlur={draft.onBlur}
      onChange={(event) => draft.onChange(event.target.value)}
      onKeyDown={(event) => event.key === 'Enter' && draft.onEnter()}
    />
  );
}

/** Texts, one a line. */
export function ListField({ control, value, onTake }: TypedProps<readonly string[]>) {
  const draft = useDraft(value.join('\n'), (text) => onTake(toLines(text)));
  return (
    <TextArea
      {...control}
      className={styles.list}
      rows={Math.min(6, Math.max(2, value.length + 1))}
      spellCheck={false}
      value={draft.value}
      onFocus={draft.onFocus}
      onBlur={draft.onBlur}
      onChange={(event) => draft.onChange(event.target.value)}
    />
  );
}
