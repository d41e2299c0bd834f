/**
 * What stands out in a command before a person allows it: deleting, leaving the workspace, the network, more rights, running what
 * comes out of another program, rewriting history. It reads the text as a person skims it, not as a shell would: quoting, variables
 * and a dozen other ways hide a command from it. So it only warns. Nothing is allowed because it found nothing
 * (docs/specs/safety.md C2). Pure, linear in the text.
 */

import { deletesOf, gitRisksOf, titleOfHistory } from './deleting';
import { argumentOutside, networkOf, wordOutside, type RiskPlaces } from './risk-places';
import { fileOf, runsOf, TakenVariables } from './running';
import { startsByTar } from './script-code';
import { ShellReader } from './shell-reader';
import { nameOf, span, type Mark, type ShellCommand, type Word } from './shell-words';

type RiskKind = 'deletes' | 'outside' | 'network' | 'privilege' | 'pipe' | 'starts' | 'file' | 'history';

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
    deletes: [], history: [], privilege: [], pipe: [], starts: [], file: [], outside: [], network: [],
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
  private readonly taken = new TakenVariables();

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
      risk('starts', 'Runs commands through another program', found.starts),
      risk('file', 'Runs code from a file', found.file),
      risk('outside', 'Reaches outside the workspace', found.outside),
      risk('network', 'Reaches the network', found.network),
    ].flatMap((one) => one ?? []);
  }

  private *look(command: ShellCommand, into: Found): Generator<number, number> {
    let last = 0;
    for (const part of partsOf(command)) {
      if (last > 0) yield last;
      last = yield* this.lookAt(part, into);
    }
    return last;
  }

  private *lookAt(command: ShellCommand, into: Found): Generator<number, number> {
    const { places } = this;
    const { marks: found } = into;
    const git = gitRisksOf(command);
    const deletes = deletesOf(command, git);
    const { history } = git;
    const privilege = privilegeOf(command);
    const pipe = runsOf(command, places !== null, this.taken);
    const starts = startsOf(command);
    const file = pipe.length === 0 ? fileOf(command, this.taken) : [];
    this.taken.add(command);
    const [first, ...rest] = [...deletes, ...history, ...privilege, ...pipe, ...starts, ...file];
    if (first) into.grave.push(rest.reduce((all, one) => ({ from: Math.min(all.from, one.from), to: Math.max(all.to, one.to) }), first)); // prettier-ignore
    const words = command.words.length + command.prefixes.length;
    if (!places) return words;
    yield words;
    found.deletes.push(...deletes);
    found.history.push(...history);
    // As many as there are words: too many to be arguments of one call.
    for (const mark of privilege) found.privilege.push(mark);
    found.pipe.push(...pipe);
    found.starts.push(...starts);
    found.file.push(...file);
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

/** From the program to where its script starts another one. */
function startsOf(command: ShellCommand): Mark[] {
  const [first] = command.words;
  const by = command.starts ?? startsByTar(command);
  return first && by ? span(first, by) : [];
}

/**
 * A command of very many words in parts of at most about `AT_ONCE`, so that none holds up whoever reads it. Each has the words at both
 * ends: what is run, its subcommand, a terminator.
 */
function* partsOf(command: ShellCommand): Generator<ShellCommand> {
  const { words, prefixes, switches, assignments, runValues, redirects } = command;
  const most = Math.max(...[words, prefixes, switches, assignments, runValues, redirects].map(({ length }) => length));
  if (most <= 2 * AT_ONCE) return yield command;
  for (let from = 0; from < most; from += AT_ONCE) {
    const part = (all: Word[]): Word[] => partOf(all, from);
    yield {
      ...command,
      words: part(words),
      prefixes: part(prefixes),
      switches: part(switches),
      assignments: part(assignments),
      runValues: part(runValues),
      redirects: part(redirects),
    };
  }
}

/** Words at both ends that each part has, and those before it: a switch may stand right before its value. */
const SHARED_WORDS = 8;

function partOf(words: Word[], from: number): Word[] {
  const start = Math.max(from - SHARED_WORDS, 0);
  const end = from + AT_ONCE;
  return [
    ...words.slice(0, Math.min(SHARED_WORDS, start)),
    ...words.slice(start, end),
    ...words.slice(Math.max(end, words.length - SHARED_WORDS)),
  ];
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
  'sudo doas su pkexec run0 gsudo dzdo sudoedit runas setcap chown visudo passwd usermod useradd userdel sysctl insmod modprobe mount umount chroot unshare nsenter setpriv runuser gosu su-exec systemd-run'.split(
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
