/**
 * The policy of tools as one table: allow · ask · deny, each with a reason (QC4). There is no list of "safe
 * commands": every published one was bypassed. A command is asked for unless this exact text was allowed before.
 */

export type ToolAction = 'allow' | 'ask' | 'deny';
/** The person's choice per tool name; a tool that is not in it follows the table. */
export type ToolPolicy = Readonly<Record<string, ToolAction>>;

/** An earlier answer that lets a call run unasked. */
export type StandingApproval = 'session' | 'always';

/** What main found out about a call before deciding. */
export interface ToolFacts {
  /** Where the real path lies; `none` for calls without a path. */
  location: 'inside' | 'outside' | 'none';
  /** It lies in the workspace by its path, but on a mount of which nobody can tell what it shows: that counts as outside. */
  isOnUnknownMount?: boolean;
  /** Set if the target may not be touched at all: the sentence for the model. */
  refusal?: string;
  /** An earlier answer that covers this exact command or folder. */
  remembered?: StandingApproval;
  /** The person has not trusted the workspace. */
  isRestricted: boolean;
}

export interface ToolDecision {
  action: ToolAction;
  reason: string;
  /** It is an earlier answer that allows it. */
  standing?: StandingApproval;
}

interface ToolRow {
  inside: ToolAction;
  reason: string;
}

const READS: ToolRow = { inside: 'allow', reason: 'Reading inside the workspace is allowed.' };
const CHANGES: ToolRow = { inside: 'ask', reason: 'This changes a file.' };

/** The table. What is not in it (tools of extensions) is asked for. */
export const TOOL_TABLE: Readonly<Record<string, ToolRow>> = {
  read: READS,
  grep: READS,
  find: READS,
  ls: READS,
  recall: { inside: 'allow', reason: 'It only reads this session.' },
  write: CHANGES,
  edit: CHANGES,
  bash: { inside: 'ask', reason: 'A command can do anything you can do on this computer.' },
};
const UNKNOWN: ToolRow = { inside: 'ask', reason: 'This tool comes from an extension.' };

/** Whether a tool reads in the workspace and does nothing else. */
export function isReadingTool(tool: string): boolean {
  return Object.hasOwn(TOOL_TABLE, tool) && TOOL_TABLE[tool] === READS;
}

/** In a folder that is not trusted neither settings nor earlier answers count, but for the one about reading in this session. */
function decideRestricted(tool: string, { remembered }: ToolFacts): ToolDecision {
  if (tool === 'recall') return { action: 'allow', reason: TOOL_TABLE.recall?.reason ?? '' };
  if (!isReadingTool(tool))
    return { action: 'ask', reason: 'You have not trusted this folder, so Espalier asks every time.' };
  if (remembered === 'session')
    return { action: 'allow', reason: 'You allowed reading here for this session.', standing: remembered };
  return {
    action: 'ask',
    reason: 'You have not trusted this folder. “All session” allows reading anywhere in it until you quit Espalier.',
  };
}

const OUTSIDE = 'It is outside the workspace, so Espalier asks every time.';
const ON_UNKNOWN_MOUNT =
  'It is on a mount inside the workspace. Another program may control what it shows, so Espalier asks every time.';

/** Whether a call runs, is asked for or is refused. The first rule that applies decides. */
export function decideToolCall(input: { tool: string; facts: ToolFacts; policy: ToolPolicy }): ToolDecision {
  const { tool, facts, policy } = input;
  const chosen = Object.hasOwn(policy, tool) ? policy[tool] : undefined;
  if (facts.refusal !== undefined) return { action: 'deny', reason: facts.refusal };
  if (chosen === 'deny') return { action: 'deny', reason: `The tool ${tool} is turned off in Settings.` };
  if (facts.location === 'outside') {
    return { action: 'ask', reason: facts.isOnUnknownMount ? ON_UNKNOWN_MOUNT : OUTSIDE };
  }
  if (facts.isRestricted) return decideRestricted(tool, facts);
  if (facts.remembered === 'session')
    return { action: 'allow', reason: 'You allowed this for the session.', standing: 'session' };
  if (facts.remembered === 'always') return { action: 'allow', reason: 'You always allow this.', standing: 'always' };
  if (chosen !== undefined) return { action: chosen, reason: `Your setting for ${tool}.` };
  const row = Object.hasOwn(TOOL_TABLE, tool) ? (TOOL_TABLE[tool] ?? UNKNOWN) : UNKNOWN;
  return { action: row.inside, reason: row.reason };
}
