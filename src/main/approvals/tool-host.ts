import { homedir } from 'node:os';
import { join } from 'node:path';
import { CommandRunner } from '../commands/run-command';
import { directLooks, notResponding } from '../files/looks';
import type { AgentTool, BeforeToolCallContext } from '../pi/pi-types';
import type { FolderIdentity } from '../places/folder';
import { isAtOrBelow } from '../places/protected-paths';
import { OTHER_FOLDER, type ToolPlace } from '../places/workspace';
import { BASH_TOOL, createBashTool } from '../tools/bash';
import { EDIT_TOOL, FIND_TOOL, GREP_TOOL, LS_TOOL, READ_TOOL, WRITE_TOOL } from '../tools/file-tools';
import {
  type Finding,
  hashContent,
  hostTool,
  type HostTool,
  type RunContext,
  type ToolDefinition,
} from '../tools/gated-tool';
import { readingScope } from './approval-rules';
import { chooseTools } from '../extensions/choose-tools';
import { type PromptLines, promptLinesOf } from '../extensions/prompt-lines';
import type { ToolFacts } from '../extensions/session-door';
import type { OutsideTool } from '../extensions/tool-source';
import type { ApprovalAsk } from './approvals';
import { editOf, tellEdited, withCommand } from './edited-call';
import { inspectForeign, outsideTool } from './outside-tool';
import { OutputUpdates } from './output-updates';
import { remoteTool } from './remote-tool';
import { noteStanding } from './standing-note';
import type { ToolHostOptions } from './tool-host-options';
import type { PendingCall } from './pending-calls';
import type { EditedCommand } from '@shared/edited-command';
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
import { decideToolCall, isReadingTool, type StandingApproval, type ToolDecision } from '@shared/policy/tool-policy';

/** A call, and where it is known the reply that it is one of. */
type CallContext = Pick<BeforeToolCallContext, 'toolCall' | 'args'> &
  Partial<Pick<BeforeToolCallContext, 'assistantMessage'>>;

export interface ToolHost {
  /** Those of the run under way. */
  readonly tools: AgentTool[];
  /** What their arguments are checked by on this thread, where that is not what a model is told (EX23). */
  checkedBy(name: string): AgentTool['parameters'] | undefined;
  /** What tools of extensions want the system prompt of the run to say. */
  promptLines(): PromptLines;
  /** What there is for the next run. */
  offered(): { all: ToolFacts[]; active: string[] };
  /** A run begins: its tools are those of now, until the next one begins. */
  fix(): void;
  /** The loop's hook: decides, asks, and lets a call through once, bound to the hash of what was decided on. */
  beforeToolCall(context: CallContext, signal?: AbortSignal): Promise<BlockedCall | undefined>;
  /** The loop's hook: a command that failed, timed out or was stopped is an error result that keeps its output. */
  afterToolCall(context: {
    toolCall?: { id: string };
    result: { details?: unknown };
  }): Promise<{ isError: true } | undefined>;
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
    formerDirs: options.formerDirs,
    readableDirs: [sessionOutputs, ...skillFolders()],
    deniedPaths: options.settings().deniedPaths,
  });
  const updates = new OutputUpdates();
  const runner = new CommandRunner({
    runningDir: join(options.dataDir, 'running'),
    outputsDir: sessionOutputs,
    onOutput: (output) => {
      options.onOutput?.(output);
      updates.take(output.toolCallId, output.chunk);
    },
    sshAgent: () => options.settings().sshAgent === true,
  });
  const fileTool = (definition: ToolDefinition): HostTool => remoteTool(definition, options.files, place, sessionId);
  const own = new Map<string, HostTool>(
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
  /** What the run under way can call: ours and those from outside, fixed when it began. */
  let gated: ReadonlyMap<string, HostTool> = own;
  let outside: ReadonlyMap<string, OutsideTool> = new Map();
  /** Calls of outside tools whose result says of itself that it is a failure. */
  const failed = new Set<string>();
  /** Calls that may run, by id, with the hash that they are bound to; each is used once. */
  const passes = new Map<
    string,
    { hash: string; folder?: FolderIdentity; edited?: EditedCommand; standing?: StandingApproval }
  >();

  function decisionOn(tool: string, found: Found, scopes: Found['scopes']): ToolDecision {
    const theirs = outside.get(tool);
    const isConfirmed = theirs?.readOnlyHint === true && theirs.isConfirmedReadOnly === true;
    return decideToolCall({
      // One that stands in the place of ours is none of ours: what is said of that does not hold for it.
      tool: theirs ? `${theirs.origin.kind}:${tool}` : tool,
      facts: {
        location: found.location,
        isOnUnknownMount: found.isOnUnknownMount,
        refusal: found.refusal,
        remembered: isConfirmed ? 'always' : approvals.remembered(sessionId, scopes),
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
    return found.failure !== undefined && !isReadingTool(tool) && !outside.has(tool);
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
    if ((!outside.has(tool) && readsSkill(tool, found)) || (await options.isTrusted()))
      return { ...found, isRestricted: false };
    if (!folder || outside.has(tool) || !isReadingTool(tool) || found.location !== 'inside')
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
    interim?: RunContext['interim'],
  ): ReturnType<AgentTool['execute']> {
    const pass = passes.get(toolCallId);
    passes.delete(toolCallId);
    if (pass === undefined) throw new EndedCall(UNAPPROVED, 'notRun');
    if (signal?.aborted) throw new EndedCall(isStoppedByPerson(signal) ? STOPPED_BEFORE_CALL : NEVER_BEGAN, 'notRun');
    const own = pass.edited ? withCommand(args, pass.edited.ran) : args;
    const isHeard = interim && tool.name === BASH_TOOL.name && options.hearsUpdates?.();
    const ends = isHeard ? updates.watch(toolCallId, interim) : undefined;
    const result = await tool
      .perform(own, pass.hash, { toolCallId, folder: pass.folder, signal, interim })
      .finally(ends);
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

  /** An outside tool knows no folder; nor does one that is unknown. */
  async function findingOf(
    tool: HostTool | undefined,
    name: string,
    args: unknown,
    signal?: AbortSignal,
  ): Promise<[Finding, FolderIdentity?]> {
    if (!tool) return [inspectForeign(name, args)];
    return own.get(name) === tool ? inspectOwn(tool, args, signal) : [await tool.inspect(args)];
  }

  const asAgentTool = (tool: HostTool): AgentTool => ({
    name: tool.name,
    label: tool.label,
    description: tool.description,
    parameters: tool.parameters,
    executionMode: tool.executionMode,
    execute: (toolCallId, args: unknown, signal, onUpdate) => execute(tool, toolCallId, args, signal, onUpdate),
  });
  let tools = [...own.values()].map(asAgentTool);

  /** Which of the tools the model may call. */
  function activeIn(chosen: readonly OutsideTool[]): (name: string) => boolean {
    const active = options.activeTools?.() ?? null;
    const off = new Set(chosen.filter(({ isOff }) => isOff).map(({ name }) => name));
    return (name) => (active === null ? !off.has(name) : active.includes(name));
  }

  return {
    get tools() {
      return tools;
    },
    checkedBy: (name) => gated.get(name)?.checkedBy,
    promptLines: () => promptLinesOf([...outside.values()].filter(({ name }) => gated.has(name))),
    offered() {
      const chosen = chooseTools(options.outside?.() ?? [], [...own.keys()]).tools;
      const theirs = new Map(chosen.map((tool) => [tool.name, tool]));
      const ours = [...own.values()].filter(({ name }) => !theirs.has(name));
      const all = [...ours, ...chosen].map(({ name, label, description, parameters }) => ({
        ...{ name, label, description, parameters: parameters as unknown },
        origin: theirs.get(name)?.origin ?? null,
      }));
      return { all, active: all.map(({ name }) => name).filter(activeIn(chosen)) };
    },
    fix() {
      const offered = options.outside?.() ?? [];
      const chosen = chooseTools(offered, [...own.keys()]).tools;
      const onFailed = (callId: string): void => void failed.add(callId);
      const around = { folder: options.workspaceDir, outputsDir: sessionOutputs, onFailed };
      const added = chosen.map((tool) => [tool.name, outsideTool(tool, around)] as const);
      const all = new Map([...own, ...added]);
      const isActive = activeIn(chosen);
      gated = new Map([...all].filter(([name]) => isActive(name)));
      outside = new Map(chosen.map((tool) => [tool.name, tool]));
      tools = [...gated.values()].map(asAgentTool);
    },
    async beforeToolCall({ toolCall, args, assistantMessage }, signal) {
      const tool = gated.get(toolCall.name);
      const [found, folder] = await findingOf(tool, toolCall.name, args, signal);
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
    async afterToolCall({ toolCall, result }) {
      if (toolCall && failed.delete(toolCall.id)) return { isError: true };
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
