import { useEffect, useState } from 'react';
import { X } from 'lucide-react';
import { ActionButton } from '../../parts/action-button';
import { readIds, repeatedKey } from '../../state/repeated-memory';
import { useApp, useReading, useSession, useSummary, useView } from '../../state/hooks';
import { Glyph, IconButton } from '../../ui';
import styles from './notices.module.css';

/**
 * Above the composer from the second compaction of HEAD's path on: what summaries of summaries cost, and what can be done about it
 * (JB11). Dismissed it stays away on each path that has the compaction with which it came. The tour has marks of its own.
 */
export function RepeatedLine() {
  const session = useSession();
  const isTour = useSummary(session.id)?.tour === true;
  const isRead = useReading(session, ({ path }) => path !== null);
  const second = useView(session, ({ rows }) => rows.filter(({ kind }) => kind === 'compaction')[1]?.id ?? null);
  const seen = useSeen(session.id);
  if (second === null || isTour || isRead || seen.ids === null || seen.ids.includes(second)) return null;
  return <Line onDismiss={() => seen.add(second)} />;
}

function Line({ onDismiss }: { onDismiss: () => void }) {
  const session = useSession();
  const { id: sessionId } = session;
  const latest = useView(session, ({ rows }) => rows.findLast(({ kind }) => kind === 'compaction')?.id ?? null);
  const said = useView(session, ({ rows }) => rows.findLast(({ kind }) => kind === 'user')?.id ?? null);
  return (
    <div className={styles.repeated} role="note" aria-label="Repeated compactions">
      <Glyph name="compaction" size={11} />
      <span>Each summary of a summary loses some detail.</span>
      {said !== null && (
        <ActionButton
          id="entry.pin"
          target={{ sessionId, id: said }}
          tone="link"
          title="Your last message, word for word"
        />
      )}
      {latest !== null && <ActionButton id="compaction.undo" target={{ sessionId, id: latest }} tone="link" />}
      <ActionButton id="branch.handoff" target={session} tone="link">
        Hand off
      </ActionButton>
      <IconButton label="Dismiss for this path" size="small" onClick={onDismiss}>
        <X size={13} />
      </IconButton>
    </div>
  );
}

/** The compactions at which it was dismissed; null: they are not read yet. */
function useSeen(sessionId: string): { ids: readonly string[] | null; add: (id: string) => void } {
  const { local } = useApp();
  const [seen, setSeen] = useState<{ of: string; ids: readonly string[] } | null>(null);
  useEffect(() => {
    let isWanted = true;
    const take = (stored: unknown): void => {
      if (isWanted) setSeen({ of: sessionId, ids: readIds(stored) });
    };
    local.getUi(repeatedKey(sessionId)).then(take, () => take(undefined));
    return () => {
      isWanted = false;
    };
  }, [local, sessionId]);
  const ids = seen?.of === sessionId ? seen.ids : null;
  return {
    ids,
    add(id) {
      const next = readIds([...(ids ?? []), id]);
      setSeen({ of: sessionId, ids: next });
      // What could not be kept is only said again.
      local.putUi(repeatedKey(sessionId), next).catch(() => undefined);
    },
  };
}
