import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILLER = 'filler.bin';

/** A small disk of its own: a folder that can be filled to the last byte and be given space again. */
export interface SmallDisk {
  /** Leaves `leftBytes` free. */
  fill(leftBytes: number): void;
  /** Takes the filler away. */
  free(): void;
  unmount(): void;
}

/** Mounts a tmpfs of `size` bytes at `folder`. Returns the reason as a text where that is not possible. */
export function mountSmallDisk(folder: string, size: number): SmallDisk | string {
  if (process.platform !== 'linux') return 'small disks are made with tmpfs, which only Linux has';
  if (process.getuid?.() !== 0) return 'mounting a small disk needs root';
  mkdirSync(folder, { recursive: true });
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], { encoding: 'utf8' });
  if (mounted.status !== 0) return `a small disk could not be mounted: ${mounted.stderr.trim()}`;
  const filler = join(folder, FILLER);
  return {
    fill(leftBytes) {
      const { bavail, bsize } = statfsSync(folder);
      writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - leftBytes)));
    },
    free: () => rmSync(filler, { force: true }),
    unmount: () => void spawnSync('umount', ['-l', folder]),
  };
}
