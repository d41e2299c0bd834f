/**
 * Quits as the app does, under its guard, and does not end. Arguments: how (`loop`: this thread never comes back; `native`: neither does
 * another one, which nothing can interrupt; `closed`: as `loop`, after the runtime has closed its files, as it does at its end; `ends`: it ends when `<log file>.go` is there), the log file, seconds.
 */
import { closeSync, existsSync, readdirSync, readlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { LogFile } from '../../../../src/main/app/log-file';
import { guardQuit } from '../../../../src/main/app/quit-guard';

const [how, logFile = '', seconds = ''] = process.argv.slice(2);
const guard = guardQuit(new LogFile(dirname(logFile)), Number(seconds));
guard.at('closing the files');
process.stdout.write('quitting\n');
if (how === 'native') {
  new Worker(`require('node:crypto').pbkdf2Sync('a', 'b', 2147483647, 64, 'sha512')`, { eval: true });
  // It has begun for sure when it has used the processor: nothing else here does.
  for (const before = process.cpuUsage().user; process.cpuUsage().user < before + 500_000;) await setTimeout(20);
  process.exit();
}
if (how === 'closed') {
  const sockets = readdirSync('/proc/self/fd').filter((fd) => Number(fd) > 2 && isSocket(fd));
  for (const fd of sockets) closeSync(Number(fd));
}
if (how === 'loop' || how === 'closed') for (;;);
while (!existsSync(`${logFile}.go`)) await setTimeout(20);

function isSocket(fd: string): boolean {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`).startsWith('socket:');
  } catch {
    return false; // The one that listed them.
  }
}
