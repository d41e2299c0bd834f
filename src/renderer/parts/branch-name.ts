import { useEffect } from 'react';
import { useStore } from 'zustand';
import { nameAtEntry, wordsEntryAt } from '../state/branch-names';
import { useLive, useSummary, useView } from '../state/hooks';
import type { OpenSession } from '../state/open-session';
import { titleOf } from '../state/sessions-store';

/**
 * What the branch is called on which an entry stands (GR16), in visible form; null while that is not known: the tree of the session is
 * read when its pane is opened, and then first words may be on their way.
 */
export function useBranchName(session: OpenSession, entryId: string | null): string | null {
  const summary = useSummary(session.id);
  const title = summary ? titleOf(summary) : '';
  useView(session, (view) => view.entriesVersion);
  useLive(session, (live) => live.names);
  useLive(session, (live) => live.labels);
  const name = useStore(session.graph.state, ({ status }) =>
    status === 'ready' && entryId !== null ? (nameAtEntry(session, title, entryId)?.text ?? null) : null,
  );
  const isMissing = name === '…';
  useEffect(() => {
    const id = isMissing && entryId !== null ? wordsEntryAt(session, entryId) : null;
    if (id !== null) void session.loadEntries([id]);
  }, [session, isMissing, entryId]);
  return isMissing ? null : name;
}

/** Reads the tree of a session, for a question that names its branches. */
export function useTree(session: OpenSession): void {
  useEffect(() => void session.graph.open(), [session]);
}
