/** Runs one command and prints how far the process's memory rose meanwhile, as JSON. Arguments: data folder, workspace, command. */
import { join } from 'node:path';
import { CommandRunner } from '../../../../src/main/commands/run-command';

const [dataDir = '', cwd = '', command = ''] = process.argv.slice(2);
const runner = new CommandRunner({
  runningDir: join(dataDir, 'running'),
  outputsDir: join(dataDir, 'outputs'),
  onOutput: () => undefined,
});
// The first commands load code and fill the pools that every later one uses; they are not what one big output costs.
for (let warmUp = 0; warmUp < 3; warmUp += 1) {
  await runner.run({ toolCallId: 'w', command: 'head -c 20000000 /dev/zero | tr "\\0" x', cwd, timeoutMs: 60_000 });
}
const base = process.memoryUsage().rss;
let peak = base;
const sampling = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 10);
const outcome = await runner.run({ toolCallId: 'x', command, cwd, timeoutMs: 600_000 });
clearInterval(sampling);
const { totalBytes, fullOutputPath, text } = outcome.output;
const result = {
  growthMb: (peak - base) / 1e6,
  baseMb: base / 1e6,
  totalBytes,
  fullOutputPath,
  shownBytes: Buffer.byteLength(text),
  durationMs: outcome.durationMs,
};
process.stdout.write(`${JSON.stringify(result)}\n`);
process.exit(0);
