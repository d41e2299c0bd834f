/** Runs one command, and git by way of bash, and prints what they say of their descriptors. Arguments: data folder, workspace. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { launchClosed } from '../../../../src/main/commands/launch';
import { CommandRunner } from '../../../../src/main/commands/run-command';

const [dataDir = '', cwd = ''] = process.argv.slice(2);
const runner = new CommandRunner({ runningDir: join(dataDir, 'running'), outputsDir: join(dataDir, 'outputs') });
const command =
  'ls /proc/self/fd; for n in $(seq 3 70); do bash -c "echo overwritten >&$n" && echo "wrote $n"; done 2>/dev/null; true';
const { output } = await runner.run({ toolCallId: 'x', command, cwd, timeoutMs: 60_000 });
const other = launchClosed('ls', ['/proc/self/fd'], '/bin/bash');
const launched = execFileSync(other.file, other.args, { encoding: 'utf8' });
process.stdout.write(JSON.stringify({ command: output.text.split('\n'), launched: launched.trim().split('\n') }));
process.exit(0);
