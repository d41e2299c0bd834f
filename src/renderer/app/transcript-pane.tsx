import { useImperativeHandle, type Ref } from 'react';
import { useLive, useView } from '../state/hooks';
import type { OpenSession } from '../state/open-session';
import { ApprovalCard } from '../features/approvals/approval-card';
import { SessionNotices } from '../features/notices/session-notices';
import styles from './app.module.css';

export interface TranscriptPaneHandle {
  /** Brings an entry into view. */
  jumpTo(entryId: string): void;
}

/** The transcript of a session with its approvals and notices. */
export function TranscriptPane({ session, ref }: { session: OpenSession; ref: Ref<TranscriptPaneHandle> }) {
  const rows = useView(session, (view) => view.rows);
  const approvals = useView(session, (view) => view.approvals);
  const reply = useLive(session, (live) => live.reply);
  useImperativeHandle(ref, () => ({ jumpTo: () => undefined }), []);
  return (
    <div className={styles.transcript} data-pane="transcript" tabIndex={0} role="log" aria-label="Transcript">
      {rows.map((row) => (
        <pre key={row.id}>{JSON.stringify(session.entry(row.id) ?? row).slice(0, 400)}</pre>
      ))}
      {reply?.blocks.map((block, index) => <p key={index}>{block.text}</p>)}
      {approvals.map((request) => (
        <ApprovalCard key={request.id} request={request} />
      ))}
      <SessionNotices session={session} />
    </div>
  );
}
