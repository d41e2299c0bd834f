import type { ReactNode } from 'react';
import { Tabs as RadixTabs } from 'radix-ui';
import { cx } from './cx';
import styles from './small.module.css';

export interface TabItem {
  value: string;
  label: string;
  icon?: ReactNode;
  content: ReactNode;
}

export interface TabsProps {
  items: readonly TabItem[];
  value: string;
  onChange: (value: string) => void;
  /** Accessible name of the list of tabs. */
  label: string;
  orientation?: 'horizontal' | 'vertical';
  className?: string;
}

/** Views of one thing, one at a time; arrows move between tabs. */
export function Tabs({ items, value, onChange, label, orientation = 'horizontal', className }: TabsProps) {
  return (
    <RadixTabs.Root
      className={cx(styles.tabs, className)}
      value={value}
      onValueChange={onChange}
      orientation={orientation}
    >
      <RadixTabs.List className={styles.tabList} aria-label={label}>
        {items.map((item) => (
          <RadixTabs.Trigger key={item.value} value={item.value} className={styles.tab}>
            {item.icon}
            {item.label}
          </RadixTabs.Trigger>
        ))}
      </RadixTabs.List>
      {items.map((item) => (
        <RadixTabs.Content key={item.value} value={item.value} className={styles.panel}>
          {item.content}
        </RadixTabs.Content>
      ))}
    </RadixTabs.Root>
  );
}
