import { useCallback, useEffect, useMemo, useState, type RefObject } from 'react';
import type { ApprovalRequest } from '@shared/ipc/types';
import { ApprovalCard } from '../features/approvals/approval-card';
import { watchComposer } from '../features/approvals/composer-keys';
import { WaitingBar } from '../features/approvals/waiting-bar';
import { CompactionQuestions } from '../features/compaction/compaction-questions';
import { DamageNotice, hasSessionNotice, SessionNotices } from '../features/notices/session-notices';
import { OutputDialog, type OutputTarget } from '../features/output/output-dialog';
import { Transcript, type QuestionPlace, type TranscriptHandle } from '../features/transcript';
import { isRunning } from '../state/commands';
import { askToUndo, redoCompaction, restorePruned } from '../state/compaction-actions';
import { useApp, useLive, useSummary, useUi, useView } from '../state/hooks';
import { messageActions } from '../state/row-actions';
import { openEntryReference } from '../state/references';
import type { App } from '../state/app';
import type { OpenSession } from '../state/open-session';
import type { CompactionQuestion } from '../state/ui-store';
import styles from './app.module.css';
import type { Row } from '@shared/session-state/state';

/** The transcript of a session with its approvals and notices. */
export function TranscriptPane({ session, ref }: { session: OpenSession; ref: RefObject<TranscriptHandle | null> }) {
  const app = useApp();
  const rows = useView(session, (view) => view.rows);
  const seenFrom = useLive(session, (live) => live.seenFrom);
  const pruned = useLive(session, (live) => live.pruned);
  const approvals = useLive(session, (live) => live.approvals);
  const pending = useView(session, (view) => view.pending);
  const entriesVersion = useView(session, (view) => view.entriesVersion);
  const loadingOlder = useView(session, (view) => view.loadingOlder);
  const labels = useLive(session, (live) => live.labels);
  const hiddenBranches = useLive(session, (live) => live.archived.length);
  const busy = isRunning(useSummary(session.id));
  const hasNotice = useLive(session, (live) => hasSessionNotice(live, busy));
  const explainsFailure = useLive(session, ({ retry, failure }) => Boolean(retry ?? failure));
  const [output, setOutput] = useState<OutputTarget | null>(null);

  useArrival(session, rows, ref);
  useEffect(watchComposer, []);

  // Older rows follow by themselves once the newest are on screen: the whole path can be scrolled to (EV7).
  useEffect(() => void session.loadOlder(), [session]);

  const requestEntries = useCallback((ids: readonly string[]) => void session.loadEntries(ids), [session]);
  const openLink = useCallback(
    (url: string) => void app.attempt(() => app.client.request('app.openExternal', { url })),
    [app],
  );
  const retry = useCallback(
    () => void app.attempt(() => app.client.request('session.retry', { sessionId: session.id })),
    [app, session],
  );
  const compaction = useMemo(
    () => ({
      undo: (entryId: string) => void askToUndo(app, session.id, entryId),
      redo: (entryId: string) => void redoCompaction(app, session.id, entryId),
      edit: (entryId: string) => ask(app, { kind: 'edit', sessionId: session.id, entryId }),
      again: (entryId: string) => ask(app, { kind: 'again', sessionId: session.id, entryId }),
      restore: (entryId: string) => void restorePruned(app, session.id, entryId),
    }),
    [app, session],
  );
  const tree = useMemo(() => messageActions(app, session.id), [app, session]);
  const openEntry = useCallback((entryId: string) => void openEntryReference(app, session.id, entryId), [app, session]);
  const openOutput = useCallback((entryId: string) => setOutput({ sessionId: session.id, entryId }), [session]);
  return (
    <div className={styles.transcript} data-pane="transcript">
      <DamageNotice session={session} />
      <Transcript
        ref={ref}
        sessionId={session.id}
        rows={rows}
        seenFrom={seenFrom}
        pruned={pruned}
        getEntry={session.entry}
        onEntries={session.view.subscribe}
        requestEntries={requestEntries}
        entriesVersion={entriesVersion}
        live={session.live}
        busy={busy}
        pending={pending}
        approvals={approvals}
        renderApproval={renderApproval}
        explainsFailure={explainsFailure}
        tail={hasNotice ? <SessionNotices session={session} /> : null}
        onRetry={retry}
        compaction={compaction}
        tree={tree}
        labels={labels}
        hiddenBranches={hiddenBranches}
        onOpenEntry={openEntry}
        onOpenOutput={openOutput}
        onOpenLink={openLink}
        onCopy={copyText}
        loadingOlder={loadingOlder}
      />
      <WaitingBar session={session} />
      <CompactionQuestions session={session} />
      <OutputDialog target={output} onClose={() => setOutput(null)} />
    </div>
  );
}

/** An entry that somebody wants to see is brought into view as soon as the path has it. */
function useArrival(session: OpenSession, rows: readonly Row[], transcript: RefObject<TranscriptHandle | null>): void {
  const app = useApp();
  const arrival = useUi((ui) => (ui.arrival?.sessionId === session.id ? ui.arrival : null));
  useEffect(() => {
    if (!arrival || !rows.some((row) => row.id === arrival.entryId)) return;
    transcript.current?.jumpTo(arrival.entryId, { focusVersions: arrival.focusVersions });
    app.ui.setState({ arrival: null });
  }, [app, arrival, rows, transcript]);
}

function ask(app: App, compactionQuestion: CompactionQuestion): void {
  app.ui.setState({ compactionQuestion });
}

function renderApproval(request: ApprovalRequest, place: QuestionPlace) {
  return <ApprovalCard request={request} {...place} />;
}

async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
