import { spawn } from 'node:child_process';
import { access, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { Type } from 'typebox';
import { readRegularBytes } from '../../../own-files/read-regular';
import { truncateHead, truncateLine, truncateTail } from './truncate';

/**
 * Tools with the names and arguments of pi's own, for extensions that wrap them (EX14). They work in this process, with the
 * extension's rights; a call of the model still passes the approval of the extension's tool.
 */

interface Result {
  content: { type: 'text'; text: string }[];
  details: unknown;
}

type Operations = Record<string, (...args: never[]) => unknown>;

interface ToolOptions {
  operations?: Operations;
  spawnHook?: (context: BashContext) => BashContext;
  commandPrefix?: string;
}

interface BashContext {
  command: string;
  cwd: string;
  env: NodeJS.ProcessEnv;
}

type Execute = (id: string, args: never, signal?: AbortSignal, onUpdate?: (partial: Result) => void) => Promise<Result>;

const MAX_READ_BYTES = 64 * 1024 * 1024;
const MAX_MATCHES = 100;
const MAX_WALKED = 50_000;

const said = (text: string, details?: unknown): Result => ({ content: [{ type: 'text', text }], details });
const optional = {
  number: Type.Optional(Type.Number()),
  text: Type.Optional(Type.String()),
  flag: Type.Optional(Type.Boolean()),
};

async function bytesOf(path: string): Promise<Buffer> {
  const bytes = await readRegularBytes(path, MAX_READ_BYTES);
  if (bytes === null) throw new Error(`${path} is not there.`);
  return Buffer.from(bytes);
}

const LOCAL = {
  bytesOf,
  writeFile: (path: string, content: string) => writeFile(path, content),
  mkdir: async (path: string) => void (await mkdir(path, { recursive: true })),
  access: (path: string) => access(path),
  exists: (path: string) =>
    access(path).then(
      () => true,
      () => false,
    ),
  isDirectory: async (path: string) => (await stat(path)).isDirectory(),
  stat: (path: string) => stat(path),
  readdir: (path: string) => readdir(path),
};

type Local = typeof LOCAL;

function read(cwd: string, { bytesOf: bytes }: Local): Execute {
  return async (_id, { path, offset = 1, limit }: { path: string; offset?: number; limit?: number }) => {
    const lines = (await bytes(resolve(cwd, path))).toString('utf8').split('\n');
    if (offset > lines.length)
      throw new Error(`Offset ${offset} is beyond the end of the file (${lines.length} lines).`);
    const from = Math.max(0, offset - 1);
    const shown = truncateHead(lines.slice(from, limit === undefined ? undefined : from + limit).join('\n'));
    const end = from + shown.outputLines;
    const more =
      end < lines.length ? `\n\n[Lines ${offset}-${end} of ${lines.length}. Use offset=${end + 1} to go on.]` : '';
    return said(shown.content + more, shown.truncated ? { truncation: shown } : undefined);
  };
}

function write(cwd: string, { writeFile: put, mkdir: make }: Local): Execute {
  return async (_id, { path, content }: { path: string; content: string }) => {
    const whole = resolve(cwd, path);
    await make(dirname(whole));
    await put(whole, content);
    return said(`Wrote ${Buffer.byteLength(content)} bytes to ${path}`);
  };
}

function edit(cwd: string, { bytesOf: bytes, writeFile: put }: Local): Execute {
  type Edit = { oldText: string; newText: string };
  return async (_id, args: { path: string; edits?: Edit[] } & Partial<Edit>) => {
    const whole = resolve(cwd, args.path);
    const before = (await bytes(whole)).toString('utf8');
    const edits = args.edits ?? [{ oldText: args.oldText ?? '', newText: args.newText ?? '' }];
    let text = before;
    for (const { oldText, newText } of edits) {
      const at = text.indexOf(oldText);
      if (oldText === '' || at < 0) throw new Error(`The text to replace is not in ${args.path}.`);
      if (text.indexOf(oldText, at + 1) >= 0) throw new Error(`The text to replace is in ${args.path} more than once.`);
      text = text.slice(0, at) + newText + text.slice(at + oldText.length);
    }
    await put(whole, text);
    const diff = edits.flatMap(({ oldText, newText }) => [...marked('-', oldText), ...marked('+', newText)]).join('\n');
    return said(`Replaced ${edits.length} text${edits.length === 1 ? '' : 's'} in ${args.path}`, { diff, patch: diff });
  };
}

const marked = (sign: string, text: string): string[] => text.split('\n').map((line) => sign + line);

type Exec = (
  command: string,
  cwd: string,
  options: { onData: (data: Buffer) => void; signal?: AbortSignal; timeout?: number; env?: NodeJS.ProcessEnv },
) => Promise<{ exitCode: number | null }>;

/** A command in a shell; `timeout` in seconds. Rejects when it was ended. */
const localExec: Exec = (command, cwd, { onData, signal, timeout, env }) =>
  new Promise((done, fail) => {
    const child = spawn('/bin/bash', ['-c', command], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let ended: Error | null = null;
    const end = (why: string) => (): void => {
      ended = new Error(why);
      try {
        process.kill(-(child.pid ?? 0), 'SIGKILL');
      } catch {
        // It is gone.
      }
    };
    const stop = end('aborted');
    const timer = timeout === undefined ? undefined : setTimeout(end(`timeout:${timeout}`), timeout * 1000);
    signal?.addEventListener('abort', stop, { once: true });
    child.stdout.on('data', onData);
    child.stderr.on('data', onData);
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
    };
    child.once('error', (error) => {
      settle();
      fail(error);
    });
    child.once('close', (exitCode) => {
      settle();
      if (ended) fail(ended);
      else done({ exitCode });
    });
  });

export const createLocalBashOperations = (): { exec: Exec } => ({ exec: localExec });

function bash(cwd: string, { exec = localExec }: { exec?: Exec }, { spawnHook, commandPrefix }: ToolOptions): Execute {
  return async (_id, { command, timeout }: { command: string; timeout?: number }, signal, onUpdate) => {
    const own = { command: commandPrefix ? `${commandPrefix}\n${command}` : command, cwd, env: { ...process.env } };
    const context = spawnHook ? spawnHook(own) : own;
    let output = '';
    const onData = (data: Buffer): void => {
      output = (output + data.toString('utf8')).slice(-1024 * 1024);
      onUpdate?.(said(truncateTail(output).content));
    };
    const { exitCode } = await exec(context.command, context.cwd, { onData, signal, timeout, env: context.env });
    const shown = truncateTail(output);
    if (exitCode !== 0) throw new Error(`${shown.content}\n\nCommand exited with code ${exitCode}`.trim());
    return said(shown.content || '(no output)', shown.truncated ? { truncation: shown } : undefined);
  };
}

function ls(cwd: string, { readdir: list, stat: look }: Local): Execute {
  return async (_id, { path = '.', limit = 500 }: { path?: string; limit?: number }) => {
    const folder = resolve(cwd, path);
    const names = (await list(folder)).sort((a, b) => a.localeCompare(b)).slice(0, limit);
    const kinds = await Promise.all(names.map((name) => Promise.resolve(look(join(folder, name))).catch(() => null)));
    const shown = names.map((name, at) => (kinds[at]?.isDirectory() ? `${name}/` : name));
    return said(truncateHead(shown.join('\n')).content || '(empty directory)');
  };
}

/** Files below a folder, as paths relative to it; folders of tools and hidden ones are passed over. */
async function* filesBelow(root: string): AsyncGenerator<string> {
  const folders = [root];
  let walked = 0;
  for (let at = folders.pop(); at !== undefined; at = folders.pop())
    for (const entry of await readdir(at, { withFileTypes: true }).catch(() => [])) {
      walked += 1;
      if (walked > MAX_WALKED) return;
      if (entry.isDirectory() && !['node_modules', '.git'].includes(entry.name)) folders.push(join(at, entry.name));
      if (entry.isFile()) yield relative(root, join(at, entry.name));
    }
}

/** `*`, `**` and `?`; a pattern without a slash is that of a name. */
function globTest(pattern: string): (path: string) => boolean {
  const source = pattern.replace(/\*\*\/?|[*?]|[.+^${}()|[\]\\]/g, (part) => {
    if (part.startsWith('**')) return part.endsWith('/') ? '(?:.*/)?' : '.*';
    if (part === '*') return '[^/]*';
    return part === '?' ? '[^/]' : `\\${part}`;
  });
  const whole = new RegExp(`^${source}$`, 'u');
  return (path) => whole.test(pattern.includes('/') ? path : path.slice(path.lastIndexOf('/') + 1));
}

type Glob = (
  pattern: string,
  cwd: string,
  options: { ignore: string[]; limit: number },
) => Promise<string[]> | string[];

function find(cwd: string, { glob }: { glob?: Glob }): Execute {
  return async (_id, { pattern, path = '.', limit = 1000 }: { pattern: string; path?: string; limit?: number }) => {
    const root = resolve(cwd, path);
    const found: string[] = [];
    if (glob) found.push(...(await glob(pattern, root, { ignore: ['**/node_modules/**', '**/.git/**'], limit })));
    else {
      const fits = globTest(pattern);
      for await (const file of filesBelow(root)) if (fits(file) && found.push(file) >= limit) break;
    }
    const shown = found.map((file) => (isAbsolute(file) ? relative(root, file) : file)).sort();
    return said(truncateHead(shown.join('\n')).content || 'No files found matching pattern');
  };
}

interface GrepArguments {
  pattern: string;
  path?: string;
  glob?: string;
  ignoreCase?: boolean;
  literal?: boolean;
  limit?: number;
}

function grep(cwd: string, { isDirectory, bytesOf: bytes }: Local): Execute {
  return async (_id, { pattern, path = '.', glob, ignoreCase, literal, limit = MAX_MATCHES }: GrepArguments) => {
    const root = resolve(cwd, path);
    const source = literal === true ? pattern.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') : pattern;
    const wanted = new RegExp(source, ignoreCase === true ? 'iu' : 'u');
    const fits = glob === undefined ? () => true : globTest(glob);
    const matches: string[] = [];
    const files = (await isDirectory(root)) ? filesBelow(root) : [''];
    for await (const file of files) {
      if (!fits(file) || matches.length >= limit) continue;
      const lines = (await bytes(join(root, file)).catch(() => Buffer.alloc(0))).toString('utf8').split('\n');
      lines.forEach((line, at) => {
        if (matches.length < limit && wanted.test(line))
          matches.push(`${file || path}:${at + 1}: ${truncateLine(line).text}`);
      });
    }
    return said(truncateHead(matches.join('\n')).content || 'No matches found');
  };
}

const { number, text, flag } = optional;
const TOOLS = {
  Read: ['Read file contents', { path: Type.String(), offset: number, limit: number }, read],
  Write: ['Create or overwrite files', { path: Type.String(), content: Type.String() }, write],
  Edit: [
    'Replace exact text in a file',
    { path: Type.String(), edits: Type.Array(Type.Object({ oldText: Type.String(), newText: Type.String() })) },
    edit,
  ],
  Bash: ['Execute a command in bash', { command: Type.String(), timeout: number }, bash],
  Ls: ['List a folder', { path: text, limit: number }, ls],
  Find: ['Find files by a glob pattern', { pattern: Type.String(), path: text, limit: number }, find],
  Grep: [
    'Search file contents for a pattern',
    { pattern: Type.String(), path: text, glob: text, ignoreCase: flag, literal: flag, context: number, limit: number },
    grep,
  ],
} as const;

/** An extension's own operations, by our names of them. */
function named(operations: Operations = {}): Operations {
  return Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [name === 'readFile' ? 'bytesOf' : name, operation]),
  );
}

/** `createReadTool`, `createReadToolDefinition` and so on, by name. */
export const toolCreators: Record<string, unknown> = Object.fromEntries(
  Object.entries(TOOLS).flatMap(([name, [description, parameters, make]]) => {
    const create = (cwd: string, options: ToolOptions = {}): object => ({
      ...{ name: name.toLowerCase(), label: name.toLowerCase(), description, promptSnippet: description },
      parameters: Type.Object(parameters),
      execute: make(cwd, { ...LOCAL, ...named(options.operations) } as never, options),
      renderCall: () => undefined,
      renderResult: () => undefined,
    });
    return [`create${name}Tool`, `create${name}ToolDefinition`].map((each) => [each, create]);
  }),
);
