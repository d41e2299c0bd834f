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

/** File systems that are interfaces to the kernel, wherever they are mounted. */
const KERNEL =
  /^(proc|sysfs|devtmpfs|devpts|securityfs|debugfs|tracefs|cgroup2?|configfs|pstore|bpf|efivarfs|selinuxfs|smackfs|mqueue|hugetlbfs|binfmt_misc|fusectl|rpc_pipefs|nfsd|nsfs)$/;
const FUSE = /^fuse(blk)?(\.|$)/;

/**
 * What a mount is, beside files of a disk: the kernel's, one that shows a folder of ours with numbers of its own, or one of which
 * nobody can tell what it shows.
 */
export type MountKind = 'kernel' | 'own' | 'unknown';

export interface Mount {
  id: string;
  at: string;
  kind?: MountKind;
}

/** The mounts of a mountinfo text, in its order: of several at one point the last lies on top. `ownDirs`: real paths. Pure. */
export function parseMounts(text: string, ownDirs: readonly string[]): Mount[] {
  return text.split('\n').flatMap((line) => {
    const fields = line.split(' ');
    const [id, , , , point] = fields;
    if (id === undefined || point === undefined) return [];
    const [type = '', source = '', options = ''] = fields.slice(fields.indexOf('-', 6) + 1);
    return [
      { id, at: unescapeField(point), kind: kindOf(type, unescapeField(source), unescapeField(options), ownDirs) },
    ];
  });
}

function kindOf(type: string, source: string, options: string, ownDirs: readonly string[]): MountKind | undefined {
  if (KERNEL.test(type)) return 'kernel';
  const touchesOwn = (path: string): boolean =>
    ownDirs.some((dir) => isAtOrBelow(path, dir) || isAtOrBelow(dir, path.replace(/(?<=.)\/$/u, '')));
  if (type === 'overlay') {
    const layers = layersOf(options);
    if (layers.some((path) => touchesOwn(path))) return 'own';
    return layers.every((path) => path.startsWith('/')) ? undefined : 'unknown';
  }
  if (!FUSE.test(type)) return undefined;
  if (source.startsWith('/dev/')) return type.startsWith('fuseblk') ? undefined : 'unknown';
  return source.startsWith('/') && touchesOwn(source) ? 'own' : 'unknown';
}

/** The folders that an overlay is made of. A comma or colon in a name has a backslash before it. */
function layersOf(options: string): string[] {
  return options.split(/(?<!\\),/u).flatMap((option) => {
    const [, value] = /^(?:lowerdir\+?|datadir\+|upperdir|workdir)=(.*)$/su.exec(option) ?? [];
    const parts = value?.split(/(?<!\\):/u) ?? [];
    return parts.filter((part) => part !== '').map((part) => part.replace(/\\(.)/gsu, '$1'));
  });
}

function unescapeField(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_all, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
