import { isRunner, MOST_RUNNERS, runByIt } from './runners';
import { type Mark, type ShellCommand, span, type Word } from './shell-words';

/**
 * Which commands delete, and what a call of git deletes, discards or rewrites, as a person who skims it would say: for warnings alone
 * (docs/specs/safety.md C2).
 * Pure, linear in the words.
 */

interface GitRisks {
  deletes: Mark[];
  /** Where commits or changes are lost. */
  history: Mark[];
  /** The verbs of `history`; `abort` for a verb that ends what one began. */
  verbs: string[];
}

const NOTHING: GitRisks = { deletes: [], history: [], verbs: [] };

/** What by itself says it. */
const ALWAYS = /^/;
const ABORTS = /^--ab/;
const FORCE = /^(?:-[a-zA-Z]*f|--f(?:o|$))/;
/** Verbs that lose commits or changes, with the word that says so. */
const LOSES = new Map<string, RegExp>([
  ['push', /^(--forc|-[a-zA-Z]*f|--de|-[qvnu46]*d|--mir|--prune$|\+|:.)/],
  // Into a branch of one's own; what is known of a remote is overwritten by each.
  ...['fetch', 'pull'].map((verb): [string, RegExp] => [verb, /^(?:\+[^:]*:(?!refs\/remotes\/)|-[a-zA-Z]*f|--fo)/]),
  ['reset', /^--(?:h|me|k)/],
  ['commit', /^--am/],
  // Before a switch that takes a word the letters are switches.
  ['branch', /^(?:-[aqrvli]*[dDfMC]|--de|--forc)/],
  ['tag', /^(?:-[aselv\d]*[df]|--de|--forc)/],
  // Conflicts that somebody solved, and in some cases other changes, are gone.
  ...['merge', 'cherry-pick', 'revert', 'am'].map((verb): [string, RegExp] => [verb, ABORTS]),
  ['gc', /^--prune=(?:now|all)$/],
  // A name with an ending is a file more often than a branch.
  ['checkout', new RegExp(`^(?:--|--ou.*|--th.*|-[qflt]*B.*|:/|\\*.*|\\.{1,2}(?:/.*)?|.*/|.*\\.(?!x$)[a-zA-Z][a-zA-Z\\d]{0,4})$|${FORCE.source}`)], // prettier-ignore
  ['switch', new RegExp(`^(?:-[qflt]*C.*|--forc.*|--di.*)$|${FORCE.source}`)],
  ['read-tree', /^--res/],
  ['checkout-index', FORCE],
  ...['restore', 'rebase', 'filter-branch', 'filter-repo', 'update-ref', 'replace', 'prune'].map(
    (verb): [string, RegExp] => [verb, ALWAYS],
  ),
]);
/** Verbs with verbs of their own, that come right behind them. */
const LOSES_BY_VERB = new Map<string, ReadonlySet<string>>([
  ['stash', new Set(['drop', 'clear'])],
  ['reflog', new Set(['expire', 'delete'])],
]);
/** Verbs that do nothing with these. */
const ONLY_TELLS = new Map<string, RegExp>([
  ['clean', /^(?:-[dfxXqi]*n[dfxXqin]*|--dry-run)$/],
  ['rm', /^(?:-n|--dry-run|--cached)$/],
  ['push', /^(?:-n|--dry-run)$/],
  ['prune', /^(?:-n|--dry-run)$/],
  ['rebase', /^--show-current-patch$/],
  ['replace', /^(?:-l|--list)$/],
]);
/** Takes one of those back, however it is shortened. */
const UNDOES = /^--no-[dcl]/;
const DELETES = new Set(['clean', 'rm']);
const DISCARDS = ['reset', 'checkout', 'switch', 'restore', 'stash', 'read-tree', 'checkout-index', 'abort'];
const KNOWN = new Set([
  ...LOSES.keys(),
  ...LOSES_BY_VERB.keys(),
  ...DELETES,
  ...(
    'add am apply bisect blame cat-file cherry-pick clone config describe diff fetch format-patch gc grep init log ls-files ls-remote ls-tree ' +
    'merge merge-base mv notes pull remote rev-list rev-parse revert shortlog show show-ref status submodule symbolic-ref worktree'
  ).split(' '),
]);

/** Looks at a command; of one that is no call of git nothing is found. */
export function gitRisksOf(command: ShellCommand): GitRisks {
  const [first] = command.words;
  if (!first || command.name !== 'git') return NOTHING;
  const found: GitRisks = { deletes: [], history: [], verbs: [] };
  for (const verb of gitVerbsOf(command)) {
    const { text } = verb;
    const rest = argumentsOf(command, verb);
    const tells = ONLY_TELLS.get(text);
    const switches = tells ? switchesOf(rest).map((word) => word.text) : [];
    // What comes last counts: `-n --no-dry-run`.
    if (tells && switches.some((text) => tells.test(text)) && !switches.some((text) => UNDOES.test(text))) continue;
    const second = command.words[1] ?? verb;
    if (DELETES.has(text)) found.deletes.push(...span(first, second));
    const removes = rest[0]?.text === (REMOVES.get(text) ?? null);
    const forced = removes ? rest.find((word) => FORCE.test(word.text)) : undefined;
    if (forced) found.deletes.push(...span(first, forced));
    const by = losesBy(command, verb, rest);
    if (!by) continue;
    found.history.push(...span(first, by));
    found.verbs.push(rest.some((word) => ABORTS.test(word.text)) ? 'abort' : text);
  }
  return found;
}

/** Switches that take the word behind them. */
const TAKES_VALUE = /^(?:-[a-zA-Z]*[eo]|--exclude|--push-option|--receive-pack|--exec)$/;

/** Words that may be switches: neither what one of them takes nor what stands behind `--`. */
function switchesOf(words: readonly Word[]): Word[] {
  const end = words.findIndex(({ text }) => text === '--');
  const before = end < 0 ? words : words.slice(0, end);
  return before.filter((_, at) => !TAKES_VALUE.test(before[at - 1]?.text ?? ''));
}

/** What removes files of a folder with a switch. */
const REMOVES = new Map([
  ['worktree', 'remove'],
  ['submodule', 'deinit'],
]);

/** The words behind a verb, of words in quotes the first part alone: the others are a message. Where the whole call is in quotes, all. */
function argumentsOf({ words }: ShellCommand, verb: Word): Word[] {
  const from = words.indexOf(verb) + 1;
  return words.slice(from).filter(({ at }, place) => at !== words[from + place - 1]?.at || at === words[0]?.at);
}

/** The word that says that commits or changes are lost. */
function losesBy({ words }: ShellCommand, verb: Word, rest: readonly Word[]): Word | undefined {
  const verbs = LOSES_BY_VERB.get(verb.text);
  const [first] = rest;
  if (verbs) return first && verbs.has(first.text) ? first : undefined;
  const by = LOSES.get(verb.text);
  if (!by || (verb.text === 'restore' && isOnlyStaged(words.slice(words.indexOf(verb) + 1)))) return undefined;
  if (by === ALWAYS) return verb;
  return rest.find(({ text }) => by.test(text)) ?? (verb.text === 'checkout' ? fileOfCheckout(rest) : undefined);
}

/** What `checkout` takes out of a commit: no branch is made, and two names stand there. */
function fileOfCheckout(rest: readonly Word[]): Word | undefined {
  if (rest.some(({ text }) => /^(?:-[a-zA-Z]*[bt]|--(?:orphan|track|detach)\b)/.test(text))) return undefined;
  return rest.filter(({ text }) => !text.startsWith('-'))[1];
}

/** Whether `restore` takes back what was added and leaves the files as they are. A part of a word in quotes says nothing here. */
function isOnlyStaged(words: readonly Word[]): boolean {
  const end = words.findIndex(({ text }) => text === '--');
  const switches = end < 0 ? words : words.slice(0, end);
  if (switches.some(({ text }) => /^(?:--w|-[a-zA-Z]*W)/.test(text))) return false;
  return switches.some(
    ({ text, at }, place) =>
      /^(?:--staged|-[qp]*S[qp]*)$/.test(text) && switches[place - 1]?.at !== at && switches[place + 1]?.at !== at,
  );
}

/** Switches of git itself that take a word. */
const TAKES_WORD = /^(?:-[Cc]|--(?:git-dir|work-tree|namespace|super-prefix|config-env|attr-source))$/;

/**
 * The words that may be the verb, each once: with quotes that part words, and with quotes that do not. Where these leave none, as in
 * `sh -c "git -C 'a b' …"`, the first word that is a verb we know.
 */
export function gitVerbsOf({ words }: ShellCommand): Word[] {
  const verbs = new Set<Word>();
  const parted = verbAt(words, (at) => at + 2);
  const whole = verbAt(words, (at) => {
    const taken = (words[at]?.at ?? 0) + 1;
    let next = at + 1;
    while (next < words.length && (words[next]?.at ?? 0) <= taken) next += 1;
    return next;
  });
  const known = whole ?? words.find(({ text }, at) => at > 0 && KNOWN.has(text));
  for (const word of [parted, known]) if (word) verbs.add(word);
  return [...verbs];
}

/** The first word that is neither a switch of git nor taken by one. */
function verbAt(words: readonly Word[], behind: (at: number) => number): Word | undefined {
  const past = (from: number): number => {
    let next = from + 1;
    while (words[from]?.text.endsWith('=') && words[next]?.at === words[from]?.at) next += 1;
    return next;
  };
  let at = 1;
  for (let word = words[at]; word; word = words[at]) {
    if (TAKES_WORD.test(word.text)) at = behind(at);
    else if (word.text.startsWith('-')) at = past(at);
    else return word;
  }
  return undefined;
}

/** What the card says of what `gitRisksOf` found. */
export function titleOfHistory(verbs: ReadonlySet<string>): string {
  if (verbs.has('push')) return 'Overwrites a remote branch';
  return DISCARDS.some((verb) => verbs.has(verb)) ? 'Discards changes or commits' : 'Rewrites history';
}

const DELETING = new Set(
  'rm rmdir unlink shred srm truncate mkfs wipefs blkdiscard rimraf del erase rd tmpreaper tmpwatch trash-put trash-empty rmtrash remove-item Remove-Item dropdb dropuser'.split(
    ' ',
  ),
);
/** Programs that delete with these words only, wherever they stand. */
const DELETES_BY = new Map([
  ...entries('dd', /^of=(?!\/dev\/null$)/),
  ...entries('find fd fdfind', /^-delete$/),
  ...entries('rsync', /^--(?:del(?!ay)|remove-source)/),
  ...entries('tar bsdtar gtar', /^--rem/),
  // Before a switch that takes a word the letters are switches.
  ...entries('zip', /^(?:-[rjqvyTDSXoFAlekwufdgcz\d]*m|--mov)/),
  ...entries('7z 7za 7zr 7zz', /^-sdel$/),
  ...entries('rar', /^(?:mf?|-d[frw])$/),
  ...entries('trash', /^[^-]/),
  ...entries('gio', /^(?:trash|remove)$/),
]);
function entries(names: string, by: RegExp): [string, RegExp][] {
  return names.split(' ').map((name) => [name, by]);
}

/** Programs that only look for the words, or say them. */
const QUOTES_IT = new Set(
  'grep egrep fgrep rg ag ack git gh glab echo printf sed awk man which type command'.split(' '),
);
const DELETES_INSIDE = new Set(['rm', 'shred']);
const FORCES = /^(?:-[a-zA-Z]*[rRfu]|--recursive|--force)/;
const RUN_BY_THEM = new Set(['rm', 'rmdir', 'unlink', 'shred', 'rimraf']);
/** They take the name of a program that they have installed in the place of a verb. */
const RUNS_BY_NAME = new Set(['npx', 'bunx', 'yarn', 'pnpm', 'bun']);
const PACKAGE_MANAGERS = new Set(['npm', 'yarn', 'pnpm', 'bun']);
/** Verbs behind which names of packages stand. */
const NAMES_PACKAGES =
  /^(?:a|add|i|in|ins|install|ci|un|uninstall|remove|rm|r|ls|list|why|explain|info|view|show|up|update|upgrade|outdated|audit|link|unlink|search|pack|pm|config|cache|docs|repo|bugs|fund|dedupe|patch|rebuild)$/;
const CONTAINERS = new Set(['docker', 'podman', 'kubectl', 'nerdctl', 'oc']);
const DELETES_CONTAINERS = new Set(['rm', 'rmi', 'prune', 'delete']);

/** Where a command deletes. */
export function deletesOf(command: ShellCommand, git: GitRisks, depth = 0): Mark[] {
  const { name, words } = command;
  const [first] = words;
  if (!first) return [];
  // The name first: most commands need no look at all of their words.
  const which = (pattern: RegExp): Word | undefined => words.find((word) => word !== first && pattern.test(word.text));
  if (DELETING.has(name) || name.startsWith('mkfs.')) return span(first, which(/^-{1,2}[a-z]/i) ?? first);
  const by = DELETES_BY.get(name);
  const switched = by && which(by);
  if (switched) return span(name === 'dd' ? first : switched, switched);
  const [second] = words.slice(1);
  if (!second) return [];
  // Behind whatever runs it: `timeout "$T" rm -rf x`.
  const inside = QUOTES_IT.has(name)
    ? -1
    : words.findIndex((word, at) => DELETES_INSIDE.has(word.text) && FORCES.test(words[at + 1]?.text ?? ''));
  if (inside > 0) return span(words[inside] ?? second, words[inside + 1] ?? second);
  if (git.deletes.length > 0) return git.deletes;
  return isRunner(name) ? deletesBehind(command, depth) : [];
}

/** The switch with which `compose down` deletes volumes or images. */
function removedByDown({ name, words }: ShellCommand): Word | undefined {
  const compose = /^(?:docker|podman)-compose$/.test(name) ? 0 : words.findIndex(({ text }) => text === 'compose');
  if (compose < 0 || (compose > 0 && !CONTAINERS.has(name))) return undefined;
  const down = words.findIndex(({ text }, at) => at > compose && text === 'down');
  if (down < 0) return undefined;
  return words.slice(down + 1).find(({ text }) => /^(?:-[a-z]*v|--volumes(?:=true)?|--rmi(?:=.*)?)$/.test(text));
}

function deletesBehind(command: ShellCommand, depth: number): Mark[] {
  const { name, words } = command;
  const [first, ...rest] = words;
  if (!first) return [];
  const verbs = rest.filter(({ text }) => !text.startsWith('-')).slice(0, 2);
  const verb = CONTAINERS.has(name) ? verbs.find(({ text }) => DELETES_CONTAINERS.has(text)) : undefined;
  if (verb) return span(first, verb);
  const removed = removedByDown(command);
  if (removed) return span(first, removed);
  const inner = depth < MOST_RUNNERS ? runByIt(command) : null;
  const found = inner ? deletesOf(inner, gitRisksOf(inner), depth + 1) : [];
  if (found.length > 0) return found;
  const [own] = verbs;
  const isExec = rest.some(({ text }) => text === 'exec' || text === 'x' || text === 'dlx');
  if (PACKAGE_MANAGERS.has(name) && own && NAMES_PACKAGES.test(own.text) && !isExec) return [];
  // Else the first one is a verb of the program itself.
  const run = rest.slice(RUNS_BY_NAME.has(name) ? 0 : 1).find(({ text }) => RUN_BY_THEM.has(text));
  return run ? span(run, run) : [];
}
