import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TSchema } from 'typebox';
import { keepWithinQuota } from '../commands/output-quota';
import { plainJson } from '../extensions/check-answers';
import { checkContent } from '../extensions/check-run-answers';
import { plainSchema } from '../extensions/plain-schema';
import type { OutsideResult, OutsideTool } from '../extensions/tool-source';
import type { AgentToolResult } from '../pi/pi-types';
import { type Finding, hashBytes, hashContent, type HostTool } from '../tools/gated-tool';
import { isRecord } from '@shared/checks';
import { MAX_SESSION_OUTPUT_BYTES, MAX_TOOL_OUTPUT_BYTES, MAX_TOOL_OUTPUT_LINES } from '@shared/limits';
import { type ApprovalScope, canonicalContent, type ExactContent } from '@shared/policy/approval';
import { EndedCall } from '@shared/policy/call-outcome';
import { scopesOffered } from '@shared/policy/stakes';
import type { ImageBlock, TextBlock } from '@shared/session/records/entry';

const STOPPED = 'The call was stopped.';

/** A result of an outside tool as the loop takes it; `failed` makes it an error that keeps its details. */
interface CheckedResult extends AgentToolResult<unknown> {
  failed: boolean;
}

/**
 * A tool of an extension or an MCP server as its host uses it: what it would do is known by its name and arguments alone, all of
 * which are shown and bound to the answer. What it answers is checked and cut; the whole is kept in a file.
 * @param folder the workspace of its session: an answer about the tool is remembered for that
 * @param outputsDir where outputs of the session are kept
 * @param onFailed hears of calls whose result says of itself that it is a failure
 */
export function outsideTool(
  tool: OutsideTool,
  { folder, outputsDir, onFailed }: { folder: string; outputsDir: string; onFailed: (callId: string) => void },
): HostTool {
  const { name, label, description, parameters, origin } = tool;
  const exactOf = (args: unknown): ExactContent => ({
    kind: 'call',
    text: wholeText(name, args),
    origin,
    ...(tool.readOnlyHint ? { readOnly: true as const } : {}),
    ...(tool.overrides ? { overrides: true as const } : {}),
  });
  const inspect = (args: unknown): Finding => {
    const exact = exactOf(args);
    const scope = toolScope(tool.standsFor ? tool.standsFor(args) : tool, folder);
    const scopes = scope ? scopesOffered(exact, { session: scope, always: scope }, homedir()) : {};
    return { location: 'none', exact, scopes };
  };
  return {
    name,
    label,
    description,
    parameters: parameters as unknown as TSchema,
    checkedBy: checkedBy(tool),
    executionMode: tool.isSequential ? 'sequential' : 'parallel',
    inspect: (args) => Promise.resolve(inspect(args)),
    async perform(args, pass, { toolCallId, signal = new AbortController().signal, interim }) {
      if (hashContent(name, exactOf(args)) !== pass) throw new Error('What would run is no longer what was allowed.');
      const onUpdate = (partial: OutsideResult): void => interim?.(partialOf(partial));
      const work = tool.execute(toolCallId, args as Record<string, unknown>, signal, onUpdate);
      const { failed, ...result } = await shortened(checked(await unlessStopped(work, signal), outputsDir), outputsDir);
      if (failed) onFailed(toolCallId);
      return result;
    },
  };
}

/** What an answer about a tool is remembered for: all its calls in one workspace; null: nothing of it is, as of what takes the place of a tool of ours. */
function toolScope(tool: OutsideTool | undefined, folder: string): ApprovalScope | null {
  if (tool?.source === undefined || tool.overrides) return null;
  const { name, origin } = tool;
  return {
    kind: 'tool',
    tool: name,
    origin: { kind: origin.kind, name: origin.name },
    identity: identityOf(tool),
    folder,
  };
}

const identities = new WeakMap<OutsideTool, string>();

/** What it comes from and all that a model is told of it. */
function identityOf(tool: OutsideTool): string {
  const { source, name, description, parameters } = tool;
  const known = identities.get(tool) ?? hashBytes(canonicalContent({ v: 1, source, name, description, parameters }));
  identities.set(tool, known);
  return known;
}

/** By the schema, so that a run that begins costs nothing for tools that it had before. */
const checks = new WeakMap<object, TSchema>();
const ANY_ARGUMENTS = plainSchema({}) as TSchema;

function checkedBy({ parameters, isPrepared }: OutsideTool): TSchema {
  if (isPrepared) return ANY_ARGUMENTS;
  const known = checks.get(parameters) ?? (plainSchema(parameters) as TSchema);
  checks.set(parameters, known);
  return known;
}

/** A tool that does not end when it is told to must not hold the run. */
async function unlessStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = (): void => undefined;
  const stopped = new Promise<never>((_resolve, reject) => {
    stop = () => reject(new EndedCall(STOPPED, 'stopped'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** What came back, as far as it can be used. @throws Error with words for the model */
function checked(result: unknown, outputsDir: string): CheckedResult {
  if (!isRecord(result)) throw new Error('The tool gave no result.');
  const { content, details, isError, terminate } = result;
  const said = checkContent(content ?? []);
  if (!said.ok) throw new Error(`The tool gave a result that cannot be used: ${said.problem}.`);
  const kept = plainJson(details);
  const blocks = typeof said.value === 'string' ? [{ type: 'text' as const, text: said.value }] : said.value;
  const left = kept.ok ? '' : `Details of this result were left out: they ${kept.problem.replace(/^is/, 'are')}.`;
  const note: TextBlock[] = left === '' ? [] : [{ type: 'text', text: left }];
  return {
    content: [...blocks, ...note],
    details: withoutOurs(kept.ok ? kept.value : undefined, outputsDir),
    ...(terminate === true ? { terminate } : {}),
    failed: isError === true,
  };
}

/** What is ours in details no tool may say of itself: what was edited, allowed, or became of a call. */
function withoutOurs(details: unknown, outputsDir: string): unknown {
  if (!isRecord(details)) return details;
  const { espalier: _, fullOutputPath, ...rest } = details;
  // An output of this session, where whoever fetched the result has kept the whole of it already.
  const isOutput = typeof fullOutputPath === 'string' && dirname(fullOutputPath) === outputsDir;
  return isOutput ? { ...rest, fullOutputPath } : rest;
}

function partialOf(partial: unknown): AgentToolResult<unknown> {
  const { content, details } = isRecord(partial) ? partial : {};
  const said = checkContent(content ?? []);
  const blocks = said.ok && typeof said.value !== 'string' ? said.value : [];
  return { content: blocks, details: plainJson(details).ok ? details : undefined };
}

/** The text of a result within what a tool may say; the whole goes to a file. */
async function shortened(result: CheckedResult, outputsDir: string): Promise<CheckedResult> {
  const texts = result.content.filter((block): block is TextBlock => block.type === 'text');
  const whole = texts.map(({ text }) => text).join('\n');
  const start = beginningOf(whole);
  if (start.length === whole.length) return result;
  const path = await keep(whole, outputsDir);
  const bytes = Buffer.byteLength(whole);
  const where = path === null ? 'The rest could not be kept.' : `All of it: ${path}`;
  const note = `\n[Cut: the first ${Buffer.byteLength(start)} of ${bytes} bytes. ${where}]`;
  const images = result.content.filter((block): block is ImageBlock => block.type === 'image');
  const details = isRecord(result.details)
    ? result.details
    : result.details === undefined
      ? {}
      : { value: result.details };
  return {
    ...result,
    content: [{ type: 'text', text: `${start}${note}` }, ...images],
    details: path === null ? details : { ...details, fullOutputPath: path },
  };
}

/** As many whole lines as a result may have; of one long line its beginning. */
function beginningOf(text: string): string {
  const lines = text.split('\n');
  if (lines.length <= MAX_TOOL_OUTPUT_LINES && Buffer.byteLength(text) <= MAX_TOOL_OUTPUT_BYTES) return text;
  let bytes = 0;
  let count = 0;
  while (count < Math.min(lines.length, MAX_TOOL_OUTPUT_LINES)) {
    bytes += Buffer.byteLength(lines[count] as string) + 1;
    if (bytes > MAX_TOOL_OUTPUT_BYTES) break;
    count += 1;
  }
  if (count > 0) return lines.slice(0, count).join('\n');
  // Cut between characters: what is left of one at the end is no text.
  return Buffer.from(text)
    .subarray(0, MAX_TOOL_OUTPUT_BYTES)
    .toString('utf8')
    .replace(/\uFFFD+$/u, '');
}

async function keep(text: string, outputsDir: string): Promise<string | null> {
  const path = join(outputsDir, `tool-${randomBytes(8).toString('hex')}.txt`);
  try {
    await mkdir(outputsDir, { recursive: true, mode: 0o700 });
    await writeFile(path, text, { flag: 'wx', mode: 0o600 });
    await keepWithinQuota(outputsDir, MAX_SESSION_OUTPUT_BYTES, () => false);
    return path;
  } catch {
    return null;
  }
}

const wholeText = (name: string, args: unknown): string => `${name} ${JSON.stringify(args, null, 2) ?? ''}`;

/** A tool that is not there: nothing is known but its arguments, which are shown whole. */
export const inspectForeign = (name: string, args: unknown): Finding => ({
  ...{ location: 'none', scopes: {} },
  exact: { kind: 'call', text: wholeText(name, args) },
});
