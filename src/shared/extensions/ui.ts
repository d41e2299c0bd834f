/** What extensions show and ask in a session (EX16). Plain JSON, within the bounds of `main/extensions/ui/bounds.ts`. */
import type { TerminalFrame } from './terminal';
import type { ExtensionName } from './view';

interface Asked {
  id: string;
  extension: ExtensionName;
  /** In visible form it is one or a few lines. */
  title: string;
  /** Unix milliseconds. */
  createdAt: number;
  /** When it ends by itself, Unix milliseconds; absent: it waits. */
  until?: number;
}

/** A question of an extension; the answer to it is an `ExtensionAnswer`. */
export type ExtensionQuestion = Asked &
  (
    | { kind: 'select'; options: string[] }
    | { kind: 'confirm'; message: string }
    | { kind: 'input'; placeholder: string }
    | { kind: 'editor'; prefill: string }
    /** A terminal view (EX24): what it shows comes by itself, and its end is its only answer. */
    | { kind: 'view'; isOverlay: boolean }
  );

/** A choice by its place, a yes or no, a text; null: cancelled. */
export type ExtensionAnswer = number | boolean | string | null;

/** Text of an extension that may hold colours of a terminal (SGR) and no other sequence. */
type ColouredText = string;

export interface ExtensionStatus {
  extension: ExtensionName;
  key: string;
  text: ColouredText;
}

export interface ExtensionWidget {
  extension: ExtensionName;
  key: string;
  lines: ColouredText[];
  /** Lines that are left out. */
  more: number;
  placement: 'above' | 'below' | 'header' | 'footer';
  /** A component's (EX24), in place of the lines. */
  frame?: TerminalFrame;
}

/** Tools whose calls, and types whose messages and entries, an extension draws (EX24). */
export interface ExtensionDraws {
  tools: readonly string[];
  types: readonly string[];
}

/** What stands in the place of our spinner. */
export interface ExtensionIndicator {
  /** Drawn one after the other; none: no spinner. */
  frames: readonly ColouredText[];
  everyMs: number;
}

/** A component in the place of the composer's field (EX24). */
export interface ExtensionEditor {
  extension: ExtensionName;
  viewId: string;
}

/** What all extensions of a session show in it. */
export interface ExtensionShows {
  /** Some extension runs in the session: the window tells main what its composer holds. */
  isHere: boolean;
  statuses: readonly ExtensionStatus[];
  widgets: readonly ExtensionWidget[];
  draws: ExtensionDraws;
  title: string | null;
  /** In the place of the words for a reply that has not begun. */
  working: string | null;
  /** Null: our own spinner. */
  indicator: ExtensionIndicator | null;
  /** The line that says that work goes on is not wanted. */
  isWorkingHidden: boolean;
  /** In the place of the words over what the model thinks. */
  thinkingLabel: string | null;
  editor: ExtensionEditor | null;
  /** Some extension completes what is being written. */
  completes: boolean;
}

export const SHOWS_NOTHING: ExtensionShows = {
  isHere: false,
  statuses: [],
  widgets: [],
  draws: { tools: [], types: [] },
  title: null,
  working: null,
  indicator: null,
  isWorkingHidden: false,
  thinkingLabel: null,
  editor: null,
  completes: false,
};

/** What an extension would write in the place of a part of the composer's text. */
export interface ExtensionCompletion {
  label: string;
  description: string;
  /** The part that it replaces. */
  from: number;
  to: number;
  by: string;
  /** Where the cursor is afterwards. */
  caret: number;
}

/** Characters of the composer's text that an extension is told, and may put there. */
export const MAX_COMPOSER_CHARS = 100_000;
/** Characters that a person may answer with. */
export const MAX_ANSWER_CHARS = 1_000_000;
