import { useId } from 'react';
import type { InputHTMLAttributes, ReactNode, Ref, TextareaHTMLAttributes } from 'react';
import { cx } from './cx';
import styles from './field.module.css';

export interface InputProps extends InputHTMLAttributes<HTMLInputElement> {
  invalid?: boolean;
  /** An icon inside, at the left. */
  lead?: ReactNode;
  /** A key hint or button inside, at the right. */
  end?: ReactNode;
  ref?: Ref<HTMLInputElement>;
}

/** A line of text. Give it a label: a `Field` around it, or `aria-label`. */
export function Input({ invalid, lead, end, className, type = 'text', ...rest }: InputProps) {
  const input = (
    <input
      type={type}
      aria-invalid={invalid || undefined}
      className={cx(styles.input, Boolean(lead) && styles.withLead, Boolean(end) && styles.withEnd, className)}
      {...rest}
    />
  );
  if (!lead && !end) return input;
  return (
    <div className={styles.wrap}>
      {lead && <span className={styles.lead}>{lead}</span>}
      {input}
      {end && <span className={styles.end}>{end}</span>}
    </div>
  );
}

export interface TextAreaProps extends TextareaHTMLAttributes<HTMLTextAreaElement> {
  invalid?: boolean;
  ref?: Ref<HTMLTextAreaElement>;
}

/** Several lines of text. */
export function TextArea({ invalid, className, ...rest }: TextAreaProps) {
  return (
    <textarea dir="auto" aria-invalid={invalid || undefined} className={cx(styles.textarea, className)} {...rest} />
  );
}

/** What a control inside a `Field` spreads on itself, so that its label, hint and error are read with it. */
export interface FieldControl {
  id: string;
  'aria-describedby'?: string;
  'aria-invalid'?: true;
}

export interface FieldProps {
  label: string;
  hint?: ReactNode;
  /** Replaces the hint; says what is wrong and what is allowed. */
  error?: string;
  /** Label left, control right: the settings row. */
  row?: boolean;
  children: (control: FieldControl) => ReactNode;
}

/** A labelled control with its hint or its error. */
export function Field({ label, hint, error, row, children }: FieldProps) {
  const id = useId();
  const noteId = `${id}-note`;
  const control: FieldControl = { id };
  if (hint || error) control['aria-describedby'] = noteId;
  if (error) control['aria-invalid'] = true;
  return (
    <div className={cx(styles.field, row && styles.row)}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      <div className={styles.control}>{children(control)}</div>
      {(error || hint) && (
        <div id={noteId} className={error ? styles.error : styles.hint} role={error ? 'alert' : undefined}>
          {error ?? hint}
        </div>
      )}
    </div>
  );
}
