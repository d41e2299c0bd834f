import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { processStartTime } from './processes';

const run = promisify(execFile);
/** A list of all processes costs a process of its own where there is no /proc. */
const POLL_MS = process.platform === 'linux' ? 150 : 1_000;

/**
 * What descends from a process, looked at again and again while it lives: a daemon that leaves its group and clears its
 * environment is known by its parents as long as one look falls before the last of them ends.
 */
export class Descendants {
  private readonly known = new Map<number, string>();
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();

  constructor(private readonly root: number) {}

  start(): void {
    const next = (): void => {
      this.looking = this.look().catch(() => undefined);
      void this.looking.then(() => {
        if (this.timer) this.timer = setTimeout(next, POLL_MS).unref();
      });
    };
    this.timer = setTimeout(next, 0).unref();
  }

  /** No more looking; resolves after a last look. */
  async stop(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    await this.looking;
    await this.look().catch(() => undefined);
  }

  /** Those that were seen and still live. */
  async alive(): Promise<number[]> {
    const found = await Promise.all(
      [...this.known].map(async ([pid, startTime]) => ((await processStartTime(pid)) === startTime ? pid : undefined)),
    );
    return found.filter((pid) => pid !== undefined);
  }

  private async look(): Promise<void> {
    const childrenOf = process.platform === 'linux' ? childrenFromProc : await childrenFromPs();
    const open = [this.root, ...(await this.alive())];
    const seen = new Set<number>(open);
    for (let pid = open.pop(); pid !== undefined; pid = open.pop()) {
      for (const child of await childrenOf(pid)) {
        if (seen.has(child)) continue;
        seen.add(child);
        open.push(child);
        const startTime = await processStartTime(child);
        if (startTime !== undefined) this.known.set(child, startTime);
      }
    }
  }
}

async function childrenFromProc(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const texts = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'latin1').catch(() => '')),
  );
  return texts.flatMap((text) => text.split(' ').filter((word) => /^\d+$/u.test(word))).map(Number);
}

async function childrenFromPs(): Promise<(pid: number) => Promise<number[]>> {
  const { stdout } = await run('ps', ['-axo', 'pid=,ppid=']).catch(() => ({ stdout: '' }));
  const rows = stdout.split('\n').map((line) => line.trim().split(/\s+/u).map(Number));
  return (pid) => Promise.resolve(rows.flatMap(([child, parent]) => (parent === pid && child ? [child] : [])));
}
