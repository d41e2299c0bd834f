import { type InputHTMLAttributes, type ReactNode, type Ref, type TextareaHTMLAttributes, useId } from 'react';
import { DropdownMenu as RadixMenu, Switch as RadixSwitch } from 'radix-ui';
import { Check, ChevronDown } from 'lucide-react';
import { cx } from './cx';
import styles from './field.module.css';
import overlay from './overlay.module.css';

interface InputProps extends InputHTMLAttributes<HTMLInputElement> {
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

interface FieldProps {
  label: string;
  hint?: ReactNode;
  /** Replaces the hint; says what is wrong and what is allowed. */
  error?: string;
  /** Below the hint: what was set holds otherwise than it says. */
  warning?: string;
  /** Label left, control right: the settings row. */
  row?: boolean;
  children: (control: FieldControl) => ReactNode;
}

/** A labelled control with its hint or its error. */
export function Field({ label, hint, error, warning, row, children }: FieldProps) {
  const id = useId();
  const noteId = `${id}-note`;
  const control: FieldControl = { id };
  if (hint || error || warning) control['aria-describedby'] = noteId;
  if (error) control['aria-invalid'] = true;
  return (
    <div className={cx(styles.field, row && styles.row)}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      <div className={styles.control}>{children(control)}</div>
      {(error || hint || warning) && (
        <div id={noteId} className={error ? styles.error : styles.hint} role={error ? 'alert' : undefined}>
          {error ?? hint}
          {!error && warning && (
            <p role="status" className={styles.warning}>
              {warning}
            </p>
          )}
        </div>
      )}
    </div>
  );
}

interface SwitchProps {
  checked: boolean;
  onChange: (checked: boolean) => void;
  id?: string;
  /** Accessible name where no `Field` gives one. */
  label?: string;
  disabled?: boolean;
  'aria-describedby'?: string;
}

/** On or off, with effect at once. */
export function Switch({ checked, onChange, label, ...rest }: SwitchProps) {
  return (
    <RadixSwitch.Root
      className={styles.switch}
      checked={checked}
      onCheckedChange={onChange}
      aria-label={label}
      {...rest}
    >
      <RadixSwitch.Thumb className={styles.thumb} />
    </RadixSwitch.Root>
  );
}

interface SelectOption {
  value: string;
  label: string;
  hint?: string;
  disabled?: boolean;
}

interface SelectProps {
  value: string;
  options: readonly SelectOption[];
  onChange: (value: string) => void;
  /** The accessible name; the trigger shows the chosen option. */
  label: string;
  disabled?: boolean;
  /** A quiet trigger has no frame. */
  quiet?: boolean;
  className?: string;
  /** Shown when no option has the value. */
  placeholder?: string;
}

/**
 * One of several values. A radio menu, not Radix's Select: that one sets `innerHTML` of a `<style>`, which the page's
 * Trusted Types rule refuses (docs/decisions/0011).
 */
export function Select({ value, options, onChange, label, disabled, quiet, className, placeholder }: SelectProps) {
  const chosen = options.find((option) => option.value === value)?.label ?? placeholder ?? value;
  return (
    <RadixMenu.Root>
      <RadixMenu.Trigger
        className={cx(styles.select, quiet && styles.quiet, className)}
        disabled={disabled}
        aria-label={`${label}: ${chosen}`}
      >
        <span className={styles.selectText}>{chosen}</span>
        <ChevronDown size={13} />
      </RadixMenu.Trigger>
      <RadixMenu.Portal>
        <RadixMenu.Content className={overlay.menu} align="start" sideOffset={4} collisionPadding={8}>
          <RadixMenu.RadioGroup value={value} onValueChange={onChange}>
            {options.map((option) => (
              <RadixMenu.RadioItem
                key={option.value}
                value={option.value}
                disabled={option.disabled}
                className={overlay.item}
                textValue={option.label}
              >
                <span className={overlay.check}>{option.value === value && <Check size={14} />}</span>
                <span className={overlay.itemText}>{option.label}</span>
                {option.hint && <span className={overlay.hint}>{option.hint}</span>}
              </RadixMenu.RadioItem>
            ))}
          </RadixMenu.RadioGroup>
        </RadixMenu.Content>
      </RadixMenu.Portal>
    </RadixMenu.Root>
  );
}
