import { readFileSync } from 'node:fs';
import { isAtOrBelow } from './protected-paths';

/** File systems behind which a server or a program stands: when that is gone, all of the mount hangs. */
const MAY_GO = /^(fuse|fuseblk|nfs4?|cifs|smb3|smbfs|9p|ceph|afs|glusterfs|lustre|davfs|sshfs)(\.|$)/;

/**
 * Where what a path lies on is mounted, if that may stop answering as a whole; null elsewhere, and where the system does not say (not Linux). Looks
 * at names alone: the system's list answers also where the mount does not.
 */
export function mountOf(path: string): string | null {
  const found = mounts()
    .filter(({ at }) => isAtOrBelow(path, at))
    .sort((a, b) => b.at.length - a.at.length)
    .at(0);
  return found && MAY_GO.test(found.type) ? found.at : null;
}

function mounts(): { at: string; type: string }[] {
  if (process.platform !== 'linux') return [];
  let text: string;
  try {
    text = readFileSync('/proc/self/mountinfo', 'utf8');
  } catch {
    return [];
  }
  return text.split('\n').flatMap((line) => {
    const [, at, type] = /^\S+ \S+ \S+ \S+ (\S+) .*? - (\S+) /.exec(line) ?? [];
    if (at === undefined || type === undefined) return [];
    return [
      { at: at.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8))), type },
    ];
  });
}
