import { DEFAULT_COMMAND_TIMEOUT_MS, MAX_COMMAND_BYTES, MAX_COMMAND_TIMEOUT_MS } from '@shared/limits';
import { endNote, isStoppedByPerson } from '@shared/policy/call-outcome';
import { callsGit, gitRunsOf } from '@shared/policy/git-calls';
import { Type, type Static } from 'typebox';
import type { AgentToolResult } from '../pi/pi-types';
import type { FileCut } from '../commands/output-capture';
import { textResult, type ToolDefinition, type ToolWork } from './gated-tool';
import type { CommandOutcome, CommandRunner } from '../commands/run-command';

const parameters = Type.Object({
  command: Type.String({ description: 'Shell command; it runs in the workspace folder.' }),
  timeout: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: MAX_COMMAND_TIMEOUT_MS / 1000,
      description: `Seconds after which it is ended (default ${DEFAULT_COMMAND_TIMEOUT_MS / 1000}).`,
    }),
  ),
});

/** `bash`, as the model is told of it. */
export const BASH_TOOL: ToolDefinition<typeof parameters> = {
  name: 'bash',
  label: 'Bash',
  description:
    'Run a shell command in the workspace folder. Standard input is empty. The result has the last 2,000 lines or 50 KB of output; if there was more, the whole output is in a file that the result names. Processes left in the background are ended when the command ends.',
  parameters,
  executionMode: 'sequential',
};

/** Details of a `bash` result. */
export interface BashDetails {
  command: string;
  exitCode: number | null;
  signal: string | null;
  /** `broken_off`: it was stopped, and not by the person. */
  ending: CommandOutcome['ending'] | 'broken_off';
  /** Anything but exit code 0: the loop's hook turns it into an error result. */
  failed: boolean;
  durationMs: number;
  totalLines: number;
  totalBytes: number;
  truncated: boolean;
  fullOutputPath?: string;
}

interface BashPlan {
  command: string;
  cwd: string;
  timeoutMs: number;
}

/** `bash`: one shell command in the workspace. */
export function createBashTool(
  workspace: {
    root(): Promise<string>;
    /** What git could run there besides (docs/specs/safety.md C2). */
    gitPrograms(cwd: string): Promise<string[]>;
  },
  runner: CommandRunner,
): ToolWork<Static<typeof parameters>, BashPlan, BashDetails> {
  return {
    async inspect(args) {
      const { command } = args;
      if (command.trim() === '') throw new Error('The command is empty.');
      if (command.includes('\0')) throw new Error('The command contains a NUL character.');
      // It would reach the shell as another character than the one that was shown.
      if (/\p{Cs}/u.test(command)) throw new Error('The command contains half a character (a lone surrogate).');
      if (Buffer.byteLength(command) > MAX_COMMAND_BYTES)
        throw new Error(
          `The command is longer than ${MAX_COMMAND_BYTES} bytes. Write a script file with write and run that.`,
        );
      const cwd = await workspace.root();
      const timeoutMs = args.timeout === undefined ? DEFAULT_COMMAND_TIMEOUT_MS : Math.ceil(args.timeout * 1000);
      const runs = callsGit(command) ? gitRunsOf(command, cwd, await workspace.gitPrograms(cwd)) : [];
      const gitRuns = runs.length > 0 ? runs : undefined;
      // Cut off sooner, the same command may do half of what was allowed.
      const ownLimit = timeoutMs === DEFAULT_COMMAND_TIMEOUT_MS ? undefined : timeoutMs;
      const scope = { kind: 'command' as const, command, cwd, timeoutMs: ownLimit, gitRuns };
      return {
        location: 'none',
        exact: { kind: 'command', command, cwd, timeoutMs, gitRuns },
        scopes: { session: scope, always: scope },
        plan: { command, cwd, timeoutMs },
      };
    },
    async run(plan, { toolCallId, folder, signal }) {
      const outcome = await runner.run({ ...plan, toolCallId, folder, signal });
      const isBrokenOff = outcome.ending === 'stopped' && !isStoppedByPerson(signal);
      return describeOutcome(plan, outcome, isBrokenOff ? 'broken_off' : outcome.ending);
    },
  };
}

function describeOutcome(
  plan: BashPlan,
  outcome: CommandOutcome,
  ending: BashDetails['ending'],
): AgentToolResult<BashDetails> {
  const { output, exitCode, signal } = outcome;
  const notes = [...outputNotes(outcome), ...endingNotes(plan, { ...outcome, ending })];
  const body = output.text === '' ? '(no output)' : output.text;
  return textResult(notes.length === 0 ? body : `${body}\n\n${notes.join('\n')}`, {
    command: plan.command,
    exitCode,
    signal,
    ending,
    failed: ending !== 'exited' || exitCode !== 0,
    durationMs: outcome.durationMs,
    totalLines: output.totalLines,
    totalBytes: output.totalBytes,
    truncated: output.isTruncated,
    fullOutputPath: output.fullOutputPath,
  });
}

const CUT: Record<FileCut, string> = {
  cap: 'no more is kept of one command',
  room: 'the disk is nearly full',
  failed: 'the disk took no more',
};

function outputNotes({ output }: CommandOutcome): string[] {
  if (!output.isTruncated) return [];
  const { fullOutputPath, cutBecause, keptBytes, totalBytes } = output;
  const whole =
    fullOutputPath === undefined
      ? `The rest could not be kept on disk${cutBecause === 'room' ? ', which is nearly full' : ''}.`
      : cutBecause === undefined
        ? `All of it: ${fullOutputPath}`
        : `Of it the first ${keptBytes} bytes were kept and ${totalBytes - keptBytes} dropped, because ${CUT[cutBecause]}: ${fullOutputPath}`;
  return [
    `[The last ${output.shownLines} of ${output.totalLines} lines (${output.totalBytes} bytes in all). ${whole}]`,
  ];
}

function endingNotes(
  { timeoutMs }: BashPlan,
  { ending, exitCode, signal, hadLeftovers }: Omit<CommandOutcome, 'ending'> & Pick<BashDetails, 'ending'>,
): string[] {
  const note = endNote({ ending, exitCode, signal, timeoutMs });
  const leftovers = '[What it left running in the background was ended with it.]';
  return [...(ending === 'exited' && hadLeftovers ? [leftovers] : []), ...(note === null ? [] : [note])];
}
