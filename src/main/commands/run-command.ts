import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { DRAIN_GRACE_MS, KILL_GRACE_MS, MAX_COMMAND_PROCESSES, MAX_SESSION_OUTPUT_BYTES } from '@shared/limits';
import { EndedCall, STOPPED_BEFORE_START } from '@shared/policy/call-outcome';
import type { FolderIdentity } from '../places/folder';
import { commandPath } from './login-path';
import { buildCommandEnv, findShell, lockMark } from './programs';
import { makeCommandGroup, removeGroup } from './command-group';
import { CLOSE_INHERITED, closesInherited, coverInherited, folderCheck, type FolderCheck } from './launch';
import { announceRunning } from './marks';
import { announceCommand } from './orphans';
import { OutputCapture, type CapturedOutput } from './output-capture';
import { DiskRoom, freeBytesOf, keepWithinQuota } from './output-quota';
import { startTimeOfNewChild } from './proc';
import { type CommandProcesses, endProcesses, isCommandAlive, SeenProcesses } from './processes';
import { OTHER_FOLDER } from '../places/workspace';

export interface CommandRequest {
  toolCallId: string;
  command: string;
  cwd: string;
  /** What the command was allowed in: whatever else stands at that path by now, it does not run there. */
  folder?: FolderIdentity;
  timeoutMs: number;
  signal?: AbortSignal;
}

export interface CommandOutcome {
  ending: 'exited' | 'timed_out' | 'stopped';
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  /** Something the command left in the background was ended with it. */
  hadLeftovers: boolean;
  durationMs: number;
  output: CapturedOutput;
}

export interface CommandRunnerOptions {
  runningDir: string;
  outputsDir: string;
  /** Bytes that the kept outputs may come to; default 2 GB. */
  maxOutputBytes?: number;
  /** Bytes that are free where outputs are kept; default: what the system says. */
  freeBytes?: () => Promise<number>;
  onOutput?: (output: { toolCallId: string; chunk: string }) => void;
  /** Whether the next command may use the person's SSH agent; absent: it may not. */
  sshAgent?: () => boolean;
}

/** One for all sessions: their outputs lie on one disk. */
const DISK = new DiskRoom();

const STDIO: ('ignore' | 'pipe')[] = ['ignore', 'pipe', 'pipe'];

type Shell = ChildProcessByStdio<null, Readable, Readable>;
type StartedShell = Shell & { pid: number; since?: string };
interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** What the bootstrap gets besides the shell ($0), in this order. */
const ARGUMENTS = [
  ...(['limit', 'lockMark', 'command', 'group', 'cwd'] as const),
  ...(['words', 'program', 'option', 'format', 'refusal'] as const),
];
type Argument = (typeof ARGUMENTS)[number];
const arg = (name: Argument): string => `"\${${ARGUMENTS.indexOf(name) + 1}}"`;

/**
 * What the command must not have is let go of, then its control group, its folder, limits, the command: no core
 * files, a fork bomb ends (limits are only ever lowered), and its mark in the limits (sh has another letter for it).
 * Another folder may have come to the path since it was looked at, so the shell asks what it stands in (launch.ts, in no language: a comma
 * in a number would make every folder another one): from then on it stands there, whatever happens to the path.
 */
const BOOTSTRAP = [
  `if [ -n ${arg('group')} ]; then echo $$ > ${arg('group')}/cgroup.procs; fi 2>/dev/null`,
  `cd -- ${arg('cwd')} || exit 126`,
  'unset OLDPWD',
  `if [ -n ${arg('words')} ] && [ "$(exec 2>/dev/null; LC_ALL=C ${arg('program')} ${arg('option')} ${arg('format')} .)" != ${arg('words')} ]; then echo ${arg('refusal')} >&2; exit 126; fi`,
  'ulimit -c 0 2>/dev/null',
  'n="$(ulimit -u 2>/dev/null)"',
  `if [ "$n" = unlimited ] || [ "$n" -gt ${arg('limit')} ] 2>/dev/null; then ulimit -u ${arg('limit')} 2>/dev/null; fi`,
  'unset n',
  `ulimit -x ${arg('lockMark')} 2>/dev/null || ulimit -w ${arg('lockMark')} 2>/dev/null`,
  `exec "$0" -c ${arg('command')}`,
].join('; ');

/**
 * Runs shell commands of one session, each in its own process group, and ends everything they started: on stop, on
 * time-out, when the shell itself has ended, on dispose, and after a crash through `reapOrphans`.
 */
export class CommandRunner {
  private readonly running = new Map<AbortController, Promise<unknown>>();
  /** Files that outputs are being written to. */
  private readonly writing = new Set<string>();
  private isDisposed = false;

  constructor(private readonly options: CommandRunnerOptions) {}

  /** Runs one command. Throws with a plain message if it could not start; every other ending is an outcome. */
  async run(request: CommandRequest): Promise<CommandOutcome> {
    if (this.isDisposed || request.signal?.aborted) throw new EndedCall(STOPPED_BEFORE_START, 'notRun');
    const stop = new AbortController();
    const forward = (): void => stop.abort();
    request.signal?.addEventListener('abort', forward, { once: true });
    const work = this.runOne(request, stop.signal);
    this.running.set(stop, work);
    try {
      return await work;
    } finally {
      this.running.delete(stop);
      request.signal?.removeEventListener('abort', forward);
    }
  }

  /** Ends all running commands; resolves when they are gone. */
  async dispose(): Promise<void> {
    this.isDisposed = true;
    for (const stop of this.running.keys()) stop.abort();
    await Promise.allSettled(this.running.values());
  }

  private async runOne(request: CommandRequest, stop: AbortSignal): Promise<CommandOutcome> {
    const startedAt = performance.now();
    const file = await announceCommand(this.options.runningDir);
    let controlGroup: string | null = null;
    let noted: Promise<void> | undefined;
    const { onOutput, outputsDir, maxOutputBytes = MAX_SESSION_OUTPUT_BYTES } = this.options;
    const name = `${file.mark}.txt`;
    const makeRoom = (): Promise<void> =>
      keepWithinQuota(outputsDir, maxOutputBytes, (other) => this.writing.has(other));
    const capture = new OutputCapture(
      join(outputsDir, name),
      {
        make: makeRoom,
        take: (bytes) => DISK.take(bytes, this.options.freeBytes ?? (() => freeBytesOf(outputsDir))),
        settle: (bytes) => DISK.settle(bytes),
      },
      onOutput && ((chunk) => onOutput({ toolCallId: request.toolCallId, chunk })),
    );
    this.writing.add(name);
    try {
      await capture.prepare();
      if (stop.aborted) throw new EndedCall(STOPPED_BEFORE_START, 'notRun');
      controlGroup = await makeCommandGroup(file.mark);
      const check = await folderCheck(request.folder, this.options.runningDir);
      // A profile may take its whole time: who stops the command doesn't wait for it.
      const path = await unlessStopped(commandPath(), stop);
      // All of it took its time, and a shell that was started may run something before it is ended.
      if (stop.aborted) throw new EndedCall(STOPPED_BEFORE_START, 'notRun');
      const shell = await startShell(request, file.mark, controlGroup, check, {
        path,
        sshAgent: this.options.sshAgent?.() === true,
      });
      noted = file.started(shell.pid, controlGroup).catch(() => undefined);
      const command = { mark: file.mark, since: shell.since, controlGroup: controlGroup ?? undefined };
      const rest = await superviseShell(shell, capture, request.timeoutMs, stop, command);
      const outcome = {
        ...rest,
        durationMs: Math.round(performance.now() - startedAt),
        output: await capture.finish(),
      };
      this.writing.delete(name);
      if (outcome.output.fullOutputPath !== undefined) await makeRoom();
      return outcome;
    } finally {
      this.writing.delete(name);
      if (controlGroup !== null) await removeGroup(controlGroup);
      await noted;
      await file.remove();
    }
  }
}

async function startShell(
  request: CommandRequest,
  mark: string,
  controlGroup: string | null,
  check: FolderCheck,
  { path, sshAgent }: { path: string | undefined; sshAgent: boolean },
): Promise<StartedShell> {
  const shellPath = findShell();
  const closes = closesInherited(shellPath);
  const bootstrap = closes ? `${CLOSE_INHERITED}; ${BOOTSTRAP}` : BOOTSTRAP;
  const given: Record<Argument, string> = {
    ...{ limit: String(MAX_COMMAND_PROCESSES), lockMark: String(lockMark(mark)), command: request.command },
    ...{ group: controlGroup ?? '', cwd: request.cwd, ...check, refusal: OTHER_FOLDER },
  };
  const shell = spawn(shellPath, ['-c', bootstrap, shellPath, ...ARGUMENTS.map((name) => given[name])], {
    // Not the workspace: where that hangs, starting a process in it would hold up this thread.
    cwd: '/',
    env: buildCommandEnv({ ...process.env, PATH: path }, mark, sshAgent),
    detached: true,
    stdio: closes ? STDIO : coverInherited(STDIO),
  }) as Shell;
  const since = shell.pid === undefined ? undefined : startTimeOfNewChild(shell.pid);
  await new Promise<void>((resolve, reject) => {
    shell.once('spawn', resolve);
    shell.once('error', (error) =>
      reject(new Error(`The command could not be started in ${request.cwd}: ${error.message}`)),
    );
  });
  shell.on('error', () => undefined);
  const { pid } = shell;
  if (pid === undefined) throw new Error('The command could not be started: the system gave it no process id.');
  return Object.assign(shell, { pid, since });
}

async function superviseShell(
  shell: StartedShell,
  capture: OutputCapture,
  timeoutMs: number,
  stop: AbortSignal,
  command: { mark: string; since?: string; controlGroup?: string },
): Promise<Omit<CommandOutcome, 'durationMs' | 'output'>> {
  const seen = new SeenProcesses(shell.pid, command);
  seen.start();
  const { ending, ended } = announceRunning(command);
  const processes: CommandProcesses = { ...command, group: shell.pid, seen: () => seen.alive() };
  const exited = new Promise<Exit>((resolve) => shell.once('exit', (code, signal) => resolve({ code, signal })));
  const closed = new Promise<void>((resolve) => shell.once('close', () => resolve()));
  pump(shell, capture);
  const end = await firstOf(exited, stop, timeoutMs);
  await seen.stop();
  ending();
  let hadLeftovers = false;
  if (end === 'exited') {
    await within(closed, DRAIN_GRACE_MS);
    hadLeftovers = await isCommandAlive(processes);
  }
  if (end !== 'exited' || hadLeftovers) await endProcesses(processes, KILL_GRACE_MS);
  ended();
  const exit = await within(exited, DRAIN_GRACE_MS);
  // What is still in the pipe belongs to the result; a holder of the pipe that could not be found must not keep it open.
  await within(closed, DRAIN_GRACE_MS);
  shell.stdout.destroy();
  shell.stderr.destroy();
  return { ending: end, exitCode: exit?.code ?? null, signal: exit?.signal ?? null, hadLeftovers };
}

function pump(shell: Shell, capture: OutputCapture): void {
  const streams = [shell.stdout, shell.stderr];
  const resume = (): void => streams.forEach((stream) => stream.resume());
  for (const [index, name] of (['stdout', 'stderr'] as const).entries()) {
    streams[index]?.on('error', () => undefined);
    streams[index]?.on('data', (chunk: Buffer) => {
      if (capture.add(name, chunk)) return;
      streams.forEach((stream) => stream.pause());
      capture.whenDrained(resume);
    });
  }
}

function firstOf(exited: Promise<Exit>, stop: AbortSignal, timeoutMs: number): Promise<CommandOutcome['ending']> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => settle('timed_out'), timeoutMs);
    const onStop = (): void => settle('stopped');
    const settle = (end: CommandOutcome['ending']): void => {
      clearTimeout(timer);
      stop.removeEventListener('abort', onStop);
      resolve(end);
    };
    stop.addEventListener('abort', onStop, { once: true });
    if (stop.aborted) onStop();
    void exited.then(() => settle('exited'));
  });
}

/** The value; undefined if the stop comes first. */
function unlessStopped<T>(promise: Promise<T>, stop: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve) => {
    const onStop = (): void => resolve(undefined);
    stop.addEventListener('abort', onStop, { once: true });
    if (stop.aborted) onStop();
    void promise.then((value) => {
      stop.removeEventListener('abort', onStop);
      resolve(value);
    });
  });
}

/** The value if it comes within the time, else undefined. */
function within<T>(promise: Promise<T>, limitMs: number): Promise<T | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), limitMs);
    void promise.then((value) => {
      clearTimeout(timer);
      resolve(value);
    });
  });
}
