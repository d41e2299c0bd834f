import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { accessSync, constants, mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';

/** Whether a file system that hangs can be had: `/dev/fuse`, and the right to mount (root). */
export function canHang(): boolean {
  try {
    accessSync('/dev/fuse', constants.R_OK | constants.W_OK);
    return process.platform === 'linux' && process.getuid?.() === 0 && spawnSync('mount', ['--version']).status === 0;
  } catch {
    return false;
  }
}

export interface HungMount {
  dir: string;
  /** From now on nothing in it answers: who asks hangs in the kernel, where no signal reaches it. */
  hang(): Promise<void>;
  /** It answers again; what waited goes on with an error. */
  remove(): Promise<void>;
}

/** A real mount (FUSE): an empty folder that answers until it is told to hang. */
export async function mountThatHangs(dir: string): Promise<HungMount> {
  mkdirSync(dir, { recursive: true });
  const program = join(process.cwd(), 'test/support/hung-mount-server.mjs');
  const server = spawn(process.execPath, [program, dir], { stdio: ['pipe', 'pipe', 'inherit'] });
  await said(server, 'ready');
  return {
    dir,
    async hang() {
      const done = said(server, 'hanging');
      server.stdin.write('hang\n');
      await done;
    },
    async remove() {
      const gone = new Promise((resolve) => server.once('exit', resolve));
      server.kill('SIGKILL');
      await gone;
      spawnSync('umount', ['-l', dir], { stdio: 'ignore' });
      rmdirSync(dir);
    },
  };
}

function said(server: ChildProcess, word: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const onData = (data: Buffer): void => {
      if (!data.toString().includes(word)) return;
      server.stdout?.off('data', onData);
      resolve();
    };
    server.stdout?.on('data', onData);
    server.once('exit', (code) => reject(new Error(`The file system ended (${code}).`)));
  });
}
