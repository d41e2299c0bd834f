import { isSubstitution, nameOf, noCommand, PIPE, type ShellCommand, ShellWords, type Word } from './shell-words';

/**
 * A command of a shell text that is being read: which of its words is what, and which pipe feeds it: those of a group all read what comes
 * to it (docs/specs/safety.md C2).
 */

/** Words that run the words after them. */
const PREFIXES = new Set(
  (
    'sudo doas env time nohup exec xargs command builtin coproc strace then do else elif if while until ! { nice ionice stdbuf ' +
    'timeout watch parallel ::: busybox setsid eval function -exec -execdir -ok -okdir pkexec run0 gsudo dzdo fakeroot ' +
    'fakechroot toybox entr unbuffer ltrace proot catchsegv watchexec caffeinate chronic rlwrap xvfb-run dbus-run-session ' +
    'systemd-inhibit valgrind linux32 linux64 torsocks tsocks proxychains proxychains4 cross-env dotenv hyperfine concurrently ' +
    'tini dumb-init numactl prlimit ssh-agent eatmydata nocache run-one'
  ).split(' '),
);
/** Switches of those that take a word, where it is not one of `-n` and `-u`. */
const TAKES_WORD = new Map([
  ['sudo', /^(?:-[ugCDhpRrtTU]|--(?:user|group|chdir|host|prompt|role|type|other-user))$/],
  ['doas', /^-[uC]$/],
  ['env', /^(?:-[uC]|--(?:unset|chdir))$/],
  ['xargs', /^(?:-[0oprtx]*[aEdIJLnPRsS]|--(?:arg-file|delimiter))$/],
  ['timeout', /^(?:-[ks]|--(?:kill-after|signal))$/],
  ['ionice', /^-[cnpPu]$/],
  ['stdbuf', /^-[ioe]$/],
  ['parallel', /^-[jnNSIaLP]$/],
  ['strace', /^-[oepuPsSaEbIOX]$/],
  ['time', /^-[fo]$/],
  ['exec', /^-a$/],
  ['pkexec', /^--user$/],
  ['run0', /^(?:-[uD]|--(?:user|unit|chdir|property))$/],
  ['fakeroot', /^-[lsib]$/],
  ['entr', /^$/],
  ['ltrace', /^-[aAeFlnopsuwx]$/],
  ['proot', /^-[rbwqkm]$/],
  ['watchexec', /^(?:-[wefisdoj]|--(?:watch|exts|filter|ignore|signal|debounce|delay-run|shell|workdir))$/],
  ['caffeinate', /^-[tw]$/],
  ['xvfb-run', /^-[enpsf]$/],
  ['rlwrap', /^-[abfHlsS]$/],
  ['systemd-inhibit', /^--(?:what|who|why|mode)$/],
  ['dotenv', /^-[efv]$/],
  ['hyperfine', /^(?:-[wrmMpscinNuS]|--(?:warmup|runs|min-runs|max-runs|prepare|setup|cleanup|shell|export-\w+))$/],
  ['concurrently', /^(?:-[nclpkm]|--(?:names|prefix-colors|max-processes))$/],
  ['numactl', /^-[CmNpi]$/],
]);
const TAKES_WORD_ELSE = /^-[nu]$/;
/** What `timeout` and `nice` take first. */
const AMOUNT = /^\.?\d[\d.]*[smhd]?$/;
/** `NAME=`, `NAME+=` and `NAME[0]=`, with which an assignment begins. */
const ASSIGNS = /^\w+(?:\[[^\]]*\])?\+?=/;

/** Variables that other programs run. */
const RUN_VALUES = /^(?:GIT_\w*(?:COMMAND|EDITOR|PAGER|ASKPASS|DIFF|SSH|PROXY)|\w*(?:EDITOR|PAGER)|VISUAL|BROWSER|PROMPT_COMMAND|BASH_ENV|ENV|LESSOPEN|LESSCLOSE)=$/; // prettier-ignore

/** Words that go to another list than the command's own. */
interface Aside {
  list: Word[];
  /** Word of the shell in which what asked for it stands: within one word in quotes it takes one part. */
  by: number;
  /** The word of the shell that it takes; null before that began. */
  at: number | null;
}

export class OpenCommand {
  readonly command: ShellCommand;
  /** The name of the last word before it. */
  private prefix = '';
  private aside: Aside | null = null;
  /** The word of the shell that assigns: what else is part of it belongs to the value. */
  private assigning: number | null = null;

  constructor(
    after: Word | null,
    readonly words = new ShellWords(),
  ) {
    this.command = noCommand(after);
  }

  get isEmpty(): boolean {
    const { words, prefixes, assignments, redirects } = this.command;
    return words.length + prefixes.length + assignments.length + redirects.length === 0;
  }

  /** Whether a token of a word of the shell is part of a value or of a place, where no command stands. */
  isAside(at: number): boolean {
    return this.assigning === at || (this.aside !== null && (this.aside.at ?? at) === at);
  }

  /** Whether a quote is the value of a variable that another program runs: `GIT_SSH_COMMAND='…' git fetch`. */
  isRunValue(at: number): boolean {
    return this.assigning === at && RUN_VALUES.test(this.command.assignments.at(-1)?.text.slice(0, 80) ?? '');
  }

  /** The value of such a variable, of which the quotes take the text for a command of its own. */
  takeRunValue(text: string): void {
    const variable = this.command.assignments.at(-1);
    if (variable) this.command.runValues.push({ ...variable, text: variable.text + text });
  }

  copy(): OpenCommand {
    const { words, prefixes, switches, assignments, runValues, redirects } = this.command;
    const copy = new OpenCommand(this.command.after, this.words.copy());
    Object.assign(copy.command, this.command, {
      words: [...words],
      prefixes: [...prefixes],
      switches: [...switches],
      assignments: [...assignments],
      runValues: [...runValues],
      redirects: [...redirects],
    });
    copy.prefix = this.prefix;
    copy.assigning = this.assigning;
    return copy;
  }

  /** `>` and the like: a place follows. */
  redirect(operator: Word): void {
    if (/^0?<$/.test(operator.text)) this.command.reads = operator;
    this.aside = { list: this.command.redirects, by: operator.at, at: null };
  }

  /** A quote begins or ends. Nothing may stand in it: `sudo -u "" rm`. */
  takeQuote(at: number): void {
    if (this.aside?.at === null && this.aside.by !== at) this.aside.at = at;
  }

  take(word: Word): void {
    const { command } = this;
    const { text } = word;
    if (this.aside && this.takeAside(this.aside, word)) return;
    if (this.assigning === word.at) {
      command.assignments.push(word);
      return;
    }
    this.assigning = null;
    const hasPrefix = command.prefixes.length > 0;
    if (command.words.length > 0) command.words.push(word);
    // It may say the name, or nothing: then the next word is the name.
    else if (isSubstitution(word)) command.prefixes.push(word);
    else if (hasPrefix && text.startsWith('-')) this.takeSwitch(word);
    else if (hasPrefix && AMOUNT.test(text)) return;
    else if (ASSIGNS.test(text)) {
      command.assignments.push(word);
      this.assigning = word.at;
    } else if (PREFIXES.has(nameOf(text))) {
      command.prefixes.push(word);
      this.prefix = nameOf(text);
      if (text === 'function') this.aside = { list: [], by: word.at, at: null };
    } else this.takeName(word);
  }

  /** False where the word begins behind what was to be taken. */
  private takeAside(aside: Aside, word: Word): boolean {
    if (aside.at !== null && aside.at !== word.at) {
      this.aside = null;
      return false;
    }
    aside.list.push(word);
    if (aside.by === word.at) this.aside = null;
    else aside.at = word.at;
    return true;
  }

  /** The word with which a command begins, or one before it. */
  private takeName(word: Word): void {
    const { command } = this;
    const { prefixes } = command;
    const last = prefixes.at(-1);
    // `$(npm bin)/eslint`
    if (last && isSubstitution(last) && last.at === word.at && word.text.includes('/')) prefixes.pop();
    command.words.push(word);
    command.name = nameOf(word.text);
  }

  private takeSwitch(word: Word): void {
    const { command, prefix } = this;
    // `command -v rm` says where it is.
    if (prefix === 'command' && /^-[a-zA-Z]*[vV]/.test(word.text)) {
      command.words.push(...command.prefixes.splice(-1), word);
      command.name = prefix;
      return;
    }
    command.switches.push(word);
    if ((TAKES_WORD.get(prefix) ?? TAKES_WORD_ELSE).test(word.text))
      this.aside = { list: command.switches, by: word.at, at: null };
  }
}

/** What begins a list of commands that all read what comes in, and what ends it. */
const BEGINS_GROUP = new Set(['{', 'while', 'until', 'if', 'for', 'select', 'case']);
const ENDS_GROUP = new Set(['}', 'done', 'fi', 'esac']);

/** The pipe that feeds a command that was read, by itself or with the group that it stands in; null for none. */
export function pipeInto(command: ShellCommand): Word | null {
  return pipeBefore(command) ?? command.fedBy;
}

/** The pipe that stands right before a command. */
export function pipeBefore({ after }: ShellCommand): Word | null {
  return after && PIPE.test(after.text) ? after : null;
}

/** The groups that are open in one frame of a reader. */
export class FedGroups {
  /** The pipe of each, innermost last: `| (cd x && bash)`. */
  private pipes: (Word | null)[] = [];

  /** @param around the pipe that feeds the command of whose code, or of whose substitution, these are the groups */
  constructor(private readonly around: Word | null = null) {}

  copy(): FedGroups {
    const copy = new FedGroups(this.around);
    copy.pipes = [...this.pipes];
    return copy;
  }

  /** The pipe that feeds a command that is still being read here, and what stands in it. */
  feeding(command: ShellCommand): Word | null {
    return pipeBefore(command) ?? this.pipes.at(-1) ?? this.around;
  }

  /**
   * A command ends, and groups begin or end with it.
   * @param opensBracket a bracket ends it, which begins one
   */
  endCommand(command: ShellCommand, opensBracket: boolean): void {
    command.fedBy = this.pipes.at(-1) ?? this.around;
    const begun = groupsBegun(command) + (opensBracket ? 1 : 0);
    for (let at = 0; at < begun; at += 1) this.pipes.push(pipeInto(command));
    if (ENDS_GROUP.has(command.name)) this.endGroup();
  }

  endGroup(): void {
    this.pipes.pop();
  }
}

function groupsBegun({ name, prefixes }: ShellCommand): number {
  const named = prefixes.filter(({ text }) => BEGINS_GROUP.has(text)).length;
  return named + (BEGINS_GROUP.has(name) ? 1 : 0);
}
