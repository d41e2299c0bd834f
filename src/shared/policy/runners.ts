/**
 * Programs that run another one, whose name stands somewhere among their words: in a container, on another computer, as somebody else
 * (docs/specs/safety.md C2). Those right behind which it stands are in `open-command.ts`. Pure, linear in the words.
 */

import { OpenCommand } from './open-command';
import type { ShellCommand, Word } from './shell-words';

interface Runner {
  /** How many words that are no switches come before the program: its own verbs, a host, a container. */
  before: number;
  /** The first of these, where it runs nothing with another one. */
  verbs?: ReadonlySet<string>;
  /** Switches that take the word behind them. */
  takesWord: RegExp;
  /** Switches right behind which the program stands. */
  by?: RegExp;
}

const NO_WORD = /^$/;
const row = (names: string, runner: Runner): [string, Runner][] => names.split(' ').map((name) => [name, runner]);
const EXEC = new Set(['exec', 'run', 'x', 'dlx']);

/** What is not known to take a word takes none, and a word that it takes is then read as the program: it has no risk. */
const RUNNERS = new Map<string, Runner>([
  ...row('ssh', { before: 1, takesWord: /^-[a-zA-Z\d]*[BbcDEeFIiJLlmOopQRSWw]$/ }),
  ...row('docker podman nerdctl docker-compose podman-compose', {
    before: 2,
    verbs: new Set(['exec', 'run', 'compose', 'container']),
    takesWord:
      /^(?:-[a-z]*[uewvpmhlacHf]|--(?:user|env|env-file|workdir|volume|name|network|net|publish|mount|memory|cpus|platform|entrypoint|hostname|label|add-host|gpus|pull|restart|context|host|file|project-name|index))$/,
  }),
  ...row('kubectl oc', {
    before: 2,
    verbs: new Set(['exec', 'run', 'debug']),
    takesWord: /^(?:-[a-z]*[nclf]|--(?:namespace|container|context|kubeconfig|cluster|user|image))$/,
  }),
  ...row('lxc incus machinectl', { before: 2, verbs: new Set(['exec', 'shell']), takesWord: /^--(?:env|cwd|user)$/ }),
  ...row('npx bunx uvx', { before: 0, takesWord: /^(?:-p|--(?:package|from|with|python|registry))$/ }),
  ...row('npm pnpm yarn bun pipx uv poetry pipenv hatch pdm rye bundle conda mamba dotenvx doppler op', {
    before: 1,
    verbs: EXEC,
    takesWord:
      /^(?:-[npCcwF]|--(?:name|loglevel|prefix|package|with|from|python|project|directory|filter|workspace|env))$/,
  }),
  ...row('nix', {
    before: 1,
    verbs: new Set(['develop', 'shell', 'run']),
    takesWord: NO_WORD,
    by: /^(?:-c|--command)$/,
  }),
  ...row('gdb', { before: 1, takesWord: NO_WORD, by: /^--args$/ }),
  ...row('mise direnv aws-vault asdf', { before: 2, verbs: EXEC, takesWord: /^--duration$/ }),
  ...row('flock', { before: 1, takesWord: /^(?:-[wE]|--(?:timeout|wait|conflict-exit-code))$/ }),
  ...row('chroot taskset chrt faketime datefudge gosu su-exec setarch', { before: 1, takesWord: NO_WORD }),
  ...row('unshare nsenter', { before: 0, takesWord: /^(?:-[tSGRw]|--(?:target|setuid|setgid|root|wd))$/ }),
  ...row('runuser systemd-run setpriv', {
    before: 0,
    takesWord: /^(?:-[upEgGMH]|--(?:user|unit|property|reuid|regid))$/,
  }),
  ...row('firejail', { before: 0, takesWord: NO_WORD }),
  ...row('bwrap cgexec perf rr lldb tmux screen wsl distrobox toolbox vagrant heroku fly flyctl', {
    before: 1,
    takesWord: /^(?:-[gatsSn]|--(?:setenv|chdir))$/,
  }),
  ...row('nodemon chokidar onchange start-stop-daemon capsh cpulimit script sandbox-exec arch', {
    before: 1,
    takesWord: NO_WORD,
  }),
]);
/** Runners within each other that are looked into. */
export const MOST_RUNNERS = 3;
/** Words that a runner may have before its verb. */
const GROUPS = new Set(['compose', 'container']);

/** The last piece of what a switch takes, whether that is glued to it by a quote or a word of its own. */
export function takenAt(words: readonly Word[], at: number): number {
  return words[at + 1]?.at === words[at]?.at ? at : at + 1;
}

export function isRunner(name: string): boolean {
  return RUNNERS.has(name);
}

/** The command that a runner is told to run, as it would be read alone; null where it is told none. */
export function runByIt(command: ShellCommand): ShellCommand | null {
  const runner = RUNNERS.get(command.name);
  const from = runner ? programAt(command.words, runner) : -1;
  if (from < 0 || from >= command.words.length) return null;
  const open = new OpenCommand(command.after);
  for (const word of command.words.slice(from)) open.take(word);
  const { prefixes } = open.command;
  return { ...open.command, prefixes: [...command.prefixes, ...prefixes], fedBy: command.fedBy, redirects: command.redirects }; // prettier-ignore
}

/** Whether a runner is told all but the program, which `xargs` then gives it: `xargs docker exec c`. */
export function lacksProgram({ name, words }: ShellCommand): boolean {
  const runner = RUNNERS.get(name);
  return runner !== undefined && programAt(words, runner) === words.length;
}

/** Behind the last word where the program would be next; -1 where none is expected. */
function programAt(words: readonly Word[], { before, verbs, takesWord, by }: Runner): number {
  let left = before;
  let isFirst = true;
  for (let at = 1; at < words.length; at = behindWord(words, at)) {
    const { text } = words[at] as Word;
    if (text === '--') {
      // Behind something of its own: what follows is the program, however much came before.
      if (!isFirst) left = 0;
    } else if (by?.test(text)) left = 0;
    else if (text.startsWith('-') && text !== '-') {
      if (takesWord.test(text)) at = takenAt(words, at);
    } else if (left === 0) return at;
    else {
      if (isFirst && verbs && !verbs.has(text)) return -1;
      isFirst = false;
      if (!GROUPS.has(text)) left -= 1;
    }
  }
  return left === 0 ? words.length : -1;
}

/** Where the next word of the shell begins: quotes part one into several. */
export function behindWord(words: readonly Word[], at: number): number {
  let next = at + 1;
  while (next < words.length && words[next]?.at === words[at]?.at) next += 1;
  return next;
}
