/** Which words of a command lead outside the workspace, and which to the network (docs/specs/safety.md C2). Pure, linear in the words. */

import { gitVerbsOf } from './deleting';
import { saysQuoted } from './shell-code';
import { isSubstitution, span, type Mark, type ShellCommand, type Word } from './shell-words';

export interface RiskPlaces {
  /** Absolute path that the command starts in. */
  cwd: string;
  home: string;
}

/** Devices that a command may name without leaving the workspace in any sense. */
const HARMLESS = /^\/dev\/(null|stdin|stdout|stderr|tty|zero|u?random|fd\/\d+)$/;
/** Programs whose quoted arguments are expressions between slashes. */
const EXPRESSIVE = new Set(['sed', 'awk', 'gawk', 'grep', 'egrep', 'rg', 'perl', 'ack', 'ag']);
/** Programs that are told at which character to part lines. */
const PARTING = new Set(['cut', 'tr', 'sort', 'join', 'paste', 'column', 'awk', 'gawk']);
const PARTS = /^(?:-[dFts])?\/$/;

/** The part of an argument, or of an assignment, that leads outside; `before` is the word before it. */
export function argumentOutside(
  command: ShellCommand,
  word: Word,
  before: Word | undefined,
  places: RiskPlaces,
): Mark[] {
  const { name } = command;
  const goesOn = word.isInside && before?.at === word.at;
  const switched = switchesBefore(word.text, name);
  const isExpression = word.isQuoted || goesOn || switched > 0;
  if (EXPRESSIVE.has(name) && isExpression && !isPlace(word.text.slice(switched), places)) return [];
  if (word.isInside && (name === 'echo' || name === 'printf')) return [];
  // In a message, or behind one.
  if (goesOn && saysQuoted(command)) return [];
  if (PARTING.has(name) && PARTS.test(word.text)) return [];
  if (word.text === 'IFS=/') return [];
  // `"$(pwd)/src"`: where that is, only the other program says.
  if (before && isSubstitution(before) && before.at === word.at) return [];
  return wordOutside(word, places, name);
}

/** What an expression hardly looks like: a folder that every system has, home, or a way out of this one. */
const PLACES =
  /^(?:\/(?:home|etc|usr|var|root|tmp|opt|mnt|media|srv|run|boot|dev|proc|sys|Users|Library|Volumes|Applications|private)(?:\/[\w.@ -]|\/?$)|~(?:\/|$)|\$\{?HOME\b|(?:\.\.\/)+[\w.])/;

function isPlace(text: string, { home }: RiskPlaces): boolean {
  return PLACES.test(text) || (home.length > 1 && text.startsWith(home));
}

/** What a place is glued to: `--out=`, `-DPREFIX:PATH=`, `NAME[0]+=`. */
const ASSIGNED = /^[-\w.:]+(?:\[[^\]]*\])?\+?=/;
/** Letters of switches with a way out right behind them: `-xC..`, `-t/etc`, `-C$HOME`. Of `-Isrc/a` the letters are a way down. */
const SWITCHES = /^-(?:[A-Za-z](?=[/~])|[A-Za-z\d]*[A-Za-z](?=~\/|(?:\.\/+)*\.\.(?:\/|$)|\$\{?(?:HOME|PWD)\b))/;
/** Programs whose letters tell where an absolute place begins: the first one that takes a word ends them. */
const TAKES_PLACE = new Map(
  Object.entries({
    'tar bsdtar gtar': 'bCfFgHIKLNTVX',
    'cp mv ln install': 'gmotS',
    unzip: 'dIOPx',
    'make gmake': 'CfIjloW',
    git: 'Cc',
    rsync: 'BefMT',
    cpio: 'CDEFHIMOR',
    patch: 'BDdFgioprVYz',
    sort: 'koStT',
  }).flatMap(([names, letters]) =>
    names.split(' ').map((name): [string, RegExp] => [name, new RegExp(`^-[^-${letters}\\W]*[${letters}](?=/)`)]),
  ),
);

/** How many characters of switches stand before a place that is glued to them. */
function switchesBefore(text: string, name: string): number {
  return (SWITCHES.exec(text) ?? TAKES_PLACE.get(name)?.exec(text))?.[0].length ?? 0;
}

/**
 * The part of a word that leads outside, wherever it stands.
 * @param name of the program that is given it
 */
export function wordOutside(word: Word, places: RiskPlaces, name = ''): Mark[] {
  const glued = ASSIGNED.exec(word.text)?.[0].length ?? switchesBefore(word.text, name);
  if (!isOutside(word.text.slice(glued), places)) return [];
  return [{ from: word.from + glued, to: word.to }];
}

function isOutside(path: string, { cwd, home }: RiskPlaces): boolean {
  if (HARMLESS.test(path)) return false;
  const expanded = path
    .replace(/^(~(?=\/|$)|\$HOME\b|\$\{HOME\})/, () => home)
    .replace(/^(?:\$PWD\b|\$\{PWD\})/, () => cwd);
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
    'curl wget ssh scp sftp nc ncat netcat telnet ftp socat ping dig nslookup whois mosh lynx http https xh aria2c npx bunx pipx uvx ' +
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

/** Where a command reaches the network. */
export function networkOf(command: ShellCommand): Mark[] {
  const { name, words, redirects } = command;
  const [first] = words;
  const isSocket = ({ text }: Word): boolean => /^\/dev\/(?:tcp|udp)\//.test(text);
  const socket = words.find(isSocket) ?? redirects.find(isSocket);
  if (socket) return span(socket, socket);
  if (!first) return [];
  if (NETWORKED.has(name)) return span(first, first);
  if (name === 'rsync') {
    const remote = words.slice(1).find((word) => /^(?!-)[\w.@-]+:|^rsync:/.test(word.text));
    return remote ? span(first, remote) : [];
  }
  const isPip =
    /^python[\d.]*$/.test(name) && words.some(({ text }, at) => text === 'pip' && words[at - 1]?.text === '-m');
  const verbs = NETWORKED_VERBS.get(isPip ? 'pip' : name);
  if (!verbs) return [];
  const own = name === 'git' ? gitVerbsOf(command) : words.slice(1).filter(({ text }) => !text.startsWith('-')).slice(0, isPip ? 3 : 2); // prettier-ignore
  // The second may follow what a switch takes: `npm --prefix web install`. `yarn` alone installs.
  if (name === 'yarn' && own.length === 0) return span(first, first);
  const verb = own.find(({ text }) => verbs.has(text));
  return verb && !(name === 'git' && isLocal(verb, words)) ? span(first, verb) : [];
}

/** What `git remote` and `git submodule` do without the network, where no switch asks for it. */
const LOCAL = new Map([
  ['remote', /^(?:add|rename|rm|remove|get-url|set-url|set-head|set-branches)$/],
  ['submodule', /^(?:status|summary|init|deinit|sync|foreach|absorbgitdirs|set-url|set-branch)$/],
]);

function isLocal(verb: Word, words: readonly Word[]): boolean {
  const local = LOCAL.get(verb.text);
  if (!local) return false;
  const rest = words.slice(words.indexOf(verb) + 1);
  const second = rest.find(({ text }) => !text.startsWith('-'));
  if (!second) return true;
  const asks = second.text === 'add' ? /^(?:-f|--fetch)$/ : second.text === 'set-head' ? /^(?:-a|--auto)$/ : null;
  return local.test(second.text) && !rest.some(({ text }) => asks?.test(text));
}
