import { hashBytes } from '../../tools/gated-tool';
import { isRecord } from '@shared/checks';
import { canonicalContent } from '@shared/policy/approval';

/** How a server of the Model Context Protocol is reached, as its file says, with nothing expanded. */
export type McpDefinition = StdioDefinition | HttpDefinition;

interface Common {
  /** Milliseconds that a request has; progress starts it anew. */
  timeoutMs: number;
  /** False: the entry is kept, and nothing is started. */
  enabled: boolean;
}

interface StdioDefinition extends Common {
  kind: 'stdio';
  command: string;
  args: string[];
  env: Record<string, string>;
  /** Relative to the session's folder; absent: that folder. */
  cwd?: string;
}

interface HttpDefinition extends Common {
  kind: 'http';
  url: string;
  headers: Record<string, string>;
  oauth?: { clientId?: string; clientSecret?: string; scope?: string; callbackPort?: number };
}

/** What a file says of servers: those that can be used, and in a sentence each what can't. */
export interface ParsedServers {
  servers: Map<string, McpDefinition>;
  problems: string[];
}

const MAX_SERVERS = 100;
const MAX_NAME = /^[A-Za-z0-9_-]{1,40}$/;
const MAX_TEXT = 8_192;
const MAX_ARGS = 200;
const MAX_PAIRS = 100;
const ENV_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,199}$/;
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,200}$/;
/** Seconds. */
const USUAL_TIMEOUT = 60;
const MAX_TIMEOUT = 3_600;

/** Reads `mcpServers` of a file in the shape that pi and other clients use. Each entry by itself: a bad one costs no other. */
export function parseServers(json: unknown): ParsedServers {
  const problems: string[] = [];
  const servers = new Map<string, McpDefinition>();
  const given = isRecord(json) ? json.mcpServers : undefined;
  if (given === undefined) return { servers, problems };
  if (!isRecord(given)) return { servers, problems: ['“mcpServers” is not an object.'] };
  const entries = Object.entries(given);
  if (entries.length > MAX_SERVERS)
    problems.push(`Only the first ${MAX_SERVERS} servers of ${entries.length} are read.`);
  const folded = new Set<string>();
  for (const [name, entry] of entries.slice(0, MAX_SERVERS)) {
    const shown = name.length > 60 ? `${name.slice(0, 60)}…` : name;
    try {
      if (!MAX_NAME.test(name)) throw new RangeError('a name may have up to 40 letters, digits, “_” and “-”');
      // Tools are named by the server, and a name of a tool knows no difference between the two.
      if (folded.has(foldName(name))) throw new RangeError('another server has this name');
      servers.set(name, parseDefinition(entry));
      folded.add(foldName(name));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      problems.push(`“${shown}” can’t be used: ${error.message}.`);
    }
  }
  return { servers, problems };
}

/** How a server's name stands in the names of its tools. */
export function foldName(name: string): string {
  return name.replaceAll('-', '_').toLowerCase();
}

/** One entry of `mcpServers`. @throws RangeError that completes “can’t be used: ” */
function parseDefinition(entry: unknown): McpDefinition {
  if (!isRecord(entry)) throw new RangeError('it is not an object');
  const type = entry.type === 'streamable-http' || entry.type === 'streamableHttp' ? 'http' : entry.type;
  const hasCommand = entry.command !== undefined;
  if (type === 'sse')
    throw new RangeError('the transport “sse” is not supported; many such servers have “/mcp” as well');
  if (type !== undefined && type !== 'stdio' && type !== 'http')
    throw new RangeError('its type is not “stdio” or “http”');
  if (hasCommand === (entry.url !== undefined)) throw new RangeError('it needs either a “command” or a “url”');
  if (type !== undefined && (type === 'stdio') !== hasCommand) throw new RangeError('its type does not fit the rest');
  const common = { timeoutMs: timeoutOf(entry.timeout), enabled: entry.enabled !== false && entry.disabled !== true };
  return hasCommand ? { ...stdioOf(entry), ...common } : { ...httpOf(entry), ...common };
}

function stdioOf(entry: Record<string, unknown>): Omit<StdioDefinition, keyof Common> {
  const args = entry.args ?? [];
  if (!Array.isArray(args) || args.length > MAX_ARGS)
    throw new RangeError(`“args” is not a list of at most ${MAX_ARGS} texts`);
  const cwd = entry.cwd === undefined ? {} : { cwd: textOf(entry.cwd, 'cwd') };
  return {
    kind: 'stdio',
    command: textOf(entry.command, 'command'),
    args: args.map((arg) => textOf(arg, 'args', true)),
    env: pairsOf(entry.env, 'env', ENV_NAME),
    ...cwd,
  };
}

function httpOf(entry: Record<string, unknown>): Omit<HttpDefinition, keyof Common> {
  const url = textOf(entry.url, 'url');
  if (!/^https?:\/\//i.test(url)) throw new RangeError('its address does not begin with http:// or https://');
  const oauth = entry.oauth === undefined ? {} : { oauth: oauthOf(entry.oauth) };
  return { kind: 'http', url, headers: pairsOf(entry.headers, 'headers', HEADER_NAME), ...oauth };
}

function oauthOf(given: unknown): NonNullable<HttpDefinition['oauth']> {
  if (!isRecord(given)) throw new RangeError('“oauth” is not an object');
  const oauth: NonNullable<HttpDefinition['oauth']> = {};
  for (const key of ['clientId', 'clientSecret', 'scope'] as const)
    if (given[key] !== undefined) oauth[key] = textOf(given[key], key);
  const { callbackPort: port } = given;
  if (port === undefined) return oauth;
  if (!Number.isInteger(port) || (port as number) < 1024 || (port as number) > 65_535)
    throw new RangeError('“callbackPort” must be a number from 1024 to 65535');
  return { ...oauth, callbackPort: port as number };
}

function textOf(value: unknown, what: string, mayBeEmpty = false): string {
  if (typeof value !== 'string' || (value === '' && !mayBeEmpty)) throw new RangeError(`“${what}” is not a text`);
  if (value.length > MAX_TEXT) throw new RangeError(`“${what}” is longer than ${MAX_TEXT} characters`);
  if (/[\0\r\n]/.test(value)) throw new RangeError(`“${what}” has a line break in it`);
  return value;
}

function pairsOf(given: unknown, what: string, names: RegExp): Record<string, string> {
  if (given === undefined) return {};
  if (!isRecord(given)) throw new RangeError(`“${what}” is not an object`);
  const entries = Object.entries(given);
  if (entries.length > MAX_PAIRS) throw new RangeError(`“${what}” has more than ${MAX_PAIRS} entries`);
  const pairs = entries.map(([name, value]) => {
    if (!names.test(name) || name === '__proto__') throw new RangeError(`“${what}” has an invalid name`);
    const text = textOf(value, what, true);
    if (text.startsWith('!')) throw new RangeError(`“${what}” runs a command for a value, which Espalier does not do`);
    return [name, text] as const;
  });
  return Object.fromEntries(pairs);
}

function timeoutOf(given: unknown): number {
  if (given === undefined) return USUAL_TIMEOUT * 1_000;
  if (typeof given !== 'number' || !(given > 0)) throw new RangeError('“timeout” is not a number of seconds');
  return Math.round(Math.min(given, MAX_TIMEOUT) * 1_000);
}

/** Where a definition was found. */
export interface McpOrigin {
  kind: 'espalier' | 'pi-project' | 'project' | 'pi-user' | 'claude-user';
  /** The file, as it is shown. */
  file: string;
  /** The workspace that it belongs to; absent: it is the person's, wherever they work. */
  folder?: string;
}

/**
 * What the person agrees to: a name, how it is reached, and where that was found. Another definition, or the same one of another
 * folder, is asked about anew (EX20). Switching it off and on is none.
 */
export function definitionHash(name: string, definition: McpDefinition, { kind, folder }: McpOrigin): string {
  const { enabled: _, ...exact } = definition;
  return hashBytes(canonicalContent({ v: 1, name, exact, kind, folder }));
}

/** `${NAME}` or `${NAME:-instead}`. */
const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]{0,199})(?::-([^}]{0,2000}))?\}/g;

/** The variables that a definition reads, each once, in order: they are shown before it is agreed to. */
export function variablesOf(definition: McpDefinition): string[] {
  const names = textsOf(definition).flatMap((text) => [...text.matchAll(VARIABLE)].map(([, name = '']) => name));
  return [...new Set(names)];
}

function textsOf(definition: McpDefinition): string[] {
  if (definition.kind === 'http')
    return [definition.url, ...Object.values(definition.headers), ...Object.values(definition.oauth ?? {}).map(String)];
  const { command, args, env, cwd } = definition;
  return [command, ...args, ...Object.values(env), cwd ?? ''];
}

const MAX_EXPANDED = 32 * 1024;

/**
 * The same definition with its variables in place. Once and not again: what a variable says is not read for others. @throws
 * RangeError for a person
 */
export function expanded<T extends McpDefinition>(
  definition: T,
  environment: Readonly<Record<string, string | undefined>>,
): T {
  const fill = (text: string): string => {
    let rest = MAX_EXPANDED;
    const filled = text.replace(VARIABLE, (_, name: string, instead?: string) => {
      const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
      const put = value !== undefined && value !== '' ? value : instead;
      if (put === undefined) throw new RangeError(`The variable ${name} that it names is not set.`);
      rest -= put.length;
      if (rest < 0) throw new RangeError('The values of its variables are too long together.');
      return put;
    });
    if (/[\0\r\n]/.test(filled)) throw new RangeError('A variable that it names has a line break in it.');
    return filled;
  };
  const fillAll = (pairs: Record<string, string>): Record<string, string> =>
    Object.fromEntries(Object.entries(pairs).map(([name, value]) => [name, fill(value)]));
  if (definition.kind === 'http') {
    const { url, headers, oauth } = definition;
    const filled = { ...definition, url: fill(url), headers: fillAll(headers) };
    if (!oauth) return filled;
    const { callbackPort, ...texts } = oauth;
    return { ...filled, oauth: { ...fillAll(texts as Record<string, string>), callbackPort } };
  }
  const { command, args, env, cwd } = definition;
  return {
    ...definition,
    ...{ command: fill(command), args: args.map(fill), env: fillAll(env) },
    cwd: cwd === undefined ? undefined : fill(cwd),
  };
}
