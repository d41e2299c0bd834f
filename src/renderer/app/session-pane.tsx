import { useEffect, useRef } from 'react';
import { Button, EmptyState, Spinner } from '../ui';
import { useApp, useLive, useView } from '../state/hooks';
import type { OpenSession } from '../state/open-session';
import { BranchDialogs } from '../features/branches';
import { CompactButton, CompactSheet, ReviewDialog } from '../features/compaction';
import { Composer } from '../features/composer/composer';
import { ContextMeter } from '../features/context-meter/context-meter';
import { DamageNotice } from '../features/notices/session-notices';
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
  // The person can type from here on: the start bench reads this mark (quality.md P15).
  useEffect(() => void performance.mark('composer-ready'), []);
  return (
    <BesideGraph session={session}>
      <SessionBar sessionId={sessionId} />
      <Body session={session} transcript={transcript} />
      <div className={styles.lower}>
        <Composer session={session}>
          <div className={styles.meterRow}>
            <ContextMeter session={session} onJump={(entryId) => transcript.current?.jumpTo(entryId)} />
            <CompactButton session={session} />
          </div>
        </Composer>
      </div>
      <CompactSheet session={session} />
      <ReviewDialog session={session} />
      <BranchDialogs session={session} />
    </BesideGraph>
  );
}

function Body({ session, transcript }: { session: OpenSession; transcript: React.RefObject<TranscriptHandle | null> }) {
  const status = useView(session, (view) => view.status);
  const problem = useView(session, (view) => view.problem);
  const streaming = useLive(session, (live) => live.reply !== null);
  const blank = useView(
    session,
    (view) => view.rows.length === 0 && view.pending.length === 0 && view.failure === null,
  );
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
          actions={<Button onClick={() => void session.refresh()}>Try again</Button>}
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
