import { Check, ChevronDown } from 'lucide-react';
import { DropdownMenu as RadixMenu } from 'radix-ui';
import { cx } from './cx';
import overlay from './overlay.module.css';
import styles from './field.module.css';

interface SelectOption {
  value: string;
  label: string;
  hint?: string;
  disabled?: boolean;
}

export interface SelectProps {
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
