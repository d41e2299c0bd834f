/**
 * Runs commands in the step of the files that the caller makes, as an ordinary user where it was started by one. Arguments: data folder,
 * workspace, then the commands, all started one after the other: each has begun when it has made the file `begun-<n>`. Prints the
 * outcomes, and whether there were control groups.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { commandGroups } from '../../../../src/main/commands/command-group';
import { CommandRunner, type CommandOutcome } from '../../../../src/main/commands/run-command';

const [dataDir = '', cwd = '', ...commands] = process.argv.slice(2);
const runner = new CommandRunner({ runningDir: join(dataDir, 'running'), outputsDir: join(dataDir, 'outputs') });
const runs: Promise<CommandOutcome>[] = [];
for (const [at, command] of commands.entries()) {
  const run = runner.run({ toolCallId: String(at), command: `echo > begun-${at}; ${command}`, cwd, timeoutMs: 60_000 });
  runs.push(run);
  while (!existsSync(join(cwd, `begun-${at}`))) await new Promise((resolve) => setTimeout(resolve, 5));
}
const outcomes = await Promise.all(runs);
console.log(JSON.stringify({ outcomes, hasGroups: (await commandGroups()) !== null }));
