import { homedir } from 'node:os';
import { join } from 'node:path';
import { CommandRunner } from '../commands/run-command';
import type { FileWorkers } from '../files/file-workers';
import { directLooks, notResponding, type FolderLooks } from '../files/looks';
import type { AgentTool, AgentToolResult, BeforeToolCallContext } from '../pi/pi-types';
import type { FolderIdentity } from '../places/folder';
import { isAtOrBelow } from '../places/protected-paths';
import { OTHER_FOLDER, type ToolPlace } from '../places/workspace';
import { BASH_TOOL, createBashTool } from '../tools/bash';
import { EDIT_TOOL, FIND_TOOL, GREP_TOOL, LS_TOOL, READ_TOOL, WRITE_TOOL } from '../tools/file-tools';
import { type Finding, hashContent, hostTool, type HostTool, type ToolDefinition } from '../tools/gated-tool';
import { readingScope } from './approval-rules';
import type { ApprovalAsk, Approvals } from './approvals';
import type { PendingCall, PendingCalls } from './pending-calls';
import { type EditedCommand, tellsEdited, withEdit } from '@shared/edited-command';
import { DECLINED, DECLINED_IN_RESTRICTED, declinedBecause, type ExactContent } from '@shared/policy/approval';
import {
  type BlockedCall,
  type CallOutcome,
  EndedCall,
  isStoppedByPerson,
  NEVER_BEGAN,
  STOPPED_BEFORE_ALLOWED,
  STOPPED_BEFORE_CALL,
} from '@shared/policy/call-outcome';
import { describeToolCall } from '@shared/policy/describe';
import { scopesOffered } from '@shared/policy/stakes';
import {
  decideToolCall,
  isReadingTool,
  type StandingApproval,
  type ToolDecision,
  type ToolPolicy,
} from '@shared/policy/tool-policy';

/** The arguments of a `bash` call with another command in them. */
function withCommand(args: unknown, command: string): Record<string, unknown> {
  return { ...(args as Record<string, unknown>), command };
}

/** What was changed between the call and what was allowed; undefined if nothing was. */
function editOf(asked: ExactContent, allowed: ExactContent): EditedCommand | undefined {
  if (asked.kind !== 'command' || allowed.kind !== 'command' || asked.command === allowed.command) return undefined;
  return { asked: asked.command, ran: allowed.command };
}

/**
 * The result with a first line that tells the model what ran instead of what it asked for; `details.espalier.edited` keeps both
 * for the transcript.
 */
export function tellEdited(result: AgentToolResult<unknown>, edited: EditedCommand): AgentToolResult<unknown> {
  const line = tellsEdited(edited.ran);
  const [first, ...rest] = result.content;
  const content =
    first?.type === 'text'
      ? [{ ...first, text: `${line}\n${first.text}` }, ...rest]
      : [{ type: 'text' as const, text: line }, ...result.content];
  return { ...result, content, details: { ...(result.details as object), ...withEdit(edited) } };
}

/** The person's choices that tools follow; read again at each call. */
export interface ToolSettings {
  /** allow · ask · deny per tool name. */
  policy: ToolPolicy;
  /** Paths (absolute, `~/…`, or relative to the workspace) that no tool may touch, with everything below them. */
  deniedPaths: readonly string[];
  /** Commands may use the person's SSH agent. */
  sshAgent?: boolean;
}

export interface ToolHostOptions {
  workspaceDir: string;
  dataDir: string;
  /** Full outputs go to `<outputsDir>/<sessionId>/`. */
  outputsDir: string;
  /** The browser profile, where it lies outside dataDir. */
  profileDir?: string;
  sessionId: string;
  approvals: Approvals;
  /** Where it is noted which calls have not begun; without it that is not known after a crash. */
  asked?: PendingCalls;
  /** Keeps the command that will run in place of the call's. The call is made when it resolves, and not if it rejects. */
  keepEdit?: (toolCallId: string, command: string) => Promise<void>;
  /** The entry of the reply whose calls run; null while there is none. */
  replyId?: () => string | null;
  /** Where all work on files is done. */
  files: FileWorkers;
  /** How it is found out which folder stands at the path of the workspace, and what its git settings name. */
  looks?: Pick<FolderLooks, 'identify' | 'git' | 'isSilent'>;
  settings: () => ToolSettings;
  /** Real paths of the person's own skills that a model was told of: reading there is never asked for (EX18). */
  skillFolders?: () => readonly string[];
  /** Whether the person trusts the workspace now; asked at each call. */
  isTrusted: () => Promise<boolean>;
  /** Live output of `bash`: at most one chunk per 50 ms and call, of more only the end. */
  onOutput?: (output: { toolCallId: string; chunk: string }) => void;
}

/** A call, and where it is known the reply that it is one of. */
type CallContext = Pick<BeforeToolCallContext, 'toolCall' | 'args'> &
  Partial<Pick<BeforeToolCallContext, 'assistantMessage'>>;

export interface ToolHost {
  tools: AgentTool[];
  /** The loop's hook: decides, asks, and lets a call through once, bound to the hash of what was decided on. */
  beforeToolCall(context: CallContext, signal?: AbortSignal): Promise<BlockedCall | undefined>;
  /** The loop's hook: a command that failed, timed out or was stopped is an error result that keeps its output. */
  afterToolCall(context: { result: { details?: unknown } }): Promise<{ isError: true } | undefined>;
  /** Denies open questions and ends running commands; resolves when they are gone (at most 2 s). */
  dispose(): Promise<void>;
}

const TELLS =
  'The change can’t be made as the model asked. If you allow this, nothing is changed, and the model is told why, which can reveal something about the file.';
const UNAPPROVED = 'This call was not allowed: nothing was done.';

/** Why a call may not run, for the model. */
interface Refused {
  refusal: string;
  outcome: CallOutcome;
}

interface GatedCall {
  tool: string;
  toolCallId: string;
  args: unknown;
  /** What stood at the path of the workspace before the call was looked at; absent for a tool that is not ours. */
  folder?: FolderIdentity;
}

/** What a call would do, with what may be remembered of it in a folder that the person trusts or does not. */
interface Found extends Finding {
  isRestricted: boolean;
}

/** The tools of one session over one workspace, and their gate. */
export function createToolHost(options: ToolHostOptions): ToolHost {
  const { approvals, sessionId, looks = directLooks } = options;
  const sessionOutputs = join(options.outputsDir, sessionId);
  const skillFolders = (): readonly string[] => options.skillFolders?.() ?? [];
  const place = (folder?: FolderIdentity): ToolPlace => ({
    workspaceDir: options.workspaceDir,
    folder,
    dataDir: options.dataDir,
    profileDir: options.profileDir,
    readableDirs: [sessionOutputs, ...skillFolders()],
    deniedPaths: options.settings().deniedPaths,
  });
  const runner = new CommandRunner({
    runningDir: join(options.dataDir, 'running'),
    outputsDir: sessionOutputs,
    onOutput: options.onOutput,
    sshAgent: () => options.settings().sshAgent === true,
  });
  const fileTool = (definition: ToolDefinition): HostTool => remoteTool(definition, options.files, place, sessionId);
  const gated = new Map<string, HostTool>(
    [
      fileTool(READ_TOOL),
      fileTool(WRITE_TOOL),
      fileTool(EDIT_TOOL),
      hostTool(BASH_TOOL, (folder) =>
        createBashTool(
          {
            root: () => options.files.run('root', { place: place(folder) }, { sessionId }),
            gitPrograms: async (cwd) => (await looks.git(cwd)).programs,
          },
          runner,
        ),
      ),
      fileTool(GREP_TOOL),
      fileTool(FIND_TOOL),
      fileTool(LS_TOOL),
    ].map((tool) => [tool.name, tool]),
  );
  /** Calls that may run, by id, with the hash that they are bound to; each is used once. */
  const passes = new Map<
    string,
    { hash: string; folder?: FolderIdentity; edited?: EditedCommand; standing?: StandingApproval }
  >();

  function decisionOn(tool: string, found: Found, scopes: Found['scopes']): ToolDecision {
    return decideToolCall({
      tool,
      facts: {
        location: found.location,
        isOnUnknownMount: found.isOnUnknownMount,
        refusal: found.refusal,
        remembered: approvals.remembered(sessionId, scopes),
        isRestricted: found.isRestricted,
      },
      policy: options.settings().policy,
    });
  }

  function askedAbout(callId: string): PendingCall | null {
    const replyId = options.replyId?.();
    return typeof replyId === 'string' ? { sessionId, replyId, callId } : null;
  }

  /** Of calls that read it does not matter whether they began: the others alone are noted behind this one. */
  async function noteBegin(callId: string, reply: CallContext['assistantMessage']): Promise<void> {
    const noted = askedAbout(callId);
    if (!noted || !options.asked) return;
    const calls = reply?.content.filter((block) => block.type === 'toolCall') ?? [];
    const ids = calls.map(({ id }) => id);
    const place = ids.indexOf(callId);
    const isLate = ({ name }: { name: string }): boolean => gated.get(name)?.executionMode !== 'parallel';
    const next = calls.find((call, at) => at > place && isLate(call));
    await options.asked.begin(noted, ids, next?.id ?? null);
  }

  /** Why the call may not run, or what exactly may run instead of what was found: an edited command. */
  async function decide(
    call: GatedCall,
    inspected: Finding,
    signal?: AbortSignal,
  ): Promise<Refused | { exact: ExactContent; standing?: StandingApproval }> {
    const found = await withTrust(call, inspected);
    const decision = decisionOn(call.tool, found, found.scopes);
    if (decision.action === 'deny') return { refusal: decision.reason, outcome: 'failed' };
    if (await runsUnasked(call, found, decision)) {
      return found.failure === undefined
        ? { exact: found.exact, standing: decision.standing }
        : { refusal: found.failure, outcome: 'failed' };
    }
    const noted = askedAbout(call.toolCallId);
    if (noted) options.asked?.ask(noted);
    const answer = await approvals.request(sessionId, questionOn(call, inspected, found, decision.reason), signal);
    if (answer.outcome === 'allowed') return { exact: answer.exact };
    if (signal?.aborted) return { refusal: STOPPED_BEFORE_ALLOWED, outcome: 'notRun' };
    const refusal = answer.why === undefined ? DECLINED : declinedBecause(answer.why);
    // As it is now: trust may have changed while the question stood.
    const told = (await options.isTrusted()) ? refusal : `${refusal}\n${DECLINED_IN_RESTRICTED}`;
    return { refusal: told, outcome: 'declined' };
  }

  /** The question with its way to be decided again: the call is the same, what trust says of it is not. */
  function questionOn(call: GatedCall, inspected: Finding, found: Found, reason: string): ApprovalAsk {
    const decideAnew = async (): Promise<ApprovalAsk | null> => {
      const now = await withTrust(call, inspected);
      const decision = decisionOn(call.tool, now, now.scopes);
      const runs = await runsUnasked(call, now, decision);
      return runs ? null : questionOn(call, inspected, now, decision.reason);
    };
    return { ...questionAbout(call, found, reason), decideAnew };
  }

  /** What is wrong with a file is told unasked only where reading it would be; a change that fits follows its own decision. */
  async function runsUnasked(call: GatedCall, found: Found, decision: ToolDecision): Promise<boolean> {
    return isToTell(call.tool, found) ? readsUnasked(call, found) : decision.action === 'allow';
  }

  /** A change that cannot be made: what is left to decide is whether the model is told why. */
  function isToTell(tool: string, found: Finding): boolean {
    return found.failure !== undefined && !isReadingTool(tool);
  }

  async function readsUnasked(call: GatedCall, found: Finding): Promise<boolean> {
    const asReading = await withTrust({ ...call, tool: READ_TOOL.name }, { ...found, scopes: {} });
    return decisionOn(READ_TOOL.name, asReading, asReading.scopes).action === 'allow';
  }

  function questionAbout(call: GatedCall, found: Found, reason: string): ApprovalAsk {
    const { tool, toolCallId, args, folder } = call;
    const words = describeToolCall(tool, args);
    const title = `${words.ask} ${words.target}`;
    const { exact, scopes, isRestricted } = found;
    if (isToTell(tool, found))
      return { toolCallId, tool, title: `Read ${words.target}`, reason: TELLS, exact, folder, scopes: {} };
    const canEdit = exact.kind === 'command' && gated.has(tool);
    const edit = canEdit ? (command: string) => editedQuestion(call, exact.command, command) : undefined;
    return { toolCallId, tool, title, reason, exact, folder, scopes, edit, isRestricted };
  }

  /** The question about another command in place of the call's: a call of its own, whose answer is never remembered. */
  async function editedQuestion(call: GatedCall, asked: string, command: string): Promise<ApprovalAsk> {
    const args = withCommand(call.args, command);
    const inspected = await gated.get(call.tool)?.inspect(args, call.folder);
    if (!inspected) throw new Error('This call cannot be edited.');
    const found = await withTrust(call, inspected);
    const decision = decisionOn(call.tool, found, {});
    if (decision.action === 'deny') throw new Error(decision.reason);
    const question = questionAbout({ ...call, args }, { ...found, scopes: {} }, decision.reason);
    const decideAnew = (): Promise<ApprovalAsk> => editedQuestion(call, asked, command);
    return { ...question, decideAnew, edited: command === asked ? undefined : { asked } };
  }

  /** Where the folder is not trusted, one thing can be remembered, and for the session alone: that it may be read. */
  async function withTrust({ tool, folder }: GatedCall, found: Finding): Promise<Found> {
    if (readsSkill(tool, found) || (await options.isTrusted())) return { ...found, isRestricted: false };
    if (!folder || !isReadingTool(tool) || found.location !== 'inside')
      return { ...found, scopes: {}, isRestricted: true };
    const scopes = scopesOffered(found.exact, { session: readingScope(folder) }, homedir());
    return { ...found, scopes, isRestricted: true };
  }

  /** The person's own words for models have nothing to do with the folder that a session works in. */
  function readsSkill(tool: string, { location, exact }: Finding): boolean {
    if (!isReadingTool(tool) || location !== 'inside' || exact.kind !== 'path') return false;
    return skillFolders().some((folder) => isAtOrBelow(exact.path, folder));
  }

  async function execute(
    tool: HostTool,
    toolCallId: string,
    args: unknown,
    signal?: AbortSignal,
  ): ReturnType<AgentTool['execute']> {
    const pass = passes.get(toolCallId);
    passes.delete(toolCallId);
    if (pass === undefined) throw new EndedCall(UNAPPROVED, 'notRun');
    if (signal?.aborted) throw new EndedCall(isStoppedByPerson(signal) ? STOPPED_BEFORE_CALL : NEVER_BEGAN, 'notRun');
    const own = pass.edited ? withCommand(args, pass.edited.ran) : args;
    const result = await tool.perform(own, pass.hash, { toolCallId, folder: pass.folder, signal });
    if (pass.edited) return tellEdited(result, pass.edited);
    return pass.standing ? noteStanding(result, pass.standing) : result;
  }

  /** What a call would do, and in which folder: whatever stands at the path later is another one. */
  async function inspectOwn(tool: HostTool, args: unknown, signal?: AbortSignal): Promise<[Finding, FolderIdentity]> {
    const folder = await looks.identify(options.workspaceDir);
    const found = await tool.inspect(args, folder ?? undefined, signal);
    // Its own words about a folder that is gone come first; one that came meanwhile is not what was looked at.
    const { workspaceDir } = options;
    if (!folder) throw new Error(looks.isSilent(workspaceDir) ? notResponding(workspaceDir) : OTHER_FOLDER);
    return [found, folder];
  }

  return {
    tools: [...gated.values()].map((tool) => ({
      name: tool.name,
      label: tool.label,
      description: tool.description,
      parameters: tool.parameters,
      executionMode: tool.executionMode,
      execute: (toolCallId: string, args: unknown, signal?: AbortSignal) => execute(tool, toolCallId, args, signal),
    })),
    async beforeToolCall({ toolCall, args, assistantMessage }, signal) {
      const tool = gated.get(toolCall.name);
      const [found, folder] = tool ? await inspectOwn(tool, args, signal) : [inspectForeign(toolCall.name, args)];
      const verdict = await decide({ tool: toolCall.name, toolCallId: toolCall.id, args, folder }, found, signal);
      if ('refusal' in verdict) return { block: true, reason: verdict.refusal, outcome: verdict.outcome };
      const { exact, standing } = verdict;
      const edited = tool && editOf(found.exact, exact);
      try {
        if (edited) await options.keepEdit?.(toolCall.id, edited.ran);
        await noteBegin(toolCall.id, assistantMessage);
      } catch (error) {
        return { block: true, reason: `${(error as Error).message} This call was not made.`, outcome: 'notRun' };
      }
      if (tool) passes.set(toolCall.id, { hash: hashContent(tool.name, exact, folder), folder, edited, standing });
      return undefined;
    },
    async afterToolCall({ result }) {
      const details = result.details as { failed?: unknown } | null | undefined;
      return details?.failed === true ? { isError: true } : undefined;
    },
    async dispose() {
      approvals.closeSession(sessionId);
      passes.clear();
      await runner.dispose();
    },
  };
}

/** `details.espalier.standing` keeps for the transcript that nobody was asked: an earlier answer covered the call. */
function noteStanding(result: AgentToolResult<unknown>, standing: StandingApproval): AgentToolResult<unknown> {
  return { ...result, details: { ...(result.details as object), espalier: { standing } } };
}

/** A tool whose work the worker for files does, checks and opening in one place. */
function remoteTool(
  definition: ToolDefinition,
  files: FileWorkers,
  place: (folder?: FolderIdentity) => ToolPlace,
  sessionId: string,
): HostTool {
  const { name: tool } = definition;
  return {
    ...definition,
    inspect: (args, folder, signal) =>
      files.run('inspect', { place: place(folder), tool, args }, { signal, sessionId }),
    perform: (args, pass, { toolCallId, folder, signal }) =>
      files.run('perform', { place: place(folder), tool, args, pass, toolCallId }, { signal, sessionId }),
  };
}

/** A tool that is not ours (recall, extensions): nothing is known but its arguments, which are shown whole. */
function inspectForeign(name: string, args: unknown): Finding {
  const text = `${name} ${JSON.stringify(args, null, 2) ?? ''}`;
  return { location: 'none', exact: { kind: 'call', text }, scopes: {} };
}
