import { useEffect, useMemo } from 'react';
import { useStore } from 'zustand';
import { nameAtEntry, variantAt, wordsEntryAt } from '../state/branch-names';
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
  const entries = useView(session, (view) => view.entriesVersion);
  const names = useLive(session, (live) => live.names);
  const labels = useLive(session, (live) => live.labels);
  const version = useStore(session.graph.state, (state) => (state.status === 'ready' ? state.version : -1));
  // HEAD's is O(path): not with each change of what the graph shows.
  const name = useMemo(
    () => (version >= 0 && entryId !== null ? (nameAtEntry(session, title, entryId)?.text ?? null) : null),
    // oxlint-disable-next-line react/exhaustive-deps -- what names are made of
    [session, title, entryId, version, entries, names, labels],
  );
  const isMissing = name === '…';
  useEffect(() => {
    const id = isMissing && entryId !== null ? wordsEntryAt(session, entryId) : null;
    if (id !== null) void session.loadEntries([id]);
  }, [session, isMissing, entryId]);
  return isMissing ? null : name;
}

/** `2/3`: which variant the turn of an entry is, to follow the name of its branch (GR5); null: it has none, or the tree is not read. */
export function useVariant(session: OpenSession, entryId: string | null): string | null {
  return useStore(session.graph.state, ({ status }) => {
    const node = status === 'ready' && entryId !== null ? session.graph.graph.turns.place(entryId)?.node : undefined;
    return node ? variantAt(session, node) : null;
  });
}

/** Reads the tree of a session, for a question that names its branches. */
export function useTree(session: OpenSession): void {
  useEffect(() => void session.graph.open(), [session]);
}
