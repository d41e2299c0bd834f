import { type ComponentProps, lazy, type ReactNode, Suspense, useEffect } from 'react';
import { useStore } from 'zustand';
import { FileQuestion } from 'lucide-react';
import { watchComposer, watchLateKeys } from '../features/approvals/keyboard';
import { WaitingBar } from '../features/approvals/waiting-bar';
import { Composer } from '../features/composer/composer';
import { CompactButton, ContextMeter } from '../features/context-meter/context-meter';
import { ExtensionStatuses, ExtensionWidgets } from '../features/extensions/extension-shows';
import { useEditor, useViews } from '../features/extensions/use-views';
import { DialogBoundary, PaneBoundary } from '../features/faults/pane-boundary';
import { RepeatedLine } from '../features/notices/repeated-line';
import { DamageNotice, FailureBar, hasSessionNotice, SessionNotices } from '../features/notices/session-notices';
import { Welcome } from '../features/onboarding/welcome';
import { HeadLine, ReadingBar } from '../features/reading/reading-bar';
import { useRest } from '../features/safe/safe-session';
import { FoundMarks } from '../features/search/found-marks';
import { TourGuide, TourLine } from '../features/tour/tour-guide';
import type { QuestionPlace, WholeKind } from '../features/transcript/context';
import { useStaysWhereRead } from '../features/transcript/shown-path';
import { Transcript } from '../features/transcript/transcript';
import { ActionButton } from '../parts/action-button';
import {
  SessionContext,
  useApp,
  useBusy,
  useFolderWatch,
  useLive,
  useSession,
  useSummary,
  useUi,
  useView,
} from '../state/hooks';
import { shownTitle } from '../state/sessions-store';
import { Button, EmptyState, Spinner } from '../ui';
import styles from './app.module.css';
import {
  ApprovalCard,
  BranchDialogs,
  CompactionQuestions,
  CompactSheet,
  EditorField,
  EditorLine,
  endFirstScreen,
  ExtensionQuestions,
  FindBar,
  OutputDialog,
  QuestionLine,
  ReviewDialog,
  TerminalView,
  WholeText,
} from './later';
import { BesideGraph } from './open-panes';
import { SessionBar, ShowSessions } from './session-bar';
import type { ApprovalView } from '@shared/policy/approval';
import type { SessionSummary } from '@shared/types';

/** The transcript of a session with its approvals and notices. */
function TranscriptPane() {
  const session = useSession();
  const busy = useBusy(session.id);
  const hasNotice = useLive(session, (live) => hasSessionNotice(live, busy));
  useEffect(watchComposer, []);
  // Behind it: a key that does nothing was pressed all the same.
  useEffect(watchLateKeys, []);
  // Older rows follow by themselves once the newest are on screen: the whole path can be scrolled to (EV7).
  useEffect(() => void session.loadOlder(), [session]);
  // Who goes to another session comes back to HEAD (GR12).
  useEffect(() => () => session.reading.leave(), [session]);
  useStaysWhereRead();
  return (
    <div className={styles.transcript} data-pane="transcript">
      <DamageNotice />
      <Transcript
        renderApproval={renderApproval}
        renderWhole={renderWhole}
        tail={hasNotice ? <SessionNotices /> : null}
      />
      <WaitingBar />
      <FailureBar />
      <CompactionQuestions />
      <OutputDialog />
    </div>
  );
}

function renderApproval(request: ApprovalView, place: QuestionPlace) {
  return <ApprovalCard request={request} {...place} />;
}

function renderWhole(text: string, kind: WholeKind) {
  return <WholeText text={text} {...kind} />;
}

/** Not part of the first screen's code (QP16). */
const CompareSheet = lazy(async () => ({
  default: (await import('../features/branches/compare-sheet')).CompareSheet,
}));

/** One session: its bar, its transcript or welcome, the composer with the meter. */
export function SessionPane({ sessionId }: { sessionId: string }) {
  const session = useApp().openSession(sessionId);
  useRest(session);
  // The person can type from here on: the start bench reads this mark (QP15).
  useEffect(() => {
    performance.mark('composer-ready');
    endFirstScreen();
  }, []);
  useFolderWatch(sessionId);
  return (
    <SessionContext value={session}>
      <BesideGraph>
        <BarBoundary sessionId={sessionId}>
          <SessionBar sessionId={sessionId} />
        </BarBoundary>
        <ReadingBar />
        <FindBar />
        <FoundMarks />
        <ExtensionBoundary>
          <ExtensionWidgets placement="header" />
        </ExtensionBoundary>
        <div className={styles.upper} data-upper>
          <TranscriptBoundary>
            <Body />
          </TranscriptBoundary>
          <ViewOver />
        </div>
        <div className={styles.lower}>
          <ComposerBoundary>
            <ComposerOrView
              above={
                <>
                  <TourLine />
                  <HeadLine />
                  <RepeatedLine />
                  <QuestionLine />
                  <EditorLine />
                  <ExtensionBoundary>
                    <ExtensionWidgets placement="above" />
                  </ExtensionBoundary>
                </>
              }
            >
              <ExtensionBoundary>
                <ExtensionWidgets placement="below" />
              </ExtensionBoundary>
              <MeterBoundary>
                <div className={styles.meterRow}>
                  <ContextMeter />
                  <CompactButton />
                </div>
              </MeterBoundary>
              <ExtensionBoundary>
                <ExtensionWidgets placement="footer" />
                <ExtensionStatuses />
              </ExtensionBoundary>
            </ComposerOrView>
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

/** A terminal view of an extension stands in the place of the composer, which keeps what was written (EX24). */
function ComposerOrView(props: ComponentProps<typeof Composer>) {
  const { inline } = useViews();
  const editor = useEditor();
  if (!inline) return <Composer {...props} field={editor && <EditorField key={editor.viewId} editor={editor} />} />;
  return (
    <PaneBoundary name="What an extension shows" inputs={[inline]}>
      <TerminalView key={inline.id} view={inline} isOverlay={false} />
    </PaneBoundary>
  );
}

function ViewOver() {
  const { overlay } = useViews();
  if (!overlay) return null;
  return (
    <PaneBoundary name="What an extension shows" inputs={[overlay]}>
      <TerminalView key={overlay.id} view={overlay} isOverlay />
    </PaneBoundary>
  );
}

/** What an extension shows takes nothing of the composer with it. */
function ExtensionBoundary({ children }: BoundaryProps) {
  const inputs = [useLive(useSession(), (live) => live.extensionShows)];
  return (
    <PaneBoundary name="What an extension shows" inputs={inputs}>
      {children}
    </PaneBoundary>
  );
}

function SessionDialogs() {
  const session = useSession();
  const app = useApp();
  const sheet = useUi((ui) => ui.compactSheet);
  const branchDialog = useUi((ui) => ui.branchDialog);
  const compared = useUi((ui) => ui.compared);
  const job = useLive(session, (live) => live.job);
  const questions = useLive(session, (live) => live.extensionQuestions);
  return (
    <>
      <DialogBoundary name="The question of an extension" inputs={[questions]} onClose={() => undefined}>
        <ExtensionQuestions />
      </DialogBoundary>
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
      <DialogBoundary name="The comparison" inputs={[compared]} onClose={() => app.ui.setState({ compared: null })}>
        {compared?.sessionId === session.id && (
          <Suspense fallback={null}>
            <CompareSheet compared={compared} />
          </Suspense>
        )}
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

/** In place of a session: a file among the session files that is none. */
export function ForeignFile({ file }: { file: SessionSummary }) {
  return (
    <>
      <header className={styles.bar} data-pane="bar">
        <ShowSessions />
        <h1 className={styles.title}>{shownTitle(file)}</h1>
      </header>
      <div className={styles.waiting} data-pane="transcript">
        <EmptyState
          icon={<FileQuestion size={28} aria-hidden />}
          title="This isn’t a session"
          actions={
            <>
              <ActionButton id="session.showFile" target={file} />
              <ActionButton id="session.delete" target={file} />
            </>
          }
        >
          This file is in the sessions folder, but it is {file.foreign}. Espalier left it unchanged. “Remove” moves it
          to the trash for at least 30 days.
        </EmptyState>
      </div>
    </>
  );
}
