/**
 * What stands out in a command before a person allows it: deleting, leaving the workspace, the network, more rights, running what
 * comes out of another program, rewriting history. It reads the text as a person skims it, not as a shell would: quoting, variables
 * and a dozen other ways hide a command from it. So it only warns. Nothing is allowed because it found nothing
 * (docs/specs/safety.md C2). Pure, linear in the text.
 */

import { riskySettingOf } from './git-calls';
import { gitRisksOf, gitVerbsOf, titleOfHistory, type GitRisks } from './git-risks';
import { nameOf, ShellReader, span, type Mark, type ShellCommand, type Word } from './shell-words';

type RiskKind = 'deletes' | 'outside' | 'network' | 'privilege' | 'pipe' | 'history';

export interface Risk {
  kind: RiskKind;
  /** In words, without a full stop: "Deletes files". */
  title: string;
  /** The parts of the command that say so, in order. */
  marks: Mark[];
}

export interface RiskPlaces {
  /** Absolute path that the command starts in. */
  cwd: string;
  home: string;
}

/** Words or commands that are looked at before others may work. */
const AT_ONCE = 500;

/** Looks for risks in a text of any length, a stretch (whole lines, or the last one) at a time. */
export class RiskFinder {
  private readonly reader = new ShellReader();
  /** From the first value in quotes on: what either way of reading it finds is told. */
  private other: ShellReader | null = null;
  private readonly found: Record<RiskKind, Mark[]> = {
    deletes: [], history: [], privilege: [], pipe: [], outside: [], network: [],
  }; // prettier-ignore
  /** Where a command deletes, asks for more rights, rewrites history or runs what another gives it: in order, one each. */
  grave: Mark[] = [];
  private readonly verbs = new Set<string>();
  /** Something is deleted by a command that names a place outside. */
  private isAway = false;

  /** @param places null: a content, of which only `grave` is wanted */
  constructor(private readonly places: RiskPlaces | null) {}

  /** Reads a stretch that begins at `offset`; gives the number of words that it has just looked at. */
  *read(stretch: string, offset: number): Generator<number> {
    if (stretch.includes('=') && /["']/.test(stretch)) this.other ??= this.reader.fork();
    for (const reader of this.readers())
      for (const command of reader.read(stretch, offset)) yield command ? yield* this.look(command) : AT_ONCE;
  }

  end(): void {
    for (const reader of this.readers())
      for (const command of reader.end()) {
        const step = this.look(command);
        while (!step.next().done);
      }
    if (this.other) this.grave = mergeMarks(this.grave);
  }

  private readers(): ShellReader[] {
    return this.other ? [this.reader, this.other] : [this.reader];
  }

  /** The gravest first, at most one of each kind. */
  risks(): Risk[] {
    const { found } = this;
    return [
      risk('deletes', this.isAway ? 'Deletes outside the workspace' : 'Deletes files', found.deletes),
      risk('history', titleOfHistory(this.verbs), found.history),
      risk('privilege', 'Requests elevated privileges', found.privilege),
      risk('pipe', 'Runs code from another program', found.pipe),
      risk('outside', 'Reaches outside the workspace', found.outside),
      risk('network', 'Reaches the network', found.network),
    ].flatMap((one) => one ?? []);
  }

  private *look(command: ShellCommand): Generator<number, number> {
    const { found, places } = this;
    const git = gitRisksOf(command);
    const deletes = deletesOf(command, git);
    const { history } = git;
    const privilege = privilegeOf(command);
    const pipe = pipeOf(command);
    const [first, ...rest] = [...deletes, ...history, ...privilege, ...pipe];
    if (first) this.grave.push(rest.reduce((all, one) => ({ from: Math.min(all.from, one.from), to: Math.max(all.to, one.to) }), first)); // prettier-ignore
    const words = command.words.length + command.prefixes.length;
    if (!places) return words;
    yield words;
    found.deletes.push(...deletes);
    found.history.push(...history);
    // As many as there are words: too many to be arguments of one call.
    for (const mark of privilege) found.privilege.push(mark);
    found.pipe.push(...pipe);
    for (const verb of git.verbs) this.verbs.add(verb);
    found.network.push(...networkOf(command));
    const outside = found.outside.length;
    const named = [...command.words.slice(1), ...command.assignments];
    for (const [at, word] of named.entries()) {
      if (at % AT_ONCE === AT_ONCE - 1) yield AT_ONCE;
      found.outside.push(...outsideOf(command, word, places));
    }
    if (deletes.length > 0 && found.outside.length > outside) this.isAway = true;
    return named.length % AT_ONCE;
  }
}

/** Ranges in order, without overlaps. */
export function mergeMarks(marks: readonly Mark[]): Mark[] {
  const merged: Mark[] = [];
  for (const { from, to } of [...marks].sort((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else merged.push({ from, to });
  }
  return merged;
}

function risk(kind: RiskKind, title: string, found: readonly Mark[]): Risk | null {
  return found.length === 0 ? null : { kind, title, marks: mergeMarks(found) };
}

const DELETING = new Set(['rm', 'rmdir', 'unlink', 'shred', 'srm', 'truncate', 'mkfs', 'wipefs', 'del', 'erase', 'rd']);

/** Programs that only look for the words, or say them. */
const QUOTES_IT = new Set(['grep', 'rg', 'ag', 'ack', 'git', 'echo', 'printf', 'sed', 'awk', 'man', 'which', 'type']);
const DELETES_INSIDE = new Set(['rm', 'shred']);
const FORCES = /^(?:-[a-zA-Z]*[rRfu]|--recursive|--force)/;

function deletesOf(command: ShellCommand, git: GitRisks): Mark[] {
  const { name, words } = command;
  const [first] = words;
  if (!first) return [];
  // The name first: most commands need no look at all of their words.
  const which = (pattern: RegExp): Word | undefined => words.find((word) => word !== first && pattern.test(word.text));
  if (DELETING.has(name) || name.startsWith('mkfs.')) return span(first, which(/^-{1,2}[a-z]/i) ?? first);
  const of = name === 'dd' ? which(/^of=/) : undefined;
  if (of) return span(first, of);
  const switched = ['find', 'rsync', 'fd'].includes(name) ? which(/^(-delete$|--(delete|remove-source))/) : undefined;
  if (switched) return span(switched, switched);
  const [second] = words.slice(1);
  if (!second) return [];
  // Behind whatever runs it: `trap 'rm -rf x' EXIT`, `timeout "$T" rm -rf x`.
  const inside = QUOTES_IT.has(name)
    ? -1
    : words.findIndex((word, at) => DELETES_INSIDE.has(word.text) && FORCES.test(words[at + 1]?.text ?? ''));
  if (inside > 0) return span(words[inside] ?? second, words[inside + 1] ?? second);
  if (git.deletes.length > 0) return git.deletes;
  if (['docker', 'podman', 'kubectl'].includes(name) && ['rm', 'rmi', 'prune', 'delete'].includes(second.text))
    return span(first, second);
  return [];
}

const PRIVILEGED = new Set(
  'sudo doas su pkexec runas setcap chown visudo passwd usermod useradd userdel sysctl insmod modprobe mount umount'.split(
    ' ',
  ),
);

function privilegeOf(command: ShellCommand): Mark[] {
  const prefixes = command.prefixes.filter((word) => PRIVILEGED.has(nameOf(word.text)));
  const found = prefixes.flatMap((word) => span(word, word));
  const [first, ...rest] = command.words;
  if (first && PRIVILEGED.has(command.name)) return [...found, ...span(first, first)];
  if (command.name !== 'chmod') return found;
  const mode = rest.find((word) => /^([ugoa]*\+[rwx]*s|0?[4-7]\d{3})$/.test(word.text));
  return first && mode ? [...found, ...span(first, mode)] : found;
}

const SHELLS = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh', 'fish', 'csh', 'tcsh', 'pwsh', 'powershell', 'cmd']);
/** Programs that run a script, with their switches that take a word. */
const INTERPRETERS: readonly [name: RegExp, takesWord: RegExp][] = [
  [/^python[\d.]*$/, /^(?:-[a-zA-Z]*[WX]|--check-hash-based-pycs)$/],
  [/^node$/, /^(?:-[rC]|--(?:require|import|loader|experimental-loader|conditions))$/],
  [/^(?:ruby|perl)$/, /^-[IrC]$/],
  [/^php$/, /^-[dc]$/],
  [/^(?:deno|bun)$/, /^(?:run|-r|--preload)$/],
  [/^osascript$/, /^-l$/],
];
/** What stands for the script that comes in. */
const STDIN = /^(?:-|\/dev\/stdin|\/dev\/fd\/0|\/proc\/self\/fd\/0)$/;
/** Behind it stands code, or a module, and the reader may not have it: a line feed or a bracket ends the words. */
const HAS_CODE = /^(?:-[a-zA-Z\d]*[ce]|-[mp]|-pe|--eval|--print)$/;
const ONLY_TELLS = /^(?:-[vVh]|--version|--help)$/;

/** Whether a program runs what comes in: no script is named, or that one; code behind `-c`, `-m` and `-e` looks like a script. */
function runsInput({ name, words }: ShellCommand): boolean {
  if (SHELLS.has(name)) return true;
  const takesWord = INTERPRETERS.find(([pattern]) => pattern.test(name))?.[1];
  if (!takesWord) return false;
  for (let at = 1; at < words.length; at += 1) {
    const text = words[at]?.text ?? '';
    if (STDIN.test(text)) return true;
    if (ONLY_TELLS.test(text)) return false;
    if (name === 'php' && text === '-r') return false;
    if (takesWord.test(text)) at += text === 'run' ? 0 : 1;
    else if (HAS_CODE.test(text)) return false;
    else if (!text.startsWith('-')) return false;
  }
  return true;
}

function pipeOf(command: ShellCommand): Mark[] {
  const { name, words, after } = command;
  const [first] = words;
  if (!first) return [];
  if (name === 'eval') return span(first, first);
  const setting = riskySettingOf(command);
  if (setting) return span(setting, setting);
  if (after && /^\|&?$/.test(after.text) && runsInput(command)) return span(after, first);
  if ((SHELLS.has(name) || name === 'source' || name === '.') && command.readsSubstitution) return span(first, first);
  return [];
}

/** Devices that a command may name without leaving the workspace in any sense. */
const HARMLESS = /^\/dev\/(null|stdin|stdout|stderr|tty|zero|u?random|fd\/\d+)$/;
/** Programs whose quoted arguments are expressions between slashes. */
const EXPRESSIVE = new Set(['sed', 'awk', 'gawk', 'grep', 'egrep', 'rg', 'perl', 'ack', 'ag']);

function outsideOf(command: ShellCommand, word: Word, places: RiskPlaces): Mark[] {
  if (EXPRESSIVE.has(command.name) && word.isQuoted) return [];
  const at = /^[-\w]+(?:\[[^\]]*\])?\+?=/.exec(word.text)?.[0].length ?? 0;
  const glued = at === 0 ? (/^-[A-Za-z](?=[/~])/.exec(word.text)?.[0].length ?? 0) : at;
  if (!isOutside(word.text.slice(glued), places)) return [];
  return [{ from: word.from + glued, to: word.to }];
}

function isOutside(path: string, { cwd, home }: RiskPlaces): boolean {
  if (HARMLESS.test(path)) return false;
  const expanded = path.replace(/^(~(?=\/|$)|\$HOME\b|\$\{HOME\})/, () => home);
  if (/^~\w/.test(path)) return true;
  if (expanded.startsWith('/')) return !isBelow(resolve(expanded), cwd);
  return /(^|\/)\.\.(\/|$)/.test(expanded) && !isBelow(resolve(`${cwd}/${expanded}`), cwd);
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

function resolve(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

const NETWORKED = new Set(
  (
    'curl wget ssh scp sftp nc ncat netcat telnet ftp socat ping dig nslookup whois mosh lynx http https xh aria2c npx pipx ' +
    'apt apt-get aptitude dnf yum pacman apk zypper brew snap flatpak aws gcloud az gh glab heroku vercel netlify fly ' +
    'kubectl helm terraform ansible ansible-playbook ssh-copy-id autossh rclone s3cmd'
  ).split(' '),
);
/** Programs that reach the network with these first words only. */
const NETWORKED_VERBS = new Map(
  Object.entries({
    git: 'push pull fetch clone ls-remote submodule remote',
    npm: 'install i ci add publish update up exec x audit outdated view login unpublish init create',
    yarn: 'add install up upgrade publish dlx create',
    pnpm: 'add install i update up publish dlx create exec',
    bun: 'add install i update x publish create',
    pip: 'install download',
    pip3: 'install download',
    uv: 'add sync pip tool run lock',
    poetry: 'add install update publish',
    cargo: 'install publish add update search login',
    go: 'get install mod',
    gem: 'install push update',
    bundle: 'install update',
    composer: 'install require update',
    docker: 'pull push run build login compose',
    podman: 'pull push run build login',
    openssl: 's_client',
    deno: 'run install add',
  }).map(([name, verbs]): [string, ReadonlySet<string>] => [name, new Set(verbs.split(' '))]),
);

function networkOf(command: ShellCommand): Mark[] {
  const { name, words } = command;
  const [first] = words;
  if (!first) return [];
  if (NETWORKED.has(name)) return span(first, first);
  const socket = words.find((word) => /^\/dev\/(tcp|udp)\//.test(word.text));
  if (socket) return span(socket, socket);
  if (name === 'rsync') {
    const remote = words.slice(1).find((word) => /^(?!-)[\w.@-]+:|^rsync:/.test(word.text));
    return remote ? span(first, remote) : [];
  }
  const verbs = NETWORKED_VERBS.get(name);
  if (!verbs) return [];
  const own = name === 'git' ? gitVerbsOf(command) : words.slice(1).filter(({ text }) => !text.startsWith('-')).slice(0, 1); // prettier-ignore
  // `yarn` alone installs.
  if (name === 'yarn' && own.length === 0) return span(first, first);
  const verb = own.find(({ text }) => verbs.has(text));
  return verb ? span(first, verb) : [];
}
