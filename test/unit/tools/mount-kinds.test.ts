import { expect, it } from 'vitest';
import { type MountKind, parseMounts } from '../../../src/main/places/mounts';

/** What is mounted where, by the system's list (docs/specs/safety.md B5). */

const OWN = ['/home/a/.espalier', '/home/a/profile'];
const line = (type: string, source: string, options = 'rw'): string =>
  `36 25 0:32 / /work/in\\040it rw,relatime shared:1 master:2 - ${type} ${source} ${options}`;

it.each<[string, MountKind | undefined]>([
  [line('ext4', '/dev/sda1'), undefined],
  [line('tmpfs', 'tmpfs'), undefined],
  ...['proc', 'sysfs', 'devtmpfs', 'devpts', 'securityfs', 'debugfs', 'tracefs', 'cgroup', 'cgroup2', 'fusectl'].map(
    (type): [string, MountKind] => [line(type, 'none'), 'kernel'],
  ),
  [line('overlay', 'overlay', 'rw,lowerdir=/home/a/.espalier,upperdir=/u,workdir=/w'), 'own'],
  [line('overlay', 'overlay', 'rw,lowerdir=/x:/home/a/.espalier/sessions,upperdir=/u,workdir=/w'), 'own'],
  [line('overlay', 'overlay', 'rw,lowerdir=/home/a,upperdir=/u,workdir=/w'), 'own'],
  [line('overlay', 'overlay', 'ro,lowerdir=/'), 'own'],
  [line('overlay', 'overlay', 'rw,lowerdir=/x,upperdir=/home/a/profile/up,workdir=/w'), 'own'],
  [line('overlay', 'overlay', 'ro,lowerdir+=/x,lowerdir+=/home/a/profile'), 'own'],
  [line('overlay', 'overlay', 'rw,lowerdir=/home/a/.espalier2:/y,upperdir=/u,workdir=/w'), undefined],
  [line('overlay', 'overlay', 'rw,lowerdir=.espalier,upperdir=/u,workdir=/w'), 'unknown'],
  [line('fuse.bindfs', '/home/a/.espalier'), 'own'],
  [line('fuse', '/home/a'), 'own'],
  [line('fuse.bindfs', '/elsewhere'), 'unknown'],
  [line('fuse.sshfs', 'a@host:/home/a'), 'unknown'],
  [line('fuseblk', '/dev/sdb1'), undefined],
  [line('fuse', '/dev/fuse'), 'unknown'],
])('%s', (text, kind) => {
  expect(parseMounts(text, OWN)).toEqual([{ id: '36', at: '/work/in it', kind }]);
});
