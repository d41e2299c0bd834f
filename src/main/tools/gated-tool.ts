import type { ApprovalScope, ExactContent } from '@shared/policy/approval';
import type { ToolFacts } from '@shared/policy/tool-policy';
import type { Static, TSchema } from 'typebox';
import type { AgentTool, AgentToolResult } from '../models/pi-types';

/** What a call would do, found out before it is allowed and again before it runs. */
export interface Inspection<TPlan> {
  location: ToolFacts['location'];
  /** The target may not be touched: the sentence for the model. `plan` is then not run. */
  refusal?: string;
  exact: ExactContent;
  scopes: { session?: ApprovalScope; always?: ApprovalScope };
  plan: TPlan;
}

export interface RunContext {
  toolCallId: string;
  signal?: AbortSignal;
}

/**
 * A tool in two steps. `inspect` has no side effect and throws an Error with a plain message where the call cannot work
 * (nothing to approve then); `run` does exactly what the inspection says.
 */
export interface GatedTool<TParameters extends TSchema, TPlan, TDetails> {
  name: string;
  label: string;
  description: string;
  parameters: TParameters;
  executionMode?: AgentTool['executionMode'];
  inspect(args: Static<TParameters>): Promise<Inspection<TPlan>>;
  run(plan: TPlan, context: RunContext): Promise<AgentToolResult<TDetails>>;
}

/** A gated tool whose types were checked where it was made. */
export interface AnyGatedTool {
  name: string;
  label: string;
  description: string;
  parameters: TSchema;
  executionMode?: AgentTool['executionMode'];
  inspect(args: unknown): Promise<Inspection<unknown>>;
  run(plan: unknown, context: RunContext): Promise<AgentToolResult<unknown>>;
}

/** Forgets the types of a tool: arguments were validated against `parameters` by the loop, plans come from `inspect`. */
export function eraseTool<P extends TSchema, TPlan, TDetails>(tool: GatedTool<P, TPlan, TDetails>): AnyGatedTool {
  return {
    ...tool,
    inspect: (args) => tool.inspect(args as Static<P>),
    run: (plan, context) => tool.run(plan as TPlan, context),
  };
}

/** One text block. */
export function textResult<TDetails>(text: string, details: TDetails): AgentToolResult<TDetails> {
  return { content: [{ type: 'text', text }], details };
}
