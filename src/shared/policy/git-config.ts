/**
 * A repository's own configuration, read by ourselves: it belongs to whoever made the folder, and more than a dozen of its keys
 * make git run a program (docs/specs/safety.md B2). The parser is stricter than git's and takes nothing that it does not
 * understand; the list is of what is known to be harmless, so that a key of a later git is no surprise. Pure.
 */

export interface GitConfigEntry {
  /** `section.key` or `section.subsection.key`; section and key in lower case. */
  name: string;
  value: string;
}

export type GitConfig = { ok: true; entries: GitConfigEntry[] } | { ok: false; reason: string };

/** Git's own writes have some 20 lines; with hundreds of remotes and branches still less than this. */
export const MAX_GIT_CONFIG_BYTES = 256 * 1024;

const SECTION = /^\[([A-Za-z0-9-]+)(?:[ \t]+"((?:[^"\\\n]|\\["\\])*)")?\]$/;
const VARIABLE = /^([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:=[ \t]*(.*))?$/;

/** The entries in order, or why the text is not one that is understood. */
export function parseGitConfig(text: string): GitConfig {
  const entries: GitConfigEntry[] = [];
  let section: string | null = null;
  for (const [index, raw] of text
    .replace(/^\ufeff/, '')
    .split('\n')
    .entries()) {
    const refused = (why: string): GitConfig => ({ ok: false, reason: `line ${index + 1} ${why}` });
    const line = raw.replace(/\r$/, '').trim();
    if (/[\u0000-\u0008\u000b-\u001f\u007f]/.test(raw.replace(/\r$/, ''))) return refused('holds a control character');
    if (line === '' || line.startsWith('#') || line.startsWith(';')) continue;
    if (line.startsWith('[')) {
      const [, name = '', subsection] = SECTION.exec(line) ?? [];
      if (name === '') return refused('is no section that Espalier understands');
      const inner = subsection === undefined ? '' : `.${subsection.replace(/\\(["\\])/g, '$1')}`;
      section = name.toLowerCase() + inner;
      continue;
    }
    const [, key, given = 'true'] = VARIABLE.exec(line) ?? [];
    if (key === undefined || section === null) return refused('is no entry that Espalier understands');
    const value = valueOf(given);
    if (value === null) return refused('has a value that Espalier does not understand');
    entries.push({ name: `${section}.${key.toLowerCase()}`, value });
  }
  return { ok: true, entries };
}

/** A value without quotes and comments; null where it goes on in the next line or is quoted wrongly. */
function valueOf(given: string): string | null {
  let value = '';
  let isQuoted = false;
  for (let at = 0; at < given.length; at += 1) {
    const character = given.charAt(at);
    if (character === '"') isQuoted = !isQuoted;
    else if (character === '\\') {
      at += 1;
      const escaped = ESCAPES.get(given.charAt(at));
      if (escaped === undefined) return null;
      value += escaped;
    } else if (!isQuoted && (character === '#' || character === ';')) break;
    else value += character;
  }
  return isQuoted ? null : value.trim();
}
const ESCAPES = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['b', '\b'],
  ['"', '"'],
  ['\\', '\\'],
]);

const HARMLESS = new Set(
  [
    'core.abbrev core.autocrlf core.bigfilethreshold core.checkstat core.commitgraph core.compression core.eol core.filemode',
    'core.hidedotfiles core.ignorecase core.logallrefupdates core.longpaths core.loosecompression core.multipackindex',
    'core.packedgitlimit core.precomposeunicode core.preloadindex core.protecthfs core.protectntfs core.quotepath',
    'core.repositoryformatversion core.safecrlf core.sharedrepository core.splitindex core.symlinks core.trustctime',
    'core.untrackedcache core.whitespace extensions.objectformat extensions.refstorage extensions.worktreeconfig',
    'extensions.compatobjectformat fetch.prune fetch.prunetags gc.auto index.version init.defaultbranch',
    'lfs.repositoryformatversion pull.ff pull.rebase push.autosetupremote push.default push.followtags rebase.autosquash',
    'rebase.autostash receive.denycurrentbranch rerere.autoupdate rerere.enabled submodule.active user.email user.name',
  ].flatMap((line) => line.split(' ')),
);
const HARMLESS_IN = new Map([
  [
    'remote',
    new Set(['fetch', 'gh-resolved', 'mirror', 'prune', 'push', 'pushurl', 'skipdefaultupdate', 'tagopt', 'url']),
  ],
  ['branch', new Set(['description', 'gh-merge-base', 'merge', 'pushremote', 'rebase', 'remote', 'vscode-merge-base'])],
  ['submodule', new Set(['active', 'branch', 'url'])],
]);

/** What an entry could make git do, in the order of the file: everything that is not known to be harmless. */
export function riskyGitEntries(entries: readonly GitConfigEntry[]): GitConfigEntry[] {
  return entries.filter(({ name, value }) => {
    if (HARMLESS.has(name)) return false;
    if (name === 'core.bare') return value.toLowerCase() !== 'false';
    const first = name.indexOf('.');
    const last = name.lastIndexOf('.');
    return first === last || !HARMLESS_IN.get(name.slice(0, first))?.has(name.slice(last + 1));
  });
}

/** Of the harmless ones: those that say how git compares files with its index, and how it writes their names. */
const COMPARING = new Set(
  [
    'core.autocrlf core.bigfilethreshold core.checkstat core.eol core.filemode core.ignorecase core.longpaths',
    'core.precomposeunicode core.protecthfs core.protectntfs core.quotepath core.repositoryformatversion core.symlinks',
    'core.trustctime extensions.objectformat',
  ].flatMap((line) => line.split(' ')),
);

/** A configuration made of nothing but these; null where one of them has a value that is no number, switch or plain word. */
export function statusConfig(entries: readonly GitConfigEntry[]): string | null {
  let text = '';
  for (const { name, value } of entries) {
    if (!COMPARING.has(name)) continue;
    if (!/^[A-Za-z0-9]{0,20}$/.test(value)) return null;
    const [section, key] = name.split('.');
    text += `[${section}]\n\t${key} = ${value}\n`;
  }
  return text;
}

/** What a HEAD file, or that of a branch, leads to; null for whatever is neither a branch nor a commit. */
export function headTarget(text: string): { kind: 'branch'; ref: string } | { kind: 'commit'; commit: string } | null {
  const [, ref] = /^ref: (refs\/heads\/[^\u0000-\u0020\u007f~^:?*[\\]{1,200})\n?$/.exec(text) ?? [];
  // No name that git gives has these; `refs/heads/.invalid` stands for references that are kept in another way.
  if (ref !== undefined) return ref.includes('..') || ref.includes('/.') ? null : { kind: 'branch', ref };
  const [, commit] = /^([0-9a-f]{40}|[0-9a-f]{64})\n?$/.exec(text) ?? [];
  return commit === undefined ? null : { kind: 'commit', commit };
}

/** The branch, or the first letters of the commit, that a HEAD file names; null if it is none. */
export function branchOfHead(text: string): string | null {
  const target = headTarget(text);
  if (target?.kind === 'branch') return target.ref.slice('refs/heads/'.length);
  return target && `${target.commit.slice(0, 10)} (no branch)`;
}
