/** Programs that run what comes in, and what they are told to run instead (docs/specs/safety.md C2). Pure, linear in the words. */

import { pipeBefore } from './open-command';
import { behindWord, lacksProgram, MOST_RUNNERS, runByIt, takenAt } from './runners';
import { SHELLS } from './shell-code';
import { isSubstitution, nameOf, type ShellCommand, type Word } from './shell-words';

/** One kind of program; each expression is tried on whole words. */
interface Interpreter {
  /** Switches, and verbs, that take the word behind them. */
  takesWord?: RegExp;
  /** Verbs before the script. */
  verbs?: RegExp;
  /** Switches behind which the script is named, or to which it is glued. */
  scriptBy?: RegExp;
  /** Switches behind which code stands. */
  hasCode?: RegExp;
  /** Switches with which it runs nothing that comes in. */
  instead?: RegExp;
  /** Switches with which it runs what comes in, whatever else is named. */
  reads?: RegExp;
  /** How many words that are no switches come before the script; Infinity where none is one. */
  before?: number;
  /** It runs what comes in only where a word or a switch says so: `Rscript -`, `make -f -`. Without: where nothing else is named. */
  onlyBy?: 'word' | 'switch';
  /** What the first word behind it is like; alone it does nothing, and its name is a word of a text. */
  needs?: RegExp;
  /** Its name is a word of texts, of expressions (`ts|tsx`) or of other code: alone it is meant behind a pipe and a blank only. */
  isCommon?: true;
}

/** What stands for the script that comes in. */
const STDIN = /^(?:-|\/dev\/stdin|\/dev\/fd\/0|\/proc\/self\/fd\/0)$/;
/** Behind it stands code, or a module, and the reader may not have it: a line feed or a bracket ends the words. */
const HAS_CODE = /^(?:-[a-zA-Z\d]*[ce]|-[mp]|-pe|--eval|--print)$/;
const SHELL_HAS_CODE = /^-[a-zA-Z]{0,9}c[a-zA-Z]{0,9}$/;
const TELLS = /^(?:-[vVh]|--version|--help)$/;
const TELLS_LONG = /^--?(?:version|help)$/;

const NODE: Interpreter = {
  takesWord: /^(?:-[rCPO]|--(?:require|import|loader|experimental-loader|conditions|project|tsconfig))$/,
  instead: new RegExp(`^--(?:check|syntax-check)$|${TELLS.source}`),
};

const ROWS: readonly [names: string, kind: Interpreter][] = [
  [
    'sh bash zsh dash ash rbash ksh mksh fish csh tcsh yash nu elvish xonsh $SHELL ${SHELL} $BASH ${BASH}',
    {
      takesWord: /^(?:[-+][a-zA-Z]{0,9}[oO]|--rcfile|--init-file)$/,
      hasCode: SHELL_HAS_CODE,
      // What follows are arguments of the script that comes in.
      reads: /^-[a-zA-Z]{0,9}s[a-zA-Z]{0,9}$/,
      instead: /^$/,
    },
  ],
  // Its `-v` says more and runs what comes in.
  [
    'python ipython pypy',
    { takesWord: /^(?:-[a-zA-Z]*[WX]|--check-hash-based-pycs)$/, instead: /^(?:-[Vh]|--version|--help)$/ },
  ],
  ['node nodejs ts-node ts-node-esm', NODE],
  ['tsx', { ...NODE, isCommon: true }],
  ['ruby jruby irb perl', { takesWord: /^-[IrC]$/ }],
  ['php', { takesWord: /^-[dc]$/, hasCode: /^-[rRBEe]$/, instead: new RegExp(`^-[lim]$|${TELLS.source}`) }],
  ['deno bun', { takesWord: /^(?:-r|--preload)$/, verbs: /^run$/ }],
  ['osascript', { takesWord: /^-l$/ }],
  // `| source |` is in a table.
  ['source .', { onlyBy: 'word' }],
  ['lua luajit texlua', { takesWord: /^-l$/ }],
  [
    'julia guile racket gosh sbcl clisp ecl ghci ocaml utop iex erl jshell scala groovysh octave octave-cli gnuplot maxima',
    { takesWord: /^-[lLI]$/, hasCode: /^(?:-[eEc]|--?eval(?:=.*)?)$/ },
  ],
  ['tclsh wish jimsh m4', {}],
  ['swift', { isCommon: true }],
  ['expect', { scriptBy: /^-[fb]/, hasCode: /^-c$/, isCommon: true }],
  ['R', { scriptBy: /^(?:-f|--file=?)/, hasCode: /^-e$/, needs: /^-/ }],
  ['Rscript', { hasCode: /^-e$/, onlyBy: 'word' }],
  // Editors, calculators and debuggers whose commands start programs.
  ['ed ex', { before: Infinity, instead: TELLS_LONG, isCommon: true }],
  ['dc', { hasCode: /^(?:-e|--expression.*)$/, scriptBy: /^(?:-f|--file=?)/ }],
  ['vim vi nvim', { reads: /^-[eE]s$/, scriptBy: /^-[sSu]/, onlyBy: 'switch' }],
  ['gdb lldb', { before: Infinity, instead: /^--?(?:batch|batch-silent|version|help)$/ }],
  // Clients whose lines start programs of this computer: `\!`, `.shell`, `system`.
  ['psql', { before: Infinity, scriptBy: /^(?:-f|--file=?)/, instead: /^(?:-[a-zA-Z]*[cl]|--(?:command|list|version|help)(?:=.*)?)$/ }], // prettier-ignore
  ['mysql mariadb', { before: Infinity, instead: /^(?:-e.*|--(?:execute|version|help)(?:=.*)?)$/ }],
  ['sqlite', { before: 1, takesWord: /^--?(?:cmd|init|separator|newline|nullvalue|vfs|mmap|maxsize)$/, instead: TELLS_LONG }], // prettier-ignore
  ['mongosh mongo', { before: Infinity, instead: /^--(?:eval|file|version|help)(?:=.*)?$/ }],
  // What runs later.
  [
    'at',
    {
      before: Infinity,
      scriptBy: /^-f/,
      instead: /^-[ldrcbV]$/,
      needs: /^(?:-|\d|now|noon|midnight|teatime|today|tomorrow|next)/,
    },
  ],
  ['batch', { before: Infinity, scriptBy: /^-f/, isCommon: true }],
  ['crontab', { takesWord: /^-u$/, instead: /^-[lreTV]$/ }],
  ['emacs', { scriptBy: /^(?:--?script|-l|--load)$/, onlyBy: 'switch' }],
  ['tcc', { scriptBy: /^-run$/, onlyBy: 'switch' }],
  ['make gmake bmake remake', { scriptBy: /^(?:-[a-zA-Z]*f|--(?:make)?file=?)/, onlyBy: 'switch' }],
  ['awk gawk mawk nawk', { scriptBy: /^(?:-f|-E|--(?:file|exec)=?)/, onlyBy: 'switch' }],
  ['sed gsed', { scriptBy: /^(?:-[a-zA-Z]*f|--file=?)/, onlyBy: 'switch' }],
  // A shell, where no command is named.
  ['su', { isCommon: true, before: Infinity, hasCode: /^(?:-[a-z]*c|--(?:session-)?command)$/, instead: TELLS_LONG }],
  ['script', { isCommon: true, before: Infinity, hasCode: /^(?:-[a-z]*c|--command)$/, instead: TELLS_LONG }],
  [
    'ssh',
    { before: 1, takesWord: /^-[a-zA-Z\d]*[BbcDEeFIiJLlmOopQRSWw]$/, hasCode: /^$/, instead: /^-[VNG]$/, needs: /./ },
  ],
];
const INTERPRETERS = new Map(ROWS.flatMap(([names, kind]) => names.split(' ').map((name) => [name, kind] as const)));
/** A longer name is none of these. */
const MOST_NAME = 40;

/** With its version it is the same one: `python3.11`. */
function interpreterOf(name: string): Interpreter | undefined {
  if (name.length > MOST_NAME) return undefined;
  return INTERPRETERS.get(name) ?? INTERPRETERS.get(name.replace(/[\d.]+$/, ''));
}

/** Words before a command that put what comes in into it. */
const PUTS = /^(?:xargs|parallel)$/;

/** `xargs` or `parallel` before a command. */
export function putsInto({ prefixes }: ShellCommand): Word | undefined {
  return prefixes.find(({ text }) => PUTS.test(nameOf(text)));
}

/** What `xargs` and `parallel` put something else in place of; null where they put it at the end. */
function replacedBy(command: ShellCommand): string | null {
  const { switches } = command;
  const by = switches.findIndex(({ text }) => /^(?:-[a-zA-Z\d]*[IJi]|--replace)/.test(text));
  const isParallel = command.prefixes.some(({ text }) => nameOf(text) === 'parallel');
  if (by < 0) return isParallel ? '{}' : null;
  const text = switches[by]?.text ?? '';
  const glued = text.replace(/^(?:-[a-zA-Z\d]*?[IJi]|--replace=?)/, '');
  return glued || (/[IJ]$/.test(text) && switches[by + 1]?.text) || '{}';
}

/** Whether a word is, or holds, what is replaced by something that comes in. */
export function isReplaced(command: ShellCommand, word: Word): boolean {
  const replaced = replacedBy(command);
  return replaced !== null && word.text.includes(replaced);
}

/**
 * What a program runs that it is not named: what comes in, or what another program says, by which word; null where it is given a
 * script. Code behind `-c`, `-m` and `-e` is one, too.
 * @param isTaken whether a word is a variable that holds what came in
 */
export function runsUnnamed(command: ShellCommand, isTaken: (word: Word) => boolean, depth = 0): 'input' | Word | null {
  const kind = interpreterOf(command.name);
  const isShell = SHELLS.has(command.name);
  // What comes in, or stands in a file, is put into the code, or named as the script.
  const puts = isShell ? putsInto(command) : undefined;
  if (puts) return puts;
  const isSaid = depth === 0 && kind?.isCommon === true && command.words.length === 1 && !isRightBehindPipe(command);
  const found = kind && !isSaid ? runsOfKind(command, kind, isTaken) : isShell ? 'input' : null;
  if (found !== null || depth === MOST_RUNNERS) return found;
  const inner = runByIt(command);
  if (!inner) return lacksProgram(command) ? (putsInto(command) ?? null) : null;
  // `uv run -`
  return inner.name === '-' ? 'input' : runsUnnamed(inner, isTaken, depth + 1);
}

function runsOfKind(command: ShellCommand, kind: Interpreter, isTaken: (word: Word) => boolean): 'input' | Word | null {
  const { words } = command;
  const { before = 0, onlyBy, scriptBy, hasCode = HAS_CODE, instead = TELLS } = kind;
  let passed = 0;
  let isNamed = kind.needs !== undefined && !kind.needs.test(words[1]?.text ?? '');
  for (let at = 1; at < words.length; at = behindWord(words, at)) {
    const word = words[at] as Word;
    const { text } = word;
    const isScript = passed === before && onlyBy !== 'switch';
    if (isSubstitution(word)) {
      if (isScript) return namesScript(words, at) ? null : word;
      passed += 1;
      continue;
    }
    if ((isScript && STDIN.test(text)) || kind.reads?.test(text)) return 'input';
    if (text === '--' || kind.verbs?.test(text)) continue;
    // What the shell gives to read.
    if (text === '<<<') return substitutionAt(words, at + 1);
    const by = scriptBy?.exec(text)?.[0].length;
    if (instead.test(text)) return null;
    if (kind.takesWord?.test(text)) at = takenAt(words, at);
    else if (by !== undefined) {
      const script = by < text.length ? { ...word, text: text.slice(by) } : words[at + 1];
      if (script && STDIN.test(script.text)) return 'input';
      const said = by < text.length ? null : substitutionAt(words, at + 1);
      if (said) return said;
      isNamed = true;
      if (by === text.length) at = takenAt(words, at);
    } else if (hasCode.test(text)) return runsAsCode(command, at + 1, isTaken);
    else if (!/^[-+]/.test(text)) {
      if (isScript) return null;
      passed += 1;
    }
  }
  return onlyBy || isNamed ? null : 'input';
}

function isRightBehindPipe(command: ShellCommand): boolean {
  const pipe = pipeBefore(command);
  return pipe !== null && pipe.to < ((command.prefixes[0] ?? command.words[0])?.from ?? 0);
}

/** What another program says, or gives as a file, at a place; null for a path that begins with it. */
export function substitutionAt(words: readonly Word[], at: number): Word | null {
  const word = words[at];
  return word && isSubstitution(word) && !namesScript(words, at) ? word : null;
}

/** What comes in, or another program says, as the code at a place: also where `xargs` adds it there, or puts it into it. */
function runsAsCode(command: ShellCommand, at: number, isTaken: (word: Word) => boolean): Word | null {
  const { words } = command;
  const code = words[at];
  if (code && (isSubstitution(code) || isTaken(code))) return code;
  const puts = putsInto(command);
  if (!puts) return null;
  if (!code) return puts;
  // An argument that is handed over beside the code is none; what the code holds behind a bracket is not known.
  const isBeside = words.slice(behindWord(words, at)).some((word) => isReplaced(command, word));
  return replacedBy(command) === null || isBeside ? null : puts;
}

/** Whether a substitution only says in which folder a script is: `"$(dirname "$0")/build.sh"`. */
function namesScript(words: readonly Word[], at: number): boolean {
  const next = words[at + 1];
  return next !== undefined && next.at === words[at]?.at && next.text.startsWith('/');
}
