import { useEffect } from 'react';
import type { ApprovalView } from '@shared/policy/approval';
import { ApprovalCard } from '../features/approvals/approval-card';
import { watchComposer } from '../features/approvals/composer-keys';
import { watchLateKeys } from '../features/approvals/late-keys';
import { WaitingBar } from '../features/approvals/waiting-bar';
import { WholeText } from '../features/approvals/whole-text';
import { CompactionQuestions } from '../features/compaction/compaction-questions';
import { DamageNotice, hasSessionNotice, SessionNotices } from '../features/notices/session-notices';
import { OutputDialog } from '../features/output/output-dialog';
import { Transcript, type QuestionPlace, type WholeKind } from '../features/transcript';
import { useBusy, useLive, useSession } from '../state/hooks';
import styles from './app.module.css';

/** The transcript of a session with its approvals and notices. */
export function TranscriptPane() {
  const session = useSession();
  const busy = useBusy(session.id);
  const hasNotice = useLive(session, (live) => hasSessionNotice(live, busy));
  useEffect(watchComposer, []);
  // Behind it: a key that does nothing was pressed all the same.
  useEffect(watchLateKeys, []);
  // Older rows follow by themselves once the newest are on screen: the whole path can be scrolled to (EV7).
  useEffect(() => void session.loadOlder(), [session]);
  return (
    <div className={styles.transcript} data-pane="transcript">
      <DamageNotice />
      <Transcript
        renderApproval={renderApproval}
        renderWhole={renderWhole}
        tail={hasNotice ? <SessionNotices /> : null}
      />
      <WaitingBar />
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
