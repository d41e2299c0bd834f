import { type ReactNode, useEffect, useEffectEvent } from 'react';
import { describeFault } from '../../state/failures';
import { useApp } from '../../state/hooks';
import { Button, ErrorBoundary, type Fault, Notice } from '../../ui';
import styles from './faults.module.css';

/** Puts a description of the failure on the clipboard; the log of the app has it already. */
export function ReportButton({ where, error }: { where: string; error: unknown }) {
  const app = useApp();
  const report = async (): Promise<void> => {
    const text = describeFault(where, error, app.settings.getState().version);
    try {
      await navigator.clipboard.writeText(text);
      app.toast({
        level: 'success',
        text: 'A bug report was copied to the clipboard. Read it before you send it: it can quote your session.',
      });
    } catch {
      app.toast({
        level: 'error',
        text: 'The bug report couldn’t be copied. You can find it in the log (Settings, Data).',
      });
    }
  };
  return (
    <Button size="small" onClick={() => void report()}>
      Report
    </Button>
  );
}

interface PaneBoundaryProps {
  /** As a sentence begins: “The composer”. */
  name: string;
  /** What the pane is drawn from, as far as another of it deserves another try. */
  inputs?: readonly unknown[];
  children: ReactNode;
}

const NOTHING: readonly unknown[] = [];

/** Keeps a failure to one pane of the window. */
export function PaneBoundary({ name, inputs = NOTHING, children }: PaneBoundaryProps) {
  const { reportFault } = useApp();
  return (
    <ErrorBoundary
      inputs={inputs}
      onFault={(error, stack) => reportFault(name, error, stack)}
      fallback={(fault) => <PaneFault name={name} fault={fault} />}
    >
      {children}
    </ErrorBoundary>
  );
}

function PaneFault({ name, fault }: { name: string; fault: Fault }) {
  return (
    <div className={styles.pane}>
      <Notice
        level="error"
        title={`${name} could not be shown`}
        actions={
          <>
            <Button size="small" onClick={fault.retry}>
              Try again
            </Button>
            <ReportButton where={name} error={fault.error} />
          </>
        }
      >
        The rest of the window still works, and your sessions are unchanged.
      </Notice>
    </div>
  );
}

/** The same for a dialog: it is closed, and why is said beside the page. */
export function DialogBoundary({
  name,
  inputs = NOTHING,
  onClose,
  children,
}: PaneBoundaryProps & { onClose: () => void }) {
  const { reportFault } = useApp();
  return (
    <ErrorBoundary
      inputs={inputs}
      onFault={(error, stack) => reportFault(name, error, stack)}
      fallback={() => <DialogFault name={name} onClose={onClose} />}
    >
      {children}
    </ErrorBoundary>
  );
}

function DialogFault({ name, onClose }: { name: string; onClose: () => void }) {
  const app = useApp();
  const close = useEffectEvent(() => {
    app.toast({ level: 'error', text: `${name} could not be shown and was closed. Nothing was changed.` });
    onClose();
  });
  useEffect(() => close(), []);
  return null;
}
