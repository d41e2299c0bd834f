import { readdirSync, readFileSync } from 'node:fs';
import type { RunningApp } from '../../support/electron-app';

/** A tick of `/proc/PID/stat`. */
const TICK_MS = 10;

/** Milliseconds of processor time so far of main and of the windows, without what runs extensions and servers (Linux). A busy machine changes little of it. */
export function processorMs(app: RunningApp): { main: number; window: number } {
  const pid = app.electron.process().pid ?? 0;
  const spent = { main: ticksOf(pid), window: 0 };
  for (const name of readdirSync('/proc'))
    if (/^\d+$/.test(name) && isWindowOf(name, pid)) spent.window += ticksOf(Number(name));
  return { main: spent.main * TICK_MS, window: spent.window * TICK_MS };
}

/** Windows are forked by the zygote of their app, so all that is of its group counts. */
function isWindowOf(pid: string, app: number): boolean {
  if (!read(`/proc/${pid}/cmdline`).includes('--type=renderer')) return false;
  return fieldsOf(Number(pid))[2] === fieldsOf(app)[2];
}

function ticksOf(pid: number): number {
  const fields = fieldsOf(pid);
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
}

/** Those behind the name, which may hold blanks: state, parent, group, … */
function fieldsOf(pid: number): string[] {
  return read(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ');
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
