import { join } from 'node:path';
import { describeToolCall } from '@shared/policy/describe';
import { decideToolCall, type ToolPolicy } from '@shared/policy/tool-policy';
import type { AgentTool, BeforeToolCallContext, BeforeToolCallResult } from '../models/pi-types';
import type { Approvals } from './approvals';
import { createBashTool } from './bash';
import { hashContent } from './content-hash';
import { createEditTool } from './edit';
import { createFindTool } from './find';
import { eraseTool, type AnyGatedTool, type Inspection } from './gated-tool';
import { createGrepTool } from './grep';
import { createLsTool } from './ls';
import { createReadTool } from './read';
import { CommandRunner } from './run-command';
import { Workspace } from './workspace';
import { createWriteTool } from './write';

/** The person's choices that tools follow; read anew at each call. */
export interface ToolSettings {
  /** allow · ask · deny per tool name. */
  policy: ToolPolicy;
  /** Paths (absolute, `~/…`, or relative to the workspace) that no tool may touch, with everything below them. */
  deniedPaths: readonly string[];
}

export interface ToolHostOptions {
  workspaceDir: string;
  dataDir: string;
  /** Full outputs go to `<outputsDir>/<sessionId>/`. */
  outputsDir: string;
  sessionId: string;
  approvals: Approvals;
  settings: () => ToolSettings;
  /** Live output of `bash`: at most one chunk per 50 ms and call, of more only the end. */
  onOutput?: (output: { toolCallId: string; chunk: string }) => void;
}

export interface ToolHost {
  tools: AgentTool[];
  /** The loop's hook: decides, asks, and lets a call through once, bound to the hash of what was decided on. */
  beforeToolCall(
    context: Pick<BeforeToolCallContext, 'toolCall' | 'args'>,
    signal?: AbortSignal,
  ): Promise<BeforeToolCallResult | undefined>;
  /** The loop's hook: a command that failed, timed out or was stopped is an error result that keeps its output. */
  afterToolCall(context: { result: { details?: unknown } }): Promise<{ isError: true } | undefined>;
  /** Denies open questions and ends running commands; resolves when they are gone (at most 2 s). */
  dispose(): Promise<void>;
}

export const DECLINED =
  'The person declined this. Do not try it again in another form; say what you wanted to do and why, or go on without it.';
const STOPPED = 'The run was stopped before this was allowed. Nothing was done.';
const UNAPPROVED = 'This call was not allowed: nothing was done.';
const CHANGED =
  'What would run is no longer what was allowed (the call or the file changed since). Nothing was done. Look at the current state and try again.';

/** The tools of one session over one workspace, and their gate. */
export function createToolHost(options: ToolHostOptions): ToolHost {
  const { approvals, sessionId } = options;
  const sessionOutputs = join(options.outputsDir, sessionId);
  const workspace = new Workspace({
    workspaceDir: options.workspaceDir,
    dataDir: options.dataDir,
    readableDirs: [sessionOutputs],
    deniedPaths: () => options.settings().deniedPaths,
  });
  const runner = new CommandRunner({
    runningDir: join(options.dataDir, 'running'),
    outputsDir: sessionOutputs,
    onOutput: options.onOutput,
  });
  const gated = new Map<string, AnyGatedTool>(
    [
      eraseTool(createReadTool(workspace)),
      eraseTool(createWriteTool(workspace)),
      eraseTool(createEditTool(workspace)),
      eraseTool(createBashTool(workspace, runner)),
      eraseTool(createGrepTool(workspace)),
      eraseTool(createFindTool(workspace)),
      eraseTool(createLsTool(workspace)),
    ].map((tool) => [tool.name, tool]),
  );
  /** Calls that may run, by id, with the hash that they are bound to; each is used once. */
  const passes = new Map<string, string>();

  async function decide(
    tool: string,
    toolCallId: string,
    args: unknown,
    found: Inspection<unknown>,
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    const decision = decideToolCall({
      tool,
      facts: {
        location: found.location,
        refusal: found.refusal,
        remembered: approvals.remembered(sessionId, found.scopes),
      },
      policy: options.settings().policy,
    });
    if (decision.action === 'deny') return decision.reason;
    if (decision.action === 'allow') return undefined;
    const words = describeToolCall(tool, args);
    const title = `${words.ask} ${words.target}`;
    const outcome = await approvals.request(
      sessionId,
      { toolCallId, tool, title, reason: decision.reason, exact: found.exact, scopes: found.scopes },
      signal,
    );
    if (outcome === 'allowed') return undefined;
    return signal?.aborted ? STOPPED : DECLINED;
  }

  async function execute(
    tool: AnyGatedTool,
    toolCallId: string,
    args: unknown,
    signal?: AbortSignal,
  ): ReturnType<AgentTool['execute']> {
    const pass = passes.get(toolCallId);
    passes.delete(toolCallId);
    if (pass === undefined) throw new Error(UNAPPROVED);
    signal?.throwIfAborted();
    const found = await tool.inspect(args);
    if (found.refusal !== undefined) throw new Error(found.refusal);
    if (hashContent(tool.name, found.exact) !== pass) throw new Error(CHANGED);
    return tool.run(found.plan, { toolCallId, signal });
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
    async beforeToolCall({ toolCall, args }, signal) {
      const tool = gated.get(toolCall.name);
      const found = tool ? await tool.inspect(args) : inspectForeign(toolCall.name, args);
      const reason = await decide(toolCall.name, toolCall.id, args, found, signal);
      if (reason !== undefined) return { block: true, reason };
      if (tool) passes.set(toolCall.id, hashContent(tool.name, found.exact));
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

/** A tool that is not ours (recall, extensions): nothing is known but its arguments, which are shown whole. */
function inspectForeign(name: string, args: unknown): Inspection<undefined> {
  const text = `${name} ${JSON.stringify(args, null, 2) ?? ''}`;
  return { location: 'none', exact: { kind: 'call', text }, scopes: {}, plan: undefined };
}
