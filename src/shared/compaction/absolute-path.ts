/** Where the paths of a session's calls begin. */
export interface PathPlace {
  /** The workspace; empty: not known, and relative paths stay relative. */
  root: string;
  /** What `~` stands for. */
  home: string;
}

/** `C:\…`, `C:/…` and `\\server\…`: of another computer's system, and left as they are. */
const WINDOWS = /^(?:[a-z]:[\\/]|\\\\)/i;

/**
 * A path as a tool takes it, absolute and in one spelling: joined to the workspace, without `.`, `..` and doubled slashes (FA4). Links are
 * not followed: what stood there then nobody knows now. Pure. O(length).
 */
export function absolutePath(path: string, { root, home }: PathPlace): string {
  if (WINDOWS.test(path) || (!path.startsWith('/') && WINDOWS.test(root))) return path;
  const from = path === '~' || path.startsWith('~/') ? home + path.slice(1) : path;
  const whole = from.startsWith('/') || root === '' ? from : `${root}/${from}`;
  const isAbsolute = whole.startsWith('/');
  const parts: string[] = [];
  for (const part of whole.split('/')) {
    if (part === '' || part === '.') continue;
    const above = parts.at(-1);
    if (part !== '..') parts.push(part);
    else if (above !== undefined && above !== '..') parts.pop();
    else if (!isAbsolute) parts.push(part);
  }
  return (isAbsolute ? '/' : '') + (parts.join('/') || (isAbsolute ? '' : '.'));
}
