/** What the window is shown of approvals. Plain JSON. */
import type { ApprovalDecision } from './approval';
import type { GuidanceRole } from './trust-view';

export type ApprovalSubject =
  | {
      kind: 'command';
      command: string;
      cwd: string;
      timeoutMs: number;
      /** It calls git, and these are the programs that settings of the repository name. */
      gitRuns?: string[];
      /** The person changed it; what the model asked for. */
      edited?: { asked: string };
      canEdit: boolean;
    }
  | {
      kind: 'diff';
      path: string;
      diff: string;
      created: boolean;
      outside: boolean;
      /** It counts as outside because of what is mounted there. */
      onMount?: true;
      added: number;
      removed: number;
      guidance?: GuidanceRole;
    }
  | { kind: 'path'; path: string; outside: boolean; onMount?: true; why: string }
  /** A tool that is not ours: its name and all of its arguments. */
  | { kind: 'call'; text: string };

export interface ApprovalView {
  id: string;
  sessionId: string;
  toolCallId: string;
  tool: string;
  title: string;
  subject: ApprovalSubject;
  /** SHA-256 of exactly what was shown; the answer must carry it (QS7). */
  contentHash: string;
  createdAt: number;
  /** Which answers make sense: outside the workspace only `once`. */
  choices: ApprovalDecision[];
}

export interface RuleView {
  id: string;
  tool: string;
  /** In words: the exact command or the folder. */
  what: string;
  /** Where a command may run. */
  folder?: string;
  /** Of a command, where it is not the usual one. */
  timeoutMs?: number;
  createdAt: number;
  /**
   * Why it covers nothing now: no folder that it counts in is trusted, its command is asked each time, or what git could run has
   * changed; null: it is in force.
   */
  rest: 'untrusted' | 'asked' | 'changed' | null;
}

/** One that ends with its session. */
export interface SessionRuleView extends RuleView {
  sessionId: string;
}
