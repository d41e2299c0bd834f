import { type ChildProcess, spawn } from 'node:child_process';
import { type Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ErrorCode, type JSONRPCMessage, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import { launchClosed } from '../../commands/launch';
import { endGroup } from './end-group';
import { shareOf } from './valve';
import { isRecord } from '@shared/checks';

interface StdioOptions {
  command: string;
  args: readonly string[];
  /** All of its environment. */
  env: Record<string, string>;
  cwd: string;
  onStarted: (group: number) => void;
  onEnded: (group: number) => void;
  /** A line of its standard error, or something of its standard output that is no message. */
  onLog: (line: string) => void;
}

/** The longest message that is read; images come as text. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
const NO_RESULT = 'Its answer can’t be read as a result.';
const MAX_LOG_LINE = 2_000;
/** Of its standard error, characters that are read in a second; lines of its standard output. */
const LOG_CHARS_PER_SECOND = 256 * 1024;
const LINES_PER_SECOND = 2_000;
/** Milliseconds between the ways of ending it: its input closed, SIGTERM, SIGKILL. */
const GRACE_MS = 1_000;

/**
 * A server as a program (EX20). Not the SDK's transport: this one gives it no descriptor of the app's and no variable but those named,
 * puts it into a group of its own, which ends with it (`npx` and `uvx` start others), and reads bounded lines.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** How it ended, in words; empty while it runs. */
  ending = '';
  private child: ChildProcess | null = null;
  private chunks: Buffer[] = [];
  private length = 0;
  private isClosed = false;

  constructor(private readonly options: StdioOptions) {}

  start(): Promise<void> {
    const { command, args, env, cwd, onStarted } = this.options;
    const launched = launchClosed(command, args);
    const child = spawn(launched.file, launched.args, { cwd, env, detached: true, stdio: 'pipe', windowsHide: true });
    this.child = child;
    const tookLines = shareOf(child.stdout, LINES_PER_SECOND);
    child.stdout.on('data', (chunk: Buffer) => tookLines(this.read(chunk)));
    child.stderr.setEncoding('utf8');
    const tookLog = shareOf(child.stderr, LOG_CHARS_PER_SECOND);
    const log = this.lines();
    child.stderr.on('data', (text: string) => {
      log(text);
      tookLog(text.length);
    });
    // Its input may be closed before it ends.
    child.stdin.on('error', (error) => this.onerror?.(error));
    child.stdout.on('error', (error) => this.onerror?.(error));
    return new Promise((resolve, reject) => {
      child.once('spawn', () => {
        if (child.pid !== undefined) onStarted(child.pid);
        resolve();
      });
      child.once('error', (error: NodeJS.ErrnoException) => {
        const isMissing = error.code === 'ENOENT';
        reject(new Error(isMissing ? `There is no program ${command}, or no folder ${cwd}.` : error.message));
        this.ended();
      });
      child.once('exit', (code, signal) => {
        this.ending ||= signal ? `It was ended by ${signal}.` : `It ended with code ${code ?? 0}.`;
        if (code === 127) this.ending = `There is no program ${command}.`;
        // What it started may hold its output open.
        setTimeout(() => this.ended(), 100);
      });
      child.once('close', () => this.ended());
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.child?.stdin;
    if (!stdin?.writable) throw new Error('The server has ended.');
    if (!stdin.write(`${JSON.stringify(message)}\n`))
      await new Promise((resolve) => {
        stdin.once('drain', resolve);
        stdin.once('close', resolve);
      });
  }

  async close(): Promise<void> {
    const { child } = this;
    if (!child || this.isClosed) return;
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    const isGone = (): boolean => child.exitCode !== null || child.signalCode !== null;
    child.stdin?.end();
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (isGone()) break;
      await within(GRACE_MS, gone);
      this.signal(signal);
    }
    await within(GRACE_MS, isGone() ? Promise.resolve() : gone);
    this.ended();
  }

  private signal(signal: NodeJS.Signals): void {
    endGroup(this.child?.pid, signal);
  }

  private ended(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    // Nothing that it started stays behind it.
    this.signal('SIGKILL');
    if (this.child?.pid !== undefined) this.options.onEnded(this.child.pid);
    this.child?.stdout?.destroy();
    this.child?.stderr?.destroy();
    this.onclose?.();
  }

  /** @returns how many lines that were */
  private read(chunk: Buffer): number {
    let rest = chunk;
    let lines = 0;
    for (let at = rest.indexOf(0x0a); at >= 0; at = rest.indexOf(0x0a)) {
      this.chunks.push(rest.subarray(0, at));
      const line = Buffer.concat(this.chunks).toString('utf8');
      this.chunks = [];
      this.length = 0;
      rest = rest.subarray(at + 1);
      this.take(line);
      lines += 1;
    }
    this.chunks.push(rest);
    this.length += rest.length;
    if (this.length <= MAX_MESSAGE_BYTES) return lines;
    this.ending = `It sent a message of more than ${MAX_MESSAGE_BYTES / 1024 / 1024} MB.`;
    this.chunks = [];
    this.ended();
    return lines;
  }

  private take(line: string): void {
    if (line.trim() === '') return;
    const json = parseJson(line);
    const message = JSONRPCMessageSchema.safeParse(json);
    if (message.success) return this.onmessage?.(message.data);
    // Many servers print a greeting there.
    this.options.onLog(line.slice(0, MAX_LOG_LINE));
    if (!isRecord(json) || typeof json.id !== 'number' || json.method !== undefined) return;
    // An answer all the same: who asked need not wait for another.
    this.onmessage?.({ jsonrpc: '2.0', id: json.id, error: { code: ErrorCode.InternalError, message: NO_RESULT } });
  }

  private lines(): (text: string) => void {
    let held = '';
    return (text) => {
      const lines = (held + text).split('\n');
      held = (lines.pop() ?? '').slice(0, MAX_LOG_LINE);
      for (const line of lines) if (line.trim() !== '') this.options.onLog(line.slice(0, MAX_LOG_LINE));
    };
  }
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

async function within(ms: number, task: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([task, new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)))]);
  clearTimeout(timer);
}
