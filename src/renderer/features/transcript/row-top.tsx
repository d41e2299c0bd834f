import { useEffect, useState } from 'react';
import { ChevronLeft, ChevronRight, Pin } from 'lucide-react';
import { own } from '@shared/checks';
import type { Row } from '@shared/session-state/state';
import { act } from '../../actions/menus';
import { unpin } from '../../actions/pins';
import { ACTIONS } from '../../actions/registry';
import { hasTop } from '../../state/group-rows';
import { useApp } from '../../state/hooks';
import { Glyph } from '../../ui';
import { useTranscript } from './context';
import { shortName } from './message-text';
import promptStyles from './prompt.module.css';
import styles from './transcript.module.css';

/** What stands above a message where the path forks or the entry has a label: arrows between the versions, the flag. */
export function RowTop({ row }: { row: Row }) {
  const app = useApp();
  const { session, labels } = useTranscript();
  if (!hasTop(row, labels)) return null;
  const label = own(labels, row.id);
  const edit = (): void => act(app, 'entry.label', { sessionId: session.id, id: row.id });
  return (
    <span className={styles.rowTop} data-chrome>
      {(row.siblingCount ?? 1) > 1 && <Versions row={row} />}
      {label !== undefined && (
        <button type="button" className={styles.flag} title="Change the label" onClick={edit}>
          <Glyph name="label" size={11} label="Label" /> <bdi>{shortName(label)}</bdi>
        </button>
      )}
    </span>
  );
}

const WAYS = 'All that goes on from here: versions and branches';

function Versions({ row }: { row: Row }) {
  const { index, count } = usePlace(row);
  if (count < 2) return null;
  return (
    <span className={styles.versions} role="group" aria-label="Ways from here" data-versions>
      <Step id="entry.earlier" row={row} isThere={index > 0} icon={ChevronLeft} />
      {/* Versions and branches alike: the graph counts the versions of one turn. */}
      <span aria-label={`Way ${index + 1} of ${count} from here`} title={WAYS} role="img">
        {index + 1}/{count}
      </span>
      <Step id="entry.later" row={row} isThere={index < count - 1} icon={ChevronRight} />
      <Bring row={row} />
    </span>
  );
}

/** What happened on the other side can be told here at any time (BR6). */
function Bring({ row }: { row: Row }) {
  const app = useApp();
  const { session, busy } = useTranscript();
  const { label } = ACTIONS['entry.bring'];
  const bring = (): void => act(app, 'entry.bring', { sessionId: session.id, id: row.id });
  return (
    <button type="button" aria-label={label} title={label} aria-disabled={busy} onClick={bring}>
      <Glyph name="branchSummary" size={11} />
    </button>
  );
}

interface StepProps {
  id: 'entry.earlier' | 'entry.later';
  row: Row;
  isThere: boolean;
  icon: typeof ChevronLeft;
}

function Step({ id, row, isThere, icon: Icon }: StepProps) {
  const app = useApp();
  const { session, isRead } = useTranscript();
  const go = (): void => (isThere ? act(app, id, { sessionId: session.id, id: row.id, isRead }) : undefined);
  return (
    <button type="button" aria-label={ACTIONS[id].label} aria-disabled={!isThere} onClick={go}>
      <Icon size={14} aria-hidden />
    </button>
  );
}

/** The row knows its place among all; where branches are hidden the session is asked for those that are left. */
function usePlace({ id, siblingIndex = 0, siblingCount = 1 }: Row): { index: number; count: number } {
  const { client } = useApp();
  const { session, hiddenBranches } = useTranscript();
  const [shown, setShown] = useState<readonly string[] | null>(null);
  useEffect(() => {
    if (!hiddenBranches) return setShown(null);
    let isWanted = true;
    client.request('session.versions', { sessionId: session.id, entryId: id }).then(
      ({ versions }) => isWanted && setShown(versions.map((version) => version.entryId)),
      // It can't be asked: then the row's own figures hold.
      () => isWanted && setShown(null),
    );
    return () => {
      isWanted = false;
    };
  }, [client, session, id, siblingCount, hiddenBranches]);
  const at = shown?.indexOf(id) ?? -1;
  return shown && at >= 0 ? { index: at, count: shown.length } : { index: siblingIndex, count: siblingCount };
}

/** On the gutter of a pinned message: that it is, and the way to let go of it (PN6). */
export function PinMark({ row }: { row: Row }) {
  const app = useApp();
  const { session } = useTranscript();
  const { id } = row;
  if (!useIsPinned(row)) return null;
  return (
    <button
      type="button"
      className={promptStyles.pin}
      aria-label="Unpin this message"
      title="Pinned: the model gets it word for word. Click to unpin."
      onClick={() => void unpin(app, session.id, [id])}
    >
      <Pin size={11} aria-hidden />
    </button>
  );
}

/** Whether the message of a row is pinned; drawn anew when that changes. */
export function useIsPinned(row: Row | null): boolean {
  const { pinnedIds } = useTranscript();
  return row !== null && pinnedIds.has(row.id);
}
