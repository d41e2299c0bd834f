/** Starts a command with processes in and out of its group, says so and waits to be killed. Arguments: data folder, workspace. */
import { join } from 'node:path';
import { CommandRunner } from '../../../../src/main/commands/run-command';

const [dataDir = '', cwd = ''] = process.argv.slice(2);
const runner = new CommandRunner({ runningDir: join(dataDir, 'running'), outputsDir: join(dataDir, 'outputs') });
const command = `trap '' TERM; echo $$ >> pids; sleep 300 & echo $! >> pids; setsid bash -c 'trap "" TERM; echo $$ >> pids; echo ready > ready; while :; do sleep 0.1; done' & while :; do sleep 0.1; done`;
void runner.run({ toolCallId: 'x', command, cwd, timeoutMs: 600_000 });
setInterval(() => undefined, 1_000);
