import { Switch as RadixSwitch } from 'radix-ui';
import styles from './field.module.css';

export interface SwitchProps {
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
