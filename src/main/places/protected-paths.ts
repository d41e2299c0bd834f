/** System trees that are interfaces to the kernel, not files. */
const KERNEL_TREES = ['/proc', '/sys', '/dev'];

/** Code points that some file systems ignore in names (HFS+ does: CVE-2014-9390), so `.g<U+200C>it` is `.git` there. */
const IGNORED_IN_NAMES =
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]/gu;

/**
 * A path as the most forgiving file system would read it: case, compatibility forms, ignored characters, trailing dots
 * and spaces, alternate streams and backslashes make no difference. Used to refuse, never to allow.
 */
export function foldPath(path: string): string {
  return path
    .replace(/\\/g, '/')
    .split('/')
    .map((part) => foldName(part))
    .join('/');
}

function foldName(part: string): string {
  if (part === '.' || part === '..') return part;
  const plain = part.normalize('NFKC').replace(IGNORED_IN_NAMES, '').toLowerCase().normalize('NFKC');
  return plain
    .replace(/:.*$/u, '')
    .replace(/[. ]+$/u, '')
    .replace(/^git~\d+$/u, '.git');
}

/** Whether `path` is `root` or lies below it, compared part by part. Both absolute and normalised. */
export function isAtOrBelow(path: string, root: string): boolean {
  if (path === root) return true;
  return path.startsWith(root.endsWith('/') ? root : `${root}/`);
}

export function belongsToSystem(path: string): string {
  return `${path} belongs to the system (devices and processes); tools do not touch it.`;
}

/** Why a path may never be touched, by its text alone; undefined if its text is no reason. */
export function refusalByName(path: string, changes: boolean): string | undefined {
  const folded = foldPath(path);
  if (KERNEL_TREES.some((tree) => isAtOrBelow(folded, tree))) {
    return belongsToSystem(path);
  }
  return refusalInGit(path, folded.split('/'), changes);
}

function refusalInGit(path: string, parts: string[], changes: boolean): string | undefined {
  const git = parts.indexOf('.git');
  if (git < 0) return undefined;
  const below = parts.slice(git + 1);
  if (below.includes('hooks')) return `${path} is a git hook, which git runs automatically; tools do not touch hooks.`;
  if (!changes || isWrittenByPeople(below)) return undefined;
  return `${path} is git's own state, which can make git run commands or lose commits; tools do not change it. Run git itself.`;
}

/** What stands below `.git` and is text of people: messages that wait for their commit, and what to ignore. */
function isWrittenByPeople(below: readonly string[]): boolean {
  const [first = '', ...rest] = below;
  if (rest.length === 0) return /^(?:commit_editmsg|merge_msg|squash_msg|tag_editmsg|description)$/.test(first);
  return first === 'info' && rest.length === 1 && rest[0] === 'exclude';
}

/** Identity of a file whatever its name: hard links, bind mounts, case and Unicode variants share it. */
export function fileIdentity(stats: { dev: bigint | number; ino: bigint | number }): string {
  return `${stats.dev}:${stats.ino}`;
}
