import type { ReactNode } from 'react';
import { escapeInvisible } from '@shared/policy/url';
import { Button, ErrorBoundary, type Fault } from '../../ui';
import { useApp } from '../../state/hooks';
import { ReportButton } from '../faults/report-button';
import { plural } from '../../state/format';
import styles from '../faults/faults.module.css';

/** Characters of a source that are shown; Copy gives all of it. */
const MOST_SHOWN = 4_000;

interface RowBoundaryProps {
  /** What the row is drawn from: another of these deserves another try. */
  inputs: readonly unknown[];
  /** What it is made of, for the text that stands in its place. */
  source: () => readonly unknown[];
  children: ReactNode;
}

/** Keeps a failure to its row: what it was made of is shown as text. */
export function RowBoundary({ inputs, source, children }: RowBoundaryProps) {
  const { reportFault } = useApp();
  return (
    <ErrorBoundary
      inputs={inputs}
      onFault={(error, stack) => reportFault('A row', error, stack)}
      fallback={(fault) => <RowFault source={source} fault={fault} />}
    >
      {children}
    </ErrorBoundary>
  );
}

function RowFault({ source, fault }: { source: () => readonly unknown[]; fault: Fault }) {
  const app = useApp();
  const text = source().map(asText).join('\n');
  const left = text.length - MOST_SHOWN;
  const copy = (): void =>
    void navigator.clipboard.writeText(text).then(
      () => app.toast({ level: 'success', text: 'Copied.' }),
      () => app.toast({ level: 'error', text: 'It could not be copied.' }),
    );
  return (
    <div className={styles.row} role="group" aria-label="This could not be drawn" data-fault>
      <div className={styles.rowHead}>
        <span>This could not be drawn. It is saved unchanged.</span>
        <Button size="small" onClick={copy}>
          Copy
        </Button>
        <ReportButton where="A row" error={fault.error} />
      </div>
      <pre className={styles.source} tabIndex={0} aria-label="Source">
        {escapeLines(text.slice(0, MOST_SHOWN))}
        {left > 0 && `\n… ${plural(left, 'more character')}`}
      </pre>
    </div>
  );
}

/** Never throws. */
function asText(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2) ?? String(value);
  } catch {
    return '(no text can be made of it)';
  }
}

function escapeLines(text: string): string {
  return text.split('\n').map(escapeInvisible).join('\n');
}
