/**
 * What stands out in a command before a person allows it: deleting, leaving the workspace, the network, more rights, running what
 * comes out of another program, rewriting history. It reads the text as a person skims it, not as a shell would: quoting, variables
 * and a dozen other ways hide a command from it. So it only warns. Nothing is allowed because it found nothing
 * (docs/specs/safety.md C2). Pure, linear in the text.
 */

import { deletesOf } from './deleting';
import { riskySettingOf } from './git-calls';
import { gitRisksOf, titleOfHistory } from './git-risks';
import { argumentOutside, networkOf, wordOutside, type RiskPlaces } from './risk-places';
import { SHELLS } from './shell-code';
import { ShellReader } from './shell-reader';
import { isSubstitution, nameOf, PIPE, span, type Mark, type ShellCommand, type Word } from './shell-words';

type RiskKind = 'deletes' | 'outside' | 'network' | 'privilege' | 'pipe' | 'history';

export interface Risk {
  kind: RiskKind;
  /** In words, without a full stop: "Deletes files". */
  title: string;
  /** The parts of the command that say so, in order. */
  marks: Mark[];
}

/** Words or commands that are looked at before others may work. */
const AT_ONCE = 500;

/** What one way of reading a text finds. */
class Found {
  readonly marks: Record<RiskKind, Mark[]> = {
    deletes: [], history: [], privilege: [], pipe: [], outside: [], network: [],
  }; // prettier-ignore
  grave: Mark[] = [];
  readonly verbs = new Set<string>();
  /** Something is deleted by a command that names a place outside. */
  isAway = false;

  add(other: Found): void {
    for (const kind of Object.keys(this.marks) as RiskKind[]) for (const mark of other.marks[kind]) this.marks[kind].push(mark); // prettier-ignore
    for (const mark of other.grave) this.grave.push(mark);
    for (const verb of other.verbs) this.verbs.add(verb);
    this.isAway ||= other.isAway;
  }
}

interface Way {
  reader: ShellReader;
  found: Found;
}

/** Looks for risks in a text of any length, a stretch (whole lines, or the last one) at a time. */
export class RiskFinder {
  private readonly first: Way;
  /** From the first quote on that goes on behind its line, without it: it counts where that quote may have been none. */
  private other: Way | null = null;

  /** @param places null: a content, of which only `grave` is wanted */
  constructor(private readonly places: RiskPlaces | null) {
    this.first = { reader: new ShellReader(false, places !== null), found: new Found() };
  }

  /** Where a command deletes, asks for more rights, rewrites history or runs what another gives it: in order. */
  get grave(): readonly Mark[] {
    return this.first.found.grave;
  }

  /** Reads a stretch that begins at `offset`; gives the number of words that it has just looked at. */
  *read(stretch: string, offset: number): Generator<number> {
    for (let from = 0, to = 0; from < stretch.length; from = to) {
      to = stretch.indexOf('\n', from) + 1 || stretch.length;
      const line = stretch.slice(from, to);
      for (const { reader, found } of this.ways())
        for (const command of reader.read(line, offset + from))
          yield command ? yield* this.look(command, found) : AT_ONCE;
      if (this.first.reader.isInQuotes) this.other ??= { reader: this.first.reader.fork(), found: new Found() };
    }
  }

  /** Reads what the text ends with; gives numbers of words as `read` does. */
  *end(): Generator<number> {
    const isSettled = this.places !== null && this.first.reader.isSettled;
    for (const { reader, found } of this.ways())
      for (const command of reader.end()) yield yield* this.look(command, found);
    if (this.other && !isSettled) this.first.found.add(this.other.found);
    // A command ends behind those that stand in it.
    this.first.found.grave = mergeMarks(this.first.found.grave);
  }

  private ways(): Way[] {
    return this.other ? [this.first, this.other] : [this.first];
  }

  /** The gravest first, at most one of each kind. */
  risks(): Risk[] {
    const { marks: found, verbs, isAway } = this.first.found;
    return [
      risk('deletes', isAway ? 'Deletes outside the workspace' : 'Deletes files', found.deletes),
      risk('history', titleOfHistory(verbs), found.history),
      risk('privilege', 'Requests elevated privileges', found.privilege),
      risk('pipe', 'Runs code from another program', found.pipe),
      risk('outside', 'Reaches outside the workspace', found.outside),
      risk('network', 'Reaches the network', found.network),
    ].flatMap((one) => one ?? []);
  }

  private *look(command: ShellCommand, into: Found): Generator<number, number> {
    const { places } = this;
    const { marks: found } = into;
    const git = gitRisksOf(command);
    const deletes = deletesOf(command, git);
    const { history } = git;
    const privilege = privilegeOf(command);
    const pipe = pipeOf(command, places !== null);
    const [first, ...rest] = [...deletes, ...history, ...privilege, ...pipe];
    if (first) into.grave.push(rest.reduce((all, one) => ({ from: Math.min(all.from, one.from), to: Math.max(all.to, one.to) }), first)); // prettier-ignore
    const words = command.words.length + command.prefixes.length;
    if (!places) return words;
    yield words;
    found.deletes.push(...deletes);
    found.history.push(...history);
    // As many as there are words: too many to be arguments of one call.
    for (const mark of privilege) found.privilege.push(mark);
    found.pipe.push(...pipe);
    for (const verb of git.verbs) into.verbs.add(verb);
    found.network.push(...networkOf(command));
    const outside = found.outside.length;
    const { redirects } = command;
    const named = [...redirects, ...command.words, ...command.assignments];
    for (const [at, word] of named.entries()) {
      if (word === command.words[0]) continue;
      if (at % AT_ONCE === AT_ONCE - 1) yield AT_ONCE;
      const isTarget = at < redirects.length;
      found.outside.push(
        ...(isTarget ? wordOutside(word, places) : argumentOutside(command, word, named[at - 1], places)),
      );
    }
    found.outside.push(...goesHome(command));
    if (deletes.length > 0 && found.outside.length > outside) into.isAway = true;
    return named.length % AT_ONCE;
  }
}

/** `cd` alone. */
function goesHome({ name, words: [first, ...rest] }: ShellCommand): Mark[] {
  return first && name === 'cd' && rest.every(({ text }) => text === '--') ? span(first, first) : [];
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

const PRIVILEGED = new Set(
  'sudo doas su pkexec runas setcap chown visudo passwd usermod useradd userdel sysctl insmod modprobe mount umount chroot unshare nsenter setpriv runuser systemd-run'.split(
    ' ',
  ),
);
/** Of these only some calls change anything. */
const PRIVILEGED_BY = new Map([
  ['sysctl', /^(?:-[a-zA-Z]*[wpf]|--(?:write|load|system)\b)|=/],
  ['mount', /^/],
]);

function privilegeOf(command: ShellCommand): Mark[] {
  const prefixes = command.prefixes.filter((word) => PRIVILEGED.has(nameOf(word.text)));
  const found = prefixes.flatMap((word) => span(word, word));
  const [first, ...rest] = command.words;
  const by = PRIVILEGED_BY.get(command.name);
  const isAsked = by === undefined || rest.some(({ text }) => by.test(text));
  if (first && PRIVILEGED.has(command.name)) return isAsked ? [...found, ...span(first, first)] : found;
  if (command.name !== 'chmod') return found;
  const mode = rest.find((word) => /^([ugoa]*[+=][rwxX]*s|0?[2-7]\d{3})/.test(word.text));
  return first && mode ? [...found, ...span(first, mode)] : found;
}

/** Programs that run a script, with their switches that take a word. */
const INTERPRETERS: readonly [name: RegExp, takesWord: RegExp][] = [
  [
    /^(?:sh|bash|zsh|dash|ash|rbash|ksh|fish|csh|tcsh|\$\{?(?:SHELL|BASH)\}?)$/,
    /^(?:[-+][a-zA-Z]{0,9}[oO]|--rcfile|--init-file)$/,
  ],
  [/^python[\d.]*$/, /^(?:-[a-zA-Z]*[WX]|--check-hash-based-pycs)$/],
  [/^node$/, /^(?:-[rC]|--(?:require|import|loader|experimental-loader|conditions))$/],
  [/^(?:ruby|perl)$/, /^-[IrC]$/],
  [/^php$/, /^-[dc]$/],
  [/^(?:deno|bun)$/, /^(?:run|-r|--preload)$/],
  [/^osascript$/, /^-l$/],
  [/^(?:source|\.)$/, /^$/],
];
/** What stands for the script that comes in. */
const STDIN = /^(?:-|\/dev\/stdin|\/dev\/fd\/0|\/proc\/self\/fd\/0)$/;
/** Behind it stands code, or a module, and the reader may not have it: a line feed or a bracket ends the words. */
const HAS_CODE = /^(?:-[a-zA-Z\d]*[ce]|-[mp]|-pe|--eval|--print)$/;
const SHELL_HAS_CODE = /^-[a-zA-Z]{0,9}c[a-zA-Z]{0,9}$/;
/** Of a shell: what follows are arguments of the script that comes in. */
const READS_STDIN = /^-[a-zA-Z]{0,9}s[a-zA-Z]{0,9}$/;
const ONLY_TELLS = /^(?:-[vVh]|--version|--help)$/;
/** Of these `-v` says more and runs what comes in. */
const VERBOSE = /^python/;

/**
 * What a program runs that it is not named: what comes in, or what another program says, by which word; null where it is given a
 * script. Code behind `-c`, `-m` and `-e` is one, too.
 */
function runsUnnamed({ name, words, prefixes }: ShellCommand): 'input' | Word | null {
  const takesWord = INTERPRETERS.find(([pattern]) => pattern.test(name))?.[1];
  const isShell = SHELLS.has(name);
  if (!takesWord) return isShell ? 'input' : null;
  // What comes in, or stands in a file, is put into the code, or named as the script.
  const puts = isShell ? prefixes.find((word) => /^(?:xargs|parallel)$/.test(nameOf(word.text))) : undefined;
  if (puts) return puts;
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at] as Word;
    const { text } = word;
    if (isSubstitution(word)) return namesScript(words, at) ? null : word;
    if (STDIN.test(text) || (isShell && READS_STDIN.test(text))) return 'input';
    if (text === '--') continue;
    if (ONLY_TELLS.test(text) && !isShell && !(text === '-v' && VERBOSE.test(name))) return null;
    if (name === 'php' && text === '-r') return null;
    if (takesWord.test(text)) at += text === 'run' ? 0 : 1;
    else if ((isShell ? SHELL_HAS_CODE : HAS_CODE).test(text)) {
      const code = words[at + 1];
      return code && isSubstitution(code) ? code : null;
    } else if (!/^[-+]/.test(text)) return null;
  }
  // `| source |` is in a table.
  return name === 'source' || name === '.' ? null : 'input';
}

/** Whether a substitution only says in which folder a script is: `"$(dirname "$0")/build.sh"`. */
function namesScript(words: readonly Word[], at: number): boolean {
  const next = words[at + 1];
  return next !== undefined && next.at === words[at]?.at && next.text.startsWith('/');
}

/** @param isShell false for a content: there `$(CC)` may begin a line of a makefile */
function pipeOf(command: ShellCommand, isShell: boolean): Mark[] {
  const { words, prefixes, after } = command;
  const evaluates = prefixes.find((word) => nameOf(word.text) === 'eval');
  if (evaluates) return span(evaluates, evaluates);
  const names =
    isShell && !(after && /^["']$/.test(after.text))
      ? prefixes.find(({ text, isInside }) => text === '$(' || (text === '`' && !isInside))
      : undefined;
  if (names) return span(names, names);
  const [first] = words;
  if (!first) return [];
  const setting = riskySettingOf(command);
  if (setting) return span(setting, setting);
  if (command.runsOutput) return span(first, first);
  const runs = runsUnnamed(command);
  // From where it comes in to the program that runs it.
  const comes = after && PIPE.test(after.text) ? after : command.fedBy;
  if (runs !== 'input') return runs ? span(prefixes.includes(runs) ? (comes ?? runs) : first, first) : [];
  const input = after?.text === '>(' ? after : comes;
  if (input) return span(input, first);
  return command.redirects.some(({ text }) => text === '<(') ? span(first, first) : [];
}
