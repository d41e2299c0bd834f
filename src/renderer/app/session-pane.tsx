import { useEffect, type ReactNode } from 'react';
import { useStore } from 'zustand';
import { Button, EmptyState, Spinner } from '../ui';
import { ActionButton } from '../parts/action-button';
import { SessionContext, useApp, useLive, useSession, useSummary, useUi, useView } from '../state/hooks';
import { useFolderWatch } from '../state/folder-status';
import { BranchDialogs } from '../features/branches';
import { CompactButton, CompactSheet } from '../features/compaction';
import { ReviewDialog } from '../features/review/review-dialog';
import { Composer } from '../features/composer/composer';
import { ContextMeter } from '../features/context-meter/context-meter';
import { DamageNotice } from '../features/notices/session-notices';
import { DialogBoundary, PaneBoundary } from '../features/faults/pane-boundary';
import { useRest } from '../features/safe/use-rest';
import { Welcome } from '../features/onboarding/welcome';
import { TourGuide } from '../features/tour/tour-guide';
import { TourLine } from '../features/tour/tour-line';
import { FindBar } from '../features/search/find-bar';
import { FoundMarks } from '../features/search/found-marks';
import { BesideGraph } from './beside-graph';
import { SessionBar } from './session-bar';
import { TranscriptPane } from './transcript-pane';
import styles from './app.module.css';

/** One session: its bar, its transcript or welcome, the composer with the meter. */
export function SessionPane({ sessionId }: { sessionId: string }) {
  const session = useApp().openSession(sessionId);
  useRest(session);
  // The person can type from here on: the start bench reads this mark (QP15).
  useEffect(() => void performance.mark('composer-ready'), []);
  useFolderWatch(sessionId);
  return (
    <SessionContext value={session}>
      <BesideGraph>
        <BarBoundary sessionId={sessionId}>
          <SessionBar sessionId={sessionId} />
        </BarBoundary>
        <FindBar />
        <FoundMarks />
        <TranscriptBoundary>
          <Body />
        </TranscriptBoundary>
        <div className={styles.lower}>
          <ComposerBoundary>
            <Composer above={<TourLine />}>
              <MeterBoundary>
                <div className={styles.meterRow}>
                  <ContextMeter />
                  <CompactButton />
                </div>
              </MeterBoundary>
            </Composer>
          </ComposerBoundary>
        </div>
        <SessionDialogs />
        <TourGuide />
      </BesideGraph>
    </SessionContext>
  );
}

// Boundaries that follow what their pane is drawn from: another of it gives one that failed another try. Each listens for
// itself, so that a key in the composer draws no other pane again.

interface BoundaryProps {
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

function TranscriptBoundary({ children }: BoundaryProps) {
  const session = useSession();
  const inputs = [useView(session, (view) => view.rows), useView(session, (view) => view.status)];
  return (
    <PaneBoundary name="The transcript" inputs={inputs}>
      {children}
    </PaneBoundary>
  );
}

function ComposerBoundary({ children }: BoundaryProps) {
  const session = useSession();
  const inputs = [useStore(session.draft.state), useLive(session, (live) => live.queue)];
  return (
    <PaneBoundary name="The composer" inputs={inputs}>
      {children}
    </PaneBoundary>
  );
}

function MeterBoundary({ children }: BoundaryProps) {
  const session = useSession();
  const inputs = [useLive(session, (live) => live.usage)];
  return (
    <PaneBoundary name="The context meter" inputs={inputs}>
      {children}
    </PaneBoundary>
  );
}

function SessionDialogs() {
  const session = useSession();
  const app = useApp();
  const sheet = useUi((ui) => ui.compactSheet);
  const branchDialog = useUi((ui) => ui.branchDialog);
  const job = useLive(session, (live) => live.job);
  return (
    <>
      <DialogBoundary name="The Compact sheet" inputs={[sheet]} onClose={() => app.ui.setState({ compactSheet: null })}>
        <CompactSheet />
      </DialogBoundary>
      <DialogBoundary name="The review" inputs={[job]} onClose={() => undefined}>
        <ReviewDialog />
      </DialogBoundary>
      <DialogBoundary
        name="The dialog about branches"
        inputs={[branchDialog]}
        onClose={() => app.ui.setState({ branchDialog: null })}
      >
        <BranchDialogs />
      </DialogBoundary>
    </>
  );
}

function Body() {
  const session = useSession();
  const status = useView(session, (view) => view.status);
  const problem = useView(session, (view) => view.problem);
  const streaming = useLive(session, (live) => live.reply !== null);
  const failed = useLive(session, (live) => live.failure !== null);
  const blank = useView(session, (view) => view.rows.length === 0 && view.pending.length === 0) && !failed;
  if (status === 'loading') {
    return (
      <div className={styles.waiting}>
        <Spinner label="Opening session" size={18} />
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
              <ActionButton id="session.showFile" target={session} />
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
        <DamageNotice />
        <Welcome />
      </div>
    );
  }
  return <TranscriptPane />;
}
