import type { GuidanceRole } from '../types';

/**
 * What an approval is about (TL5, QC2). An approval binds to the hash of the exact
 * content, shows all of it and covers nothing else. Hashes are SHA-256 in hex, computed in main over `canonicalContent`.
 * Behind it what the window is shown of approvals: plain JSON.
 */

/** Where a path lies; `onMount`: within the workspace, on a mount of which nobody can tell what it shows, which counts as outside. */
export interface ExactPlace {
  outside: boolean;
  onMount?: true;
}

/** Where a tool comes from that is not ours, as the person knows it. */
interface Origin {
  kind: 'extension' | 'mcp';
  name: string;
}

/** Where a tool comes from that is not ours, and what it says of itself. */
export interface CallOrigin {
  origin?: Origin;
  /** It says that it changes nothing. */
  readOnly?: true;
  /** It takes the place of a tool of ours. */
  overrides?: true;
}

/** The exact thing that would happen. Every field is covered by the content hash. */
export type ExactContent =
  /** `gitRuns`: it calls git, and these are the programs that settings of the repository name; absent: none. */
  | { kind: 'command'; command: string; cwd: string; timeoutMs: number; gitRuns?: string[] }
  | ({
      kind: 'diff';
      path: string;
      diff: string;
      created: boolean;
      added: number;
      removed: number;
      /** Hash of the file's bytes before (empty string: no file) and after. */
      beforeHash: string;
      afterHash: string;
      guidance?: GuidanceRole;
    } & ExactPlace)
  | ({ kind: 'path'; path: string } & ExactPlace)
  | ({ kind: 'call'; text: string } & CallOrigin);

/**
 * What an answer may be remembered for: one exact command in one folder with one time limit (absent: the usual one; if it calls git, with exactly the programs that git could run
 * there, in the order in which they are found), file changes in one folder and below, one exact tool that is not ours in one workspace, or, for one
 * session, reading in a workspace that is not trusted.
 */
export type ApprovalScope =
  | { kind: 'command'; command: string; cwd: string; timeoutMs?: number; gitRuns?: string[] }
  | { kind: 'folder'; folder: string }
  | {
      kind: 'tool';
      /** As models call it. */
      tool: string;
      origin: Origin;
      /** What it comes from and says of itself, as a hash: another tool of its name is asked for again. */
      identity: string;
      folder: string;
    }
  | {
      kind: 'reading';
      folder: string;
      /** Which folder stood there, as main tells folders apart: another one at its path is asked for again. */
      identity: string;
    };

export type ApprovalDecision = 'deny' | 'once' | 'session' | 'always';

export interface ApprovalRequest {
  id: string;
  sessionId: string;
  toolCallId: string;
  tool: string;
  /** In words: "Run npm test", "Edit src/app.ts". */
  title: string;
  /** Why it is asked: the policy's reason. */
  reason: string;
  exact: ExactContent;
  contentHash: string;
  /** What "this session" and "always" would cover; without them only "once" can be given. */
  scopes: { session?: ApprovalScope; always?: ApprovalScope };
  /** The person changed the command in the card; `asked` is what the model wanted to run. */
  edited?: { asked: string };
  /** Its command may be changed in the card. */
  canEdit: boolean;
  /** The person has not trusted the workspace. */
  isRestricted?: boolean;
  /** Unix milliseconds. */
  createdAt: number;
}

/** A remembered "always". `hash` is the hash of its scope: a rule whose text does not match its hash is not a rule. */
export interface ApprovalRule {
  hash: string;
  scope: ApprovalScope;
  /** ISO 8601. */
  createdAt: string;
}

type ApprovalOutcome = 'allowed' | 'denied';

/** How a question ended. `exact` is what was allowed: a command may have been edited. `why`: the person's words. */
export type ApprovalAnswer = { outcome: 'allowed'; exact: ExactContent } | { outcome: 'denied'; why?: string };

/** How the result of a call begins that the person did not allow. */
const DECLINED_START = 'The person declined this';
/** The result of a call that the person declined, for the model. */
export const DECLINED = `${DECLINED_START}. Do not try it again in another form; say what you wanted to do and why, or go on without it.`;
const WHY_START = `${DECLINED_START} and says why: `;
const WHY_END = '\nNothing was done. Go on from what they say; do not try the same in another form.';

/** The same with the person's reason. */
export function declinedBecause(why: string): string {
  return WHY_START + why + WHY_END;
}

/** Behind either where the person has not trusted the folder. */
export const DECLINED_IN_RESTRICTED =
  'The person has not trusted this workspace: reading in it is asked for once a session, every write and command each time, and its notes and git state are not used. Only the person can change that, in the window.';

/** Whether a tool result is, as a whole, what we write where the person did not allow the call: what only begins so may be of a tool. */
export function isDeclined(text: string): boolean {
  const end = `\n${DECLINED_IN_RESTRICTED}`;
  const told = text.endsWith(end) ? text.slice(0, -end.length) : text;
  return told === DECLINED || (told.startsWith(WHY_START) && told.endsWith(WHY_END));
}

/** The person's own words in a result that says they declined, and what follows our words around them; null: they gave no reason. */
export function whyDeclined(text: string): { why: string; rest: string } | null {
  const end = text.lastIndexOf(WHY_END);
  if (!text.startsWith(WHY_START) || end < WHY_START.length) return null;
  return { why: text.slice(WHY_START.length, end), rest: text.slice(end + WHY_END.length) };
}

/** What a person reads of a result that says they declined; the rest of it is for the model. */
export function declinedWords(text: string): string {
  const said = whyDeclined(text);
  return said ? `You declined this: ${said.why}` : 'You declined this.';
}

/** Longest reason that a person gives with a "no". */
export const MAX_WHY_CHARS = 4_000;

export type ApprovalEvent =
  | { type: 'requested'; request: ApprovalRequest }
  /** Main asks once more, in its own window, before an answer counts; or does so no longer. */
  | { type: 'asking'; id: string; sessionId: string; isAsking: boolean }
  | { type: 'settled'; id: string; sessionId: string; toolCallId: string; outcome: ApprovalOutcome }
  | { type: 'rules_changed'; rules: ApprovalRule[] };

export type AnswerResult = { ok: true } | { ok: false; reason: string };

/** The decisions that a card may offer for this request, least first. */
export function offeredDecisions(request: Pick<ApprovalRequest, 'scopes'>): ApprovalDecision[] {
  const decisions: ApprovalDecision[] = ['deny', 'once'];
  if (request.scopes.session) decisions.push('session');
  if (request.scopes.always) decisions.push('always');
  return decisions;
}

/** What a scope covers, in words for the card and the settings panel. */
export function describeScope(scope: ApprovalScope): string {
  switch (scope.kind) {
    case 'command':
      return `exactly this command in ${scope.cwd}`;
    case 'folder':
      return `changes to files in ${scope.folder} and its subfolders`;
    case 'tool':
      return `${scope.tool} of the ${ORIGINS[scope.origin.kind]} ${scope.origin.name}, whatever it is called with`;
    case 'reading':
      return `reading in ${scope.folder}`;
  }
}

/** Names of an extension and of a server may say anything: whoever shows this writes out what hides in it. */
export function originWords({ kind, name }: Origin): string {
  return `the ${ORIGINS[kind]} “${name}”`;
}

const ORIGINS: Record<Origin['kind'], string> = { mcp: 'MCP server', extension: 'extension' };

/** One text for one content, whatever the order of keys: the input of every hash. */
export function canonicalContent(value: unknown): string {
  return JSON.stringify(sortKeys(value));
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, member]) => [key, sortKeys(member)]));
}

/** `300 s` or `5 min`, exactly: a limit that is asked about is part of what is allowed (docs/specs/tools.md TL7). */
export function timeLimitWords(timeoutMs: number): string {
  const seconds = timeoutMs / 1000;
  return seconds >= 120 && seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}

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
  | ({ kind: 'call'; text: string } & CallOrigin);

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
