import { useState, type ReactNode } from 'react';
import { Button, ErrorBoundary, type Fault } from '../../ui';
import type { App } from '../../state/app-type';
import { describeFault } from '../../state/failures';
import styles from './faults.module.css';

/** The last line: where even the panes' own boundaries fail, a person still gets at their sessions. */
export function RootBoundary({ app, children }: { app: App; children: ReactNode }) {
  return (
    <ErrorBoundary
      inputs={[]}
      onFault={(error, stack) => {
        app.reportFault('The window', error, stack);
        const sessionId = app.sessions.getState().activeId;
        if (sessionId !== null) app.client.request('app.drawing', { sessionId, state: 'blank' }).catch(() => undefined);
      }}
      fallback={(fault) => <RootFault app={app} fault={fault} />}
    >
      {children}
    </ErrorBoundary>
  );
}

/** Made of nothing that could fail a second time: no context, no icons, no stores but what a press reads. */
function RootFault({ app, fault }: { app: App; fault: Fault }) {
  const [said, setSaid] = useState('');
  const { activeId } = app.sessions.getState();
  const attempt = (task: () => Promise<string | null>): void => {
    task().then(
      (text) => text !== null && setSaid(text),
      (cause: unknown) => setSaid(cause instanceof Error ? cause.message : 'That didn’t work.'),
    );
  };
  const openSafely = (sessionId: string): void => {
    app.openSafely(sessionId);
    fault.retry();
  };
  const exportIt = async (sessionId: string): Promise<string | null> => {
    const { path } = await app.client.request('sessions.export', { sessionId, as: 'original' });
    return path && `Saved as ${path}.`;
  };
  const copy = async (): Promise<string> => {
    await navigator.clipboard.writeText(describeFault('the window', fault.error, app.settings.getState().version));
    return 'A bug report was copied to the clipboard. Read it before you send it: it can quote your session.';
  };
  return (
    <main className={styles.root} role="alert">
      <h1>The window could not be shown</h1>
      <p>
        Your sessions are safe: another process keeps them, and running answers continue. If this happens again after a
        reload, open the session safely to see it as plain text.
      </p>
      <div className={styles.actions}>
        <Button tone="primary" onClick={() => window.location.reload()}>
          Reload
        </Button>
        {activeId !== null && (
          <>
            <Button onClick={() => openSafely(activeId)}>Open the session safely</Button>
            <Button onClick={() => attempt(() => exportIt(activeId))}>Export the session…</Button>
          </>
        )}
        <Button onClick={() => attempt(copy)}>Report</Button>
      </div>
      <p role="status">{said}</p>
    </main>
  );
}
