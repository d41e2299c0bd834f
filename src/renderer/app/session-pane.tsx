import { useEffect, useRef, type ReactNode } from 'react';
import { useStore } from 'zustand';
import { Button, EmptyState, Spinner } from '../ui';
import { useApp, useLive, useSummary, useUi, useView } from '../state/hooks';
import type { OpenSession } from '../state/open-session';
import { useFolderWatch } from '../state/folder-status';
import { showSessionFile } from '../state/session-actions';
import { BranchDialogs } from '../features/branches';
import { CompactButton, CompactSheet, ReviewDialog } from '../features/compaction';
import { Composer } from '../features/composer/composer';
import { ContextMeter } from '../features/context-meter/context-meter';
import { DamageNotice } from '../features/notices/session-notices';
import { DialogBoundary, PaneBoundary } from '../features/faults/pane-boundary';
import { useRest } from '../features/safe/use-rest';
import { Welcome } from '../features/onboarding/welcome';
import { BesideGraph } from './beside-graph';
import { SessionBar } from './session-bar';
import type { TranscriptHandle } from '../features/transcript';
import { TranscriptPane } from './transcript-pane';
import styles from './app.module.css';

/** One session: its bar, its transcript or welcome, the composer with the meter. */
export function SessionPane({ sessionId }: { sessionId: string }) {
  const session = useApp().openSession(sessionId);
  const transcript = useRef<TranscriptHandle>(null);
  useRest(session);
  // The person can type from here on: the start bench reads this mark (QP15).
  useEffect(() => void performance.mark('composer-ready'), []);
  useFolderWatch(sessionId);
  return (
    <BesideGraph session={session}>
      <BarBoundary sessionId={sessionId}>
        <SessionBar sessionId={sessionId} />
      </BarBoundary>
      <TranscriptBoundary session={session}>
        <Body session={session} transcript={transcript} />
      </TranscriptBoundary>
      <div className={styles.lower}>
        <ComposerBoundary session={session}>
          <Composer session={session}>
            <MeterBoundary session={session}>
              <div className={styles.meterRow}>
                <ContextMeter session={session} onJump={(entryId) => transcript.current?.jumpTo(entryId)} />
                <CompactButton session={session} />
              </div>
            </MeterBoundary>
          </Composer>
        </ComposerBoundary>
      </div>
      <SessionDialogs session={session} />
    </BesideGraph>
  );
}

// Boundaries that follow what their pane is drawn from: another of it gives one that failed another try. Each listens for
// itself, so that a key in the composer draws no other pane anew.

interface BoundaryProps {
  session: OpenSession;
  children: ReactNode;
}

function BarBoundary({ sessionId, children }: { sessionId: string; children: ReactNode }) {
  const inputs = [useSummary(sessionId)];
  return (
    <PaneBoundary name="The bar of the session" inputs={inputs}>
      {children}
    </PaneBoundary>
  );
}

function TranscriptBoundary({ session, children }: BoundaryProps) {
  const inputs = [useView(session, (view) => view.rows), useView(session, (view) => view.status)];
  return (
    <PaneBoundary name="The transcript" inputs={inputs}>
      {children}
    </PaneBoundary>
  );
}

function ComposerBoundary({ session, children }: BoundaryProps) {
  const inputs = [useStore(session.draft.state), useLive(session, (live) => live.queue)];
  return (
    <PaneBoundary name="The composer" inputs={inputs}>
      {children}
    </PaneBoundary>
  );
}

function MeterBoundary({ session, children }: BoundaryProps) {
  const inputs = [useLive(session, (live) => live.usage)];
  return (
    <PaneBoundary name="The context meter" inputs={inputs}>
      {children}
    </PaneBoundary>
  );
}

function SessionDialogs({ session }: { session: OpenSession }) {
  const app = useApp();
  const sheet = useUi((ui) => ui.compactSheet);
  const branchDialog = useUi((ui) => ui.branchDialog);
  const compaction = useLive(session, (live) => live.compaction);
  return (
    <>
      <DialogBoundary name="The Compact sheet" inputs={[sheet]} onClose={() => app.ui.setState({ compactSheet: null })}>
        <CompactSheet session={session} />
      </DialogBoundary>
      <DialogBoundary name="The review" inputs={[compaction]} onClose={() => undefined}>
        <ReviewDialog session={session} />
      </DialogBoundary>
      <DialogBoundary
        name="The dialog about branches"
        inputs={[branchDialog]}
        onClose={() => app.ui.setState({ branchDialog: null })}
      >
        <BranchDialogs session={session} />
      </DialogBoundary>
    </>
  );
}

function Body({ session, transcript }: { session: OpenSession; transcript: React.RefObject<TranscriptHandle | null> }) {
  const app = useApp();
  const status = useView(session, (view) => view.status);
  const problem = useView(session, (view) => view.problem);
  const streaming = useLive(session, (live) => live.reply !== null);
  const failed = useLive(session, (live) => live.failure !== null);
  const blank = useView(session, (view) => view.rows.length === 0 && view.pending.length === 0) && !failed;
  if (status === 'loading') {
    return (
      <div className={styles.waiting}>
        <Spinner label="Opening the session" size={18} />
      </div>
    );
  }
  if (status === 'failed') {
    return (
      <div className={styles.waiting}>
        <EmptyState
          title="This session could not be opened"
          actions={
            <>
              <Button onClick={() => void session.refresh()}>Try again</Button>
              <Button onClick={() => void showSessionFile(app, session.id)}>Show in folder</Button>
            </>
          }
        >
          {problem}
        </EmptyState>
      </div>
    );
  }
  if (blank && !streaming) {
    return (
      <div className={styles.blank} data-pane="transcript">
        <DamageNotice session={session} />
        <Welcome session={session} />
      </div>
    );
  }
  return <TranscriptPane session={session} ref={transcript} />;
}
