import { useEffect, useState } from 'react';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { own } from '@shared/own';
import { Glyph } from '../../ui';
import { useTranscript } from './context';
import { shortName } from './message-text';
import styles from './transcript.module.css';
import type { Row } from '@shared/session-state/state';

/** What stands above a message where the path forks or the entry has a label: arrows between the versions, the flag. */
export function RowTop({ row }: { row: Row }) {
  const { labels, tree } = useTranscript();
  const label = own(labels, row.id);
  const hasVersions = (row.siblingCount ?? 1) > 1 && tree !== undefined;
  if (label === undefined && !hasVersions) return null;
  return (
    <span className={styles.rowTop}>
      {hasVersions && <Versions row={row} />}
      {label !== undefined && (
        <button type="button" className={styles.flag} title="Change the label" onClick={() => tree?.label(row.id)}>
          <Glyph name="label" size={11} label="Label" /> <span>{shortName(label)}</span>
        </button>
      )}
    </span>
  );
}

function Versions({ row }: { row: Row }) {
  const { tree, busy } = useTranscript();
  const { index, count } = usePlace(row);
  if (count < 2) return null;
  const step = (by: 1 | -1, isPossible: boolean): void => {
    if (isPossible) tree?.toVersion(row.id, by);
  };
  const hasEarlier = index > 0;
  const hasLater = index < count - 1;
  return (
    <span className={styles.versions} role="group" aria-label="Versions" data-versions>
      <button
        type="button"
        aria-label="Earlier version"
        aria-disabled={!hasEarlier || busy}
        onClick={() => step(-1, hasEarlier)}
      >
        <ChevronLeft size={14} aria-hidden />
      </button>
      <span aria-label={`Version ${index + 1} of ${count}`} role="img">
        {index + 1}/{count}
      </span>
      <button
        type="button"
        aria-label="Later version"
        aria-disabled={!hasLater || busy}
        onClick={() => step(1, hasLater)}
      >
        <ChevronRight size={14} aria-hidden />
      </button>
    </span>
  );
}

/** The row knows its place among all; where branches are hidden the session is asked for those that are left. */
function usePlace({ id, siblingIndex = 0, siblingCount = 1 }: Row): { index: number; count: number } {
  const { tree, hiddenBranches } = useTranscript();
  const [shown, setShown] = useState<readonly string[] | null>(null);
  useEffect(() => {
    if (!tree || !hiddenBranches) return setShown(null);
    let isWanted = true;
    void tree.versionsOf(id).then((ids) => isWanted && setShown(ids));
    return () => {
      isWanted = false;
    };
  }, [tree, id, siblingCount, hiddenBranches]);
  const at = shown?.indexOf(id) ?? -1;
  return shown && at >= 0 ? { index: at, count: shown.length } : { index: siblingIndex, count: siblingCount };
}
