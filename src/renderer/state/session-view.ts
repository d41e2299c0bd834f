/** What only the window holds of an open session, beside the state that it shares with main, and how events change it. Pure. */
import type { Attachment } from '@shared/types';
import type { SessionEvent } from '@shared/session-state/events';
import { withRows } from '@shared/session-state/reduce';
import type { LiveSession, PathChange, Row } from '@shared/session-state/state';

/** A prompt on its way to main: shown until main has it, put back into the composer if main refuses it. */
export interface PendingPrompt {
  itemId: string;
  text: string;
  attachments: Attachment[];
}

export interface SessionView {
  status: 'loading' | 'ready' | 'failed';
  problem: string | null;
  /** The active path as far as it is loaded: the page that the state holds, and older rows before it. */
  rows: readonly Row[];
  /** Rows of the path older than `rows[0]` that are not loaded. */
  rowsBefore: number;
  /** Counts up when all rows were read again. */
  readings: number;
  loadingOlder: boolean;
  /** Counts up when bodies arrive, so that rows look into the cache again. */
  entriesVersion: number;
  pending: readonly PendingPrompt[];
}

export function emptyView(): SessionView {
  return {
    status: 'loading',
    problem: null,
    rows: [],
    rowsBefore: 0,
    readings: 0,
    loadingOlder: false,
    entriesVersion: 0,
    pending: [],
  };
}

/** The view of a state that was read. */
export function viewFromSnapshot(before: SessionView, { rows, rowsBefore, queue }: LiveSession): SessionView {
  const known = new Set([...rows, ...queue].map(({ id }) => id));
  return {
    ...before,
    status: 'ready',
    problem: null,
    rows,
    rowsBefore,
    readings: before.readings + 1,
    entriesVersion: before.entriesVersion + 1,
    pending: before.pending.filter(({ itemId }) => !known.has(itemId)),
  };
}

/** The view after an event that the state has taken. The same object comes back when nothing changed. */
export function follow(view: SessionView, event: SessionEvent): SessionView {
  switch (event.type) {
    case 'entry_appended': {
      const { row, elsewhere, archived, line } = event;
      return {
        ...view,
        entriesVersion: view.entriesVersion + 1,
        rows: row && !elsewhere ? [...view.rows, row] : archived ? withRows(view.rows, archived.rows) : view.rows,
        pending: without(view.pending, (itemId) => itemId === line.id),
      };
    }
    case 'queue_changed': {
      const pending = without(view.pending, (itemId) => event.items.some((item) => item.id === itemId));
      return pending === view.pending ? view : { ...view, pending };
    }
    case 'leaf_changed':
    case 'job_end': {
      const path = event.type === 'job_end' ? event.compaction?.path : event.path;
      return path ? { ...view, ...onPath(view, path) } : view;
    }
    default:
      return view;
  }
}

function without(pending: SessionView['pending'], isThere: (itemId: string) => boolean): SessionView['pending'] {
  return pending.some(({ itemId }) => isThere(itemId)) ? pending.filter(({ itemId }) => !isThere(itemId)) : pending;
}

/** Older rows that are loaded stay where both paths have them, and they reach up to the new page. */
export function keepsOlder(view: SessionView, { rowsBefore, shared }: PathChange): boolean {
  return view.rowsBefore <= rowsBefore && rowsBefore <= shared;
}

function onPath(view: SessionView, path: PathChange): Pick<SessionView, 'rows' | 'rowsBefore'> {
  const { rows, rowsBefore } = path;
  if (!keepsOlder(view, path)) return { rows, rowsBefore };
  return { rows: [...view.rows.slice(0, rowsBefore - view.rowsBefore), ...rows], rowsBefore: view.rowsBefore };
}
