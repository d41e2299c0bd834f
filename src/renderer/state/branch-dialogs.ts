/** What is asked and shown about branches, one thing at a time. */
import type { FoundEntry, LeavePreview } from '@shared/ipc/tree-types';

import type { SummaryProblem } from './summary-offer';

/** What becomes of the work that a navigation leaves behind (BR3). */
export type LeaveChoice = 'none' | 'summarise' | 'instructions';

export interface Destination {
  sessionId: string;
  targetId: string | null;
  /** The target itself becomes the leaf, a user message too. */
  exact: boolean;
}

export type BranchDialog =
  | { kind: 'leave'; to: Destination; preview: LeavePreview; choice: LeaveChoice; problem?: SummaryProblem }
  | { kind: 'bringOver'; sessionId: string; sourceId: string; targetId: string }
  | { kind: 'label'; sessionId: string; entryId: string }
  | { kind: 'handoff'; sessionId: string; goal?: string; problem?: SummaryProblem }
  /** A reference to a message that is on another branch of this session. */
  | { kind: 'elsewhere'; found: FoundEntry }
  /** What the model saw in the request that an entry answers, or sees now (null). */
  | { kind: 'context'; sessionId: string; entryId: string | null };

/** A branch that the next message makes; until then a way back without a trace. */
export interface Branching {
  sessionId: string;
  /** `edit`: the text of a message of the other branch is in the composer. */
  kind: 'branch' | 'edit';
  /** Where the leaf is now, and where it was. */
  leafId: string | null;
  fromLeafId: string | null;
  /** What was put into the composer. */
  text: string;
}

/** An entry that the transcript brings into view as soon as it has it. */
export interface Arrival {
  sessionId: string;
  entryId: string;
  /** The keyboard goes on among the versions of that entry. */
  focusVersions?: boolean;
}

const CHOICES: readonly LeaveChoice[] = ['none', 'summarise', 'instructions'];

/** The remembered choice; without one the setting decides. */
export function readLeaveChoice(stored: unknown, isSummaryDefault: boolean): LeaveChoice {
  return CHOICES.find((choice) => choice === stored) ?? (isSummaryDefault ? 'summarise' : 'none');
}
