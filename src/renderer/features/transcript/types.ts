import type { ReactNode } from 'react';
import type { ApprovalRequest, Attachment, LiveReply, LiveTool } from '@shared/ipc/types';
import type { SessionEntry } from '@shared/session/entry';
import type { Row } from '@shared/session-state/state';

/** What streams, apart from the rows: a token must repaint one block, not the list. A zustand store fits. */
export interface LiveStore {
  subscribe(listener: () => void): () => void;
  getState(): { reply: LiveReply | null; tools: readonly LiveTool[] };
}

/** A prompt that was sent and is not an entry yet; its entry will have the same id. */
export interface PendingRow {
  itemId: string;
  text: string;
  attachments: readonly Attachment[];
}

export interface TranscriptHandle {
  /**
   * Brings an entry into view and marks it for a moment; with `focusVersions` the keyboard goes on among its versions.
   * Does nothing if the path does not hold it.
   */
  jumpTo(entryId: string, how?: { focusVersions?: boolean }): void;
  /** Moves to the newest message. */
  jumpToEnd(): void;
  /** Puts the keyboard into the transcript. */
  focus(): void;
}

/** Actions of the compaction markers, by the id of the compaction; `restore` by that of the prune. */
export interface CompactionActions {
  undo(entryId: string): void;
  redo(entryId: string): void;
  edit(entryId: string): void;
  /** Summarises the same messages again, with other instructions. */
  again(entryId: string): void;
  restore(entryId: string): void;
}

/** Actions of messages and branch markers, by the id of the entry. Those that are not possible now say why. */
export interface MessageActions {
  /** A message of the person returns to the composer. */
  edit(entryId: string): void;
  /** The message that a reply belongs to is answered again. */
  retry(entryId: string): void;
  branch(entryId: string): void;
  fork(entryId: string): void;
  copyReference(entryId: string): void;
  label(entryId: string): void;
  hide(entryId: string): void;
  /** What the model saw for a reply; null: what it sees now. */
  seen(entryId: string | null): void;
  toVersion(entryId: string, by: 1 | -1): void;
  /** The entries beside this one, hidden branches left out. */
  versionsOf(entryId: string): Promise<string[]>;
  /** Goes to the branch that a summary tells of. */
  toBranch(entryId: string): void;
  toSession(sessionId: string): void;
}

/** Where a question stands: whether it can be answered now, and its call among those of its reply, from 1. */
export interface QuestionPlace {
  isActive: boolean;
  at: number;
  count: number;
}

export interface TranscriptProps {
  sessionId: string;
  /** The active path, root first; grows at the end, older rows are put before. */
  rows: readonly Row[];
  /** First row that the model sees; null: all. */
  seenFrom?: string | null;
  /** Tool results in whose place the model sees a note. */
  pruned?: readonly string[];
  /** The body of an entry if it is in memory. */
  getEntry(id: string): SessionEntry | undefined;
  /** Calls back whenever bodies may have come or gone. Returns how to stop that. */
  onEntries(listener: () => void): () => void;
  /** Asks for bodies; `entriesVersion` counts up when they are there. Ids may repeat from call to call. */
  requestEntries(ids: readonly string[]): void;
  entriesVersion: number;
  live: LiveStore;
  /** The session is at work: nothing offers Retry, an open call counts as running. */
  busy: boolean;
  pending?: readonly PendingRow[];
  approvals?: readonly ApprovalRequest[];
  /** The card that asks, in the place of its call's. */
  renderApproval?(request: ApprovalRequest, place: QuestionPlace): ReactNode;
  /** What stands below the newest row: a failure, a wait, an interrupted turn. Null when there is nothing to say. */
  tail?: ReactNode;
  /** The tail explains why the newest reply failed, so its row only says that it did. */
  explainsFailure?: boolean;
  /** Runs the last turn again. */
  onRetry?(): void;
  /** What can be done about the compactions of the path; absent where nothing can be changed. */
  compaction?: CompactionActions;
  /** What can be done with messages; absent where nothing can be changed. */
  tree?: MessageActions;
  /** Labels by entry. */
  labels?: Readonly<Record<string, string>>;
  /** So many branches are hidden. */
  hiddenBranches?: number;
  /** Shows the whole output that was kept of a command; `entryId`: its result. */
  onOpenOutput?(entryId: string): void;
  onOpenLink(href: string): void;
  /** The person asked for the message that a reference names. */
  onOpenEntry?(entryId: string): void;
  /** Resolves whether the text is on the clipboard. */
  onCopy(text: string): Promise<boolean>;
  /** Older rows are on their way. */
  loadingOlder?: boolean;
  loading?: boolean;
  /** The session could not be read. */
  problem?: string | null;
  /** Shown while there are no rows. */
  empty?: ReactNode;
}
