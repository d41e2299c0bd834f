/**
 * A repository's own configuration, read by ourselves: it belongs to whoever made the folder, and more than a dozen of its keys
 * make git run a program (docs/specs/safety.md B2). The parser is stricter than git's and takes nothing that it does not
 * understand. The list of what is known to be harmless is for the person who is asked to trust the folder: whatever else stands there
 * is shown, for commands that run git later read all of it. Pure.
 */

/**
 * A text without the blanks at its ends that a shell and git take for blanks: spaces, tabs and line feeds. Linear, however many stand
 * within it, which a pattern that ends with an anchor is not.
 */
export function trimBlanks(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isBlank(text.charCodeAt(from))) from += 1;
  while (to > from && isBlank(text.charCodeAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a;
}

export interface GitConfigEntry {
  /** `section.key` or `section.subsection.key`; section and key in lower case. */
  name: string;
  value: string;
}

type GitConfig = { ok: true; entries: GitConfigEntry[] } | { ok: false; reason: string };

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
    const line = trimBlanks(raw.replace(/\r$/, ''));
    if (/[\u0000-\u0008\u000b-\u001f\u007f]/.test(raw.replace(/\r$/, ''))) return refused('holds a control character');
    if (line === '' || line.startsWith('#') || line.startsWith(';')) continue;
    if (line.startsWith('[')) {
      const [, name = '', subsection] = SECTION.exec(line) ?? [];
      if (name === '') return refused('is not a section that Espalier understands');
      const inner = subsection === undefined ? '' : `.${subsection.replace(/\\(["\\])/g, '$1')}`;
      section = name.toLowerCase() + inner;
      continue;
    }
    const [, key, given = 'true'] = VARIABLE.exec(line) ?? [];
    if (key === undefined || section === null) return refused('is not an entry that Espalier understands');
    const value = valueOf(given);
    if (value === null) return refused('has a value that Espalier does not understand');
    // Git keeps it, and another program may not show it.
    if (ODD_END.test(value))
      return refused('has a value with a space character at its end that git doesn’t treat as one');
    entries.push({ name: `${section}.${key.toLowerCase()}`, value });
  }
  return { ok: true, entries };
}

/**
 * A value without quotes and comments; null where it goes on in the next line or is quoted wrongly, or where a blank at one of its ends
 * is quoted or escaped: git keeps that.
 */
function valueOf(given: string): string | null {
  let value = '';
  let isQuoted = false;
  /** Up to here something of it was quoted or escaped. */
  let kept = 0;
  let keepsStart = false;
  let isBlank = true;
  const add = (text: string, isKept: boolean): void => {
    keepsStart ||= isKept && isBlank;
    isBlank &&= trimBlanks(text) === '';
    value += text;
    if (isKept) kept = value.length;
  };
  for (let at = 0; at < given.length; at += 1) {
    const character = given.charAt(at);
    if (character === '"') isQuoted = !isQuoted;
    else if (character === '\\') {
      at += 1;
      const escaped = ESCAPES.get(given.charAt(at));
      if (escaped === undefined) return null;
      add(escaped, true);
    } else if (!isQuoted && (character === '#' || character === ';')) break;
    else add(character, isQuoted);
  }
  const whole = trimBlanks(value);
  const begin = value.indexOf(whole);
  const isTrimmed = kept <= begin + whole.length && !(keepsStart && begin > 0);
  // Of a tab within it some versions of git make a space.
  return isQuoted || !isTrimmed || whole.includes('\t') ? null : whole;
}

/** Ends with what is a blank to others alone. */
const ODD_END = /^(?:[^\S \t\r\n]|\u0085)|(?:[^\S \t\r\n]|\u0085)$/;
const ESCAPES = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['b', '\b'],
  ['"', '"'],
  ['\\', '\\'],
]);

const HARMLESS = namesIn(
  'author.email author.name apply.whitespace blame.ignorerevsfile branch.autosetupmerge branch.autosetuprebase branch.sort',
  'checkout.defaultremote checkout.guess checkout.workers clean.requireforce commit.cleanup commit.gpgsign commit.status',
  'commit.template commit.verbose committer.email committer.name',
  'core.abbrev core.autocrlf core.bigfilethreshold core.checkstat core.commentchar core.commentstring core.commitgraph',
  'core.compression core.deltabasecachelimit core.eol core.filemode core.fscache core.fsync core.fsyncmethod',
  'core.fsyncobjectfiles core.hidedotfiles core.ignorecase core.logallrefupdates core.longpaths core.loosecompression',
  'core.multipackindex core.packedgitlimit core.packedgitwindowsize core.precomposeunicode core.preloadindex',
  'core.protecthfs core.protectntfs core.quotepath core.repositoryformatversion core.safecrlf core.sharedrepository',
  'core.sparsecheckout core.sparsecheckoutcone core.splitindex core.symlinks core.trustctime core.untrackedcache',
  'core.warnambiguousrefs core.whitespace credential.usehttppath credential.username',
  'diff.algorithm diff.colormoved diff.colormovedws diff.context diff.ignoresubmodules diff.indentheuristic',
  'diff.interhunkcontext diff.mnemonicprefix diff.noprefix diff.renamelimit diff.renames diff.submodule diff.wordregex',
  'diff.wserrorhighlight extensions.compatobjectformat extensions.objectformat extensions.refstorage',
  'extensions.relativeworktrees extensions.worktreeconfig feature.experimental feature.manyfiles fetch.all',
  'fetch.fsckobjects fetch.parallel fetch.prune fetch.prunetags fetch.recursesubmodules fetch.writecommitgraph',
  'gc.aggressivedepth gc.aggressivewindow gc.auto gc.autodetach gc.autopacklimit gc.bigpackthreshold gc.cruftpacks',
  'gc.pruneexpire gc.reflogexpire gc.reflogexpireunreachable gc.worktreepruneexpire gc.writecommitgraph',
  'grep.linenumber grep.patterntype http.lowspeedlimit http.lowspeedtime http.postbuffer http.version',
  'i18n.commitencoding i18n.logoutputencoding index.skiphash index.sparse index.threads index.version',
  'init.defaultbranch lfs.concurrenttransfers lfs.fetchexclude lfs.fetchinclude lfs.locksverify',
  'lfs.repositoryformatversion log.abbrevcommit log.date log.decorate log.follow log.mailmap maintenance.auto',
  'maintenance.autodetach maintenance.strategy merge.autostash merge.conflictstyle merge.directoryrenames merge.ff',
  'merge.log merge.renamelimit merge.renames merge.renormalize merge.stat pack.compression pack.deltacachesize pack.depth',
  'pack.packsizelimit pack.threads pack.usesparse pack.window pack.windowmemory pack.writebitmaps protocol.version',
  'pull.ff pull.rebase push.autosetupremote push.default push.followtags push.gpgsign push.recursesubmodules',
  'push.useforceifincludes rebase.abbreviatecommands rebase.autosquash rebase.autostash rebase.forkpoint',
  'rebase.missingcommitscheck rebase.rebasemerges rebase.stat rebase.updaterefs receive.autogc',
  'receive.denycurrentbranch receive.denydeletes receive.denynonfastforwards receive.fsckobjects',
  'receive.shallowupdate remote.pushdefault repack.usedeltabaseoffset repack.writebitmaps rerere.autoupdate',
  'rerere.enabled sparse.expectfilesoutsideofpatterns stash.showincludeuntracked stash.showpatch stash.showstat',
  'status.aheadbehind status.branch status.displaycommentprefix status.relativepaths status.renamelimit status.renames',
  'status.short status.showstash status.showuntrackedfiles status.submodulesummary submodule.active submodule.fetchjobs',
  'submodule.recurse tag.gpgsign tag.sort transfer.fsckobjects user.email user.name user.signingkey user.useconfigonly',
  'versionsort.suffix worktree.guessremote',
);
const HARMLESS_IN = new Map([
  [
    'remote',
    namesIn('fetch gh-resolved mirror prune prunetags push pushurl skipdefaultupdate skipfetchall tagopt url'),
  ],
  [
    'branch',
    namesIn(
      'description gh-merge-base github-pr-owner-number gk-last-accessed gk-last-modified gk-merge-base gk-merge-target',
      'merge pushremote rebase remote vscode-merge-base',
    ),
  ],
  ['credential', namesIn('provider usehttppath username')],
  ['lfs', namesIn('access locksverify')],
  ['maintenance', namesIn('auto enabled schedule')],
  ['submodule', namesIn('active branch fetchrecursesubmodules ignore shallow url')],
]);
/** Sections of looks, hints and windows; no program has its name in one. */
const HARMLESS_SECTIONS = namesIn('advice color column gui');

function namesIn(...lines: string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(' ')));
}

/** Values with which an entry does nothing, where not all are like that. */
const HARMLESS_IF_OFF = namesIn('core.bare core.fsmonitor');

export interface RiskyGitEntry extends GitConfigEntry {
  /** It names a program, or a file with more such entries. What has it is not a folder to run git in, though git never reads it there. */
  canRun: boolean;
}

const CAN_RUN =
  /^(?:alias|include|includeif)\.|\.(?:askpass|clean|cmd|command|driver|editor|external|fsmonitor|gitproxy|helper|hookspath|pager|process|program|smudge|sshcommand|textconv|uploadpack|receivepack)$/;

/** Everything that is not known to be harmless, in the order of the file. */
export function riskyGitEntries(entries: readonly GitConfigEntry[]): RiskyGitEntry[] {
  return entries
    .filter(({ name, value }) => {
      if (isHelperUrl(name, value)) return true;
      if (HARMLESS.has(name)) return false;
      if (HARMLESS_IF_OFF.has(name)) return value.toLowerCase() !== 'false';
      const first = name.indexOf('.');
      const last = name.lastIndexOf('.');
      const section = name.slice(0, first);
      if (HARMLESS_SECTIONS.has(section)) return false;
      return first === last || !HARMLESS_IN.get(section)?.has(name.slice(last + 1));
    })
    .map((entry) => ({ ...entry, canRun: canRun(entry) }));
}

function canRun({ name, value }: GitConfigEntry): boolean {
  return CAN_RUN.test(name) || value.startsWith('!') || isHelperUrl(name, value);
}

/** `ext::sh -c …` and the like name the program that fetches. */
function isHelperUrl(name: string, value: string): boolean {
  return /\.(?:(?:push)?url|(?:push)?remote|pushdefault)$/.test(name) && /^[\w.+-]+::/.test(value);
}

/** More that names a program, or lets one be named, in a command that sets it: git reads it where it is used alone. */
const CAN_RUN_TOO =
  /^pager\.|^(?:core\.alternaterefscommand|init\.templatedir|interactive\.difffilter|web\.browser|imap\.tunnel|instaweb\.httpd)$|^sendemail\.|^(?:browser|difftool|guitool|man|mergetool)\..*\.path$|\.(?:defaultkeycommand|packobjectshook|vcs)$/;
/** Pagers, editors and keepers of passwords that every system has, and no program at all. */
const KNOWN_PROGRAM =
  /^(?:true|false|cat|less|more|:|vi|vim|nano|ssh|store|cache(?: --timeout[= ]\d+)?|osxkeychain|manager(?:-core)?|wincred|libsecret)?$/i;
/** Those that people commonly set, with switches of theirs that take no program. */
const COMMON_PROGRAM =
  /^(?:(?:code|code-insiders|codium|cursor|windsurf|zed|subl|mate|atom|gedit|kate|emacs|emacsclient|nvim|vim|hx|helix|micro|joe|notepad|nano|vi)(?: -{1,2}(?:wait|new-window|nw|n|w|t|c))*|delta|bat|most|diff-so-fancy)$/;
/** An alias for a verb of git alone, without settings of its own. */
const PLAIN_ALIAS = /^[a-z](?!.* (?:-c|--config-env)\b)/;

/** Whether an entry that a command would set makes git run a program that is not known. */
export function setsProgram(entry: GitConfigEntry): boolean {
  const { name, value } = entry;
  if (value.startsWith('!') || isHelperUrl(name, value)) return true;
  if (name.startsWith('alias.')) return !PLAIN_ALIAS.test(value);
  // A helper such as `ext::` runs what its address says.
  if (name.startsWith('protocol.') && name.endsWith('.allow')) return value !== 'never';
  if (/\.(?:editor|pager)$/.test(name) && COMMON_PROGRAM.test(value)) return false;
  return (CAN_RUN.test(name) || CAN_RUN_TOO.test(name)) && !KNOWN_PROGRAM.test(value);
}

/** Whether an entry names a program that every system has: `core.pager=cat`. */
export function namesKnownProgram({ name, value }: GitConfigEntry): boolean {
  return /\.(?:pager|editor)$/.test(name) && KNOWN_PROGRAM.test(value);
}

/** Whether the files that git would compare are others than those beside its folder, or none. */
export function hasOtherFiles(entries: readonly GitConfigEntry[]): boolean {
  return entries.some(
    ({ name, value }) => name === 'core.worktree' || (name === 'core.bare' && value.toLowerCase() !== 'false'),
  );
}

/** Of the harmless ones: those that say how git compares files with its index, and how it writes their names. */
const COMPARING = namesIn(
  'core.autocrlf core.bigfilethreshold core.checkstat core.eol core.filemode core.ignorecase core.longpaths',
  'core.precomposeunicode core.protecthfs core.protectntfs core.quotepath core.repositoryformatversion core.sparsecheckout',
  'core.sparsecheckoutcone core.symlinks core.trustctime extensions.objectformat index.sparse',
  'sparse.expectfilesoutsideofpatterns',
);

/** A configuration made of nothing but these; null where one of them has a value that is not a number, switch or plain word. */
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
