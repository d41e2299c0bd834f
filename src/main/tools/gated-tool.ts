import { homedir } from 'node:os';
import type { Static, TSchema } from 'typebox';
import { createHash } from 'node:crypto';
import type { AgentTool, AgentToolResult } from '../pi/pi-types';
import type { FolderIdentity } from '../places/folder';
import type { ResolvedPath } from '../places/workspace';
import { type ApprovalScope, canonicalContent, type ExactContent, type ExactPlace } from '@shared/policy/approval';
import { scopesOffered } from '@shared/policy/stakes';
import type { ToolFacts } from '@shared/policy/tool-policy';

/** SHA-256 in hex of bytes or UTF-8 text. */
export function hashBytes(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex');
}

/**
 * The content hash of a call: the tool's name, everything that the card shows, and which folder stood at the workspace's path. A diff takes part by its own hash: as JSON
 * a large one would hold up main for as long as it takes to draw several frames.
 */
export function hashContent(tool: string, exact: ExactContent | ApprovalScope, folder?: FolderIdentity): string {
  const bound = exact.kind === 'diff' ? { ...exact, diff: hashBytes(exact.diff) } : exact;
  return hashBytes(canonicalContent({ v: 1, tool, exact: bound, folder }));
}

/** What the model is told of a tool. */
export interface ToolDefinition<TParameters extends TSchema = TSchema> {
  name: string;
  label: string;
  description: string;
  parameters: TParameters;
  /** What its arguments are checked by on main's thread, where that is not what a model is told of them (EX23). */
  checkedBy?: TSchema;
  executionMode?: AgentTool['executionMode'];
}

/** What a call would do, found out before it is allowed and again before it runs. Plain data. */
export interface Finding {
  location: ToolFacts['location'];
  isOnUnknownMount?: boolean;
  /** The target may not be touched: the sentence for the model. The call is then not run. */
  refusal?: string;
  exact: ExactContent;
  scopes: { session?: ApprovalScope; always?: ApprovalScope };
  /**
   * The call cannot work, for a reason that lies in the files: the sentence for the model, which tells something of them.
   * `exact` then names the path alone; allowing it allows the model to be told.
   */
  failure?: string;
}

/** A finding with what the tool needs to act on it. */
export interface Inspection<TPlan> extends Finding {
  failure?: undefined;
  plan: TPlan;
}

/** A call that fails for a reason that lies in the files. */
export interface FailedInspection extends Finding {
  failure: string;
}

export interface RunContext {
  toolCallId: string;
  /** The folder that stood at the workspace's path when the call was allowed. */
  folder?: FolderIdentity;
  signal?: AbortSignal;
  /** Tells the result as it would be if the call were ended now: work that takes too long gives the last one. */
  interim?: (result: AgentToolResult<unknown>) => void;
  /** Told right before something is changed: from then on the call is not cut off. */
  committing?: () => void;
}

/**
 * What a tool does, in two steps. `inspect` has no side effect. It throws an Error with a plain message for what is wrong with the
 * arguments themselves: the model is told at once, so what depends on a file goes into `failure`, which is told only where
 * reading is allowed (docs/specs/tools.md). `run` does exactly what the inspection says.
 */
export interface ToolWork<TArgs, TPlan, TDetails> {
  inspect(args: TArgs): Promise<Inspection<TPlan> | FailedInspection>;
  run(plan: TPlan, context: RunContext): Promise<AgentToolResult<TDetails>>;
}

/** A tool as its host uses it, wherever it does its work. */
export interface HostTool extends ToolDefinition {
  /** @param folder what stands at the workspace's path: the inspection is of that, or throws */
  inspect(args: unknown, folder?: FolderIdentity, signal?: AbortSignal): Promise<Finding>;
  /**
   * Inspects the call again and runs it if the folder is still the one of the context and its hash still `pass`, the one that was
   * allowed; else throws.
   */
  perform(args: unknown, pass: string, context: RunContext): Promise<AgentToolResult<unknown>>;
}

const CHANGED =
  'What would run is no longer what was allowed (the call or the file changed since). Nothing was done. Look at the current state and try again.';

/** A tool whose work is done here, in a folder: arguments were validated against `parameters` by the loop. */
export function hostTool<P extends TSchema, TPlan, TDetails>(
  definition: ToolDefinition<P>,
  workIn: (folder?: FolderIdentity) => ToolWork<Static<P>, TPlan, TDetails>,
): HostTool {
  return {
    ...definition,
    inspect: (args, folder) => inspectCall(workIn(folder), args as Static<P>),
    perform: (args, pass, context) =>
      performCall(definition.name, workIn(context.folder), args as Static<P>, pass, context),
  };
}

/** The finding of a call. */
export async function inspectCall<TArgs, TPlan>(work: ToolWork<TArgs, TPlan, unknown>, args: TArgs): Promise<Finding> {
  const { location, isOnUnknownMount, refusal, exact, scopes, failure } = await work.inspect(args);
  // Here, where the tool does its work: of a change this goes through all of its text.
  return { location, isOnUnknownMount, refusal, exact, scopes: scopesOffered(exact, scopes, homedir()), failure };
}

/** Inspects and runs a call in one place, bound to the hash that was allowed. */
export async function performCall<TArgs, TPlan, TDetails>(
  name: string,
  work: ToolWork<TArgs, TPlan, TDetails>,
  args: TArgs,
  pass: string,
  context: RunContext,
): Promise<AgentToolResult<TDetails>> {
  const found = await work.inspect(args);
  if (found.refusal !== undefined) throw new Error(found.refusal);
  if (hashContent(name, found.exact, context.folder) !== pass) throw new Error(CHANGED);
  if (found.failure !== undefined) throw new Error(found.failure);
  return work.run(found.plan, context);
}

/** One text block. */
export function textResult<TDetails>(text: string, details: TDetails): AgentToolResult<TDetails> {
  return { content: [{ type: 'text', text }], details };
}

/** Where a path lies, as a question tells it and its hash covers it. */
export function exactPlace({ location, isOnUnknownMount }: ResolvedPath): ExactPlace {
  return { outside: location === 'outside', onMount: isOnUnknownMount === true ? true : undefined };
}

const SENTENCES: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist.',
  ENOTDIR: 'treats a file as a folder.',
  EISDIR: 'is a folder. Use ls to list it.',
  EACCES: 'cannot be opened: permission denied.',
  EPERM: 'cannot be changed: the system does not permit it.',
  EROFS: 'is on a read-only disk.',
  ENOSPC: 'could not be written: the disk is full. The old file is unchanged.',
  EDQUOT: 'could not be written: your disk quota is used up. The old file is unchanged.',
  ENAMETOOLONG: 'has a name that is too long.',
  EMFILE: 'could not be opened: too many files are open. Try again.',
  EIO: 'could not be read or written: the disk reports an error.',
};

/** A system error about a file as a sentence; other errors pass unchanged. */
export function explainFileError(error: unknown, shown: string): Error {
  const { code, message } = error as NodeJS.ErrnoException;
  const sentence = code === undefined ? undefined : SENTENCES[code];
  if (sentence !== undefined) return new Error(`${shown} ${sentence}`, { cause: error });
  return error instanceof Error ? error : new Error(message);
}
