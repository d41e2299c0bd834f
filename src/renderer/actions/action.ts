/** The form of an action: what it acts on, its words and keys, why it can't act now. */
import type { TurnNode } from '@shared/graph/turns';
import { answerTo, situationOf, type SessionRequest } from '@shared/session-state/phases';
import type { App } from '../state/app-type';
import type { ShownName } from '../state/branch-names';
import type { GraphStore } from '../state/graph-store';
import { isRunning } from '../state/sessions-store';

/** A session, or a row of the list that is none. */
export interface SessionTarget {
  id: string;
  /** It is about the row of the list: what opens there opens in it. */
  inList?: boolean;
}

/** An entry, from wherever it is shown. */
export interface EntryTarget {
  sessionId: string;
  id: string;
  /** Where a branch or a fork after it begins, if not at itself: behind the results of its calls. */
  endId?: string;
  /** A message of the person. */
  isOwn?: boolean;
  /** The entry that carries the label of what is shown, if it has one. */
  labelled?: string;
  /** Of a turn: its pinned entries. Absent: the entry itself is asked for. */
  pinned?: readonly string[];
  /** The model is sent nothing of it. */
  isUnsent?: boolean;
  /** It is shown on a path that is read: nothing of it acts on HEAD (GR12). */
  isRead?: boolean;
  /** The entry at which the branch that it is on was hidden. */
  hiddenAt?: string | null;
}

/** What stands under a right click: what is selected there, the message, the link. */
export interface TextTarget {
  /** The session that is shown: a quote goes into its composer. Null: there is none. */
  sessionId: string | null;
  /** `isAll`: the whole transcript, also what is not drawn. `markdown`: read when it is wanted, while it is still selected. */
  selected?: { isAll: boolean; markdown: () => string };
  /** The message of the transcript. */
  entry?: EntryTarget;
  /** An address that `classifyUrl` accepted. */
  link?: string;
}

/** What an open graph does with its view. */
export interface GraphView {
  readonly store: GraphStore;
  /** The whole graph. */
  fit(): void;
  goToHead(): void;
  /** What the branch of a turn is called (GR16), and what that name belongs to; `…` for words that are not in memory. */
  nameOf(node: TurnNode): ShownName;
  zoomBy(factor: number): void;
  /** Opens what a cell stands for, or closes it. False if there is nothing to fold. */
  toggle(node: TurnNode): boolean;
  /** A cell stands for others that can be shown. */
  isClosed(node: TurnNode): boolean;
  /** Carries a node by keyboard to where its summary goes. */
  carry(node: TurnNode): void;
}

/** A turn as the graph and the outline show it. */
export interface NodeTarget extends EntryTarget {
  node: TurnNode;
  /** Of a branch that is one row: its last turn. It is gone to, branched from and brought over as a whole. */
  tip?: TurnNode | undefined;
  view: GraphView;
  /** Where its summary goes: HEAD, if nothing else is said. */
  onto?: TurnNode;
  /** It stands for its branch, which is called so. */
  branch?: ShownName;
}

export interface Targets {
  app: null;
  session: SessionTarget;
  /** Also a file of the list that is not a session. */
  file: SessionTarget;
  entry: EntryTarget;
  node: NodeTarget;
  graph: GraphView;
  text: TextTarget;
  queued: { sessionId: string; itemId: string };
}

export type Kind = keyof Targets;

/** The session that a target belongs to; null: none. */
export function sessionIdOf(kind: Kind, target: Targets[Kind]): string | null {
  if (target === null) return null;
  if (kind === 'session' && 'id' in target) return target.id;
  return 'sessionId' in target ? target.sessionId : null;
}

/** Why an action can't act now. It is offered all the same, and says why when it is chosen. */
export interface Refusal {
  text: string;
  /** The same in a menu, in a few words; without one its entry is disabled. */
  hint?: string;
  /** It is disabled all the same: what is in the way does not pass by itself. */
  isOut?: boolean;
}

/** True: it can act. False: it makes no sense here and is not offered. */
export type Verdict = boolean | Refusal;

export interface Action<K extends Kind = Kind> {
  readonly on: K;
  readonly label: string;
  /** In menus and on buttons beside what it acts on. */
  readonly short?: string | ((app: App, target: Targets[K]) => string);
  /** Stands in the palette, below this heading. */
  readonly group?: 'Session' | 'View' | 'Settings' | 'Help';
  /** Completed after `/` in the composer. */
  readonly slash?: string;
  /** Shown behind the slash command where it takes a text. */
  readonly argument?: string;
  /** That text may have several lines. */
  readonly multiline?: boolean;
  /** `Mod+K`; see keys.ts. */
  readonly keys?: string;
  /** Those keys are served where the focus is; shown so that people find them. */
  readonly isLocal?: boolean;
  /** Keys that count while the keyboard is on the target, in the list or the graph. */
  readonly ownKeys?: string;
  readonly isDanger?: boolean;
  /** Absent: always. */
  isEnabled?(app: App, target: Targets[K]): Verdict;
  /** Nothing here throws: a failure becomes a toast. `text`: what was written behind the slash command. */
  run(app: App, target: Targets[K], text: string): unknown;
}

export function on<K extends Kind>(kind: K, action: Omit<Action<K>, 'on'>): Action<K> {
  return { on: kind, ...action };
}

export const HERE: Refusal = { text: 'You are already there.' };

export function isBusy(app: App, sessionId: string): boolean {
  return isRunning(app.sessions.getState().byId[sessionId]);
}

/** Whether main would take a request now: the window asks the same table (JB2). */
export function takes(app: App, sessionId: string, request: SessionRequest): Verdict {
  const answer = answerTo(request, situationOf(app.openSession(sessionId).live.getState()));
  return typeof answer === 'object' ? answer : answer !== 'skip';
}

/**
 * Why HEAD can't be moved now, in the few words of a ghost or a cursor; null: it can. A drag says so before it ends; one that begins a
 * branch needs not: that is prepared (GR13).
 */
export function headWaits(app: App, sessionId: string): string | null {
  const verdict = takes(app, sessionId, 'navigate');
  return typeof verdict === 'object' ? `HEAD can move ${verdict.hint ?? 'later'}` : null;
}

export function refuse(app: App, { text }: Refusal): void {
  app.toast({ level: 'info', text });
}
