/**
 * Which commands with git are so plain that what git reads and runs is known from the folder's repository alone. Only these can be
 * allowed for longer (docs/specs/safety.md C2, TL7): the list says what is understood, never what is not. Pure, linear in the text.
 */

/** Verbs that only look: whatever they find in the index was there when the question was asked. */
const LOOKS = new Set(
  'status diff log show blame describe rev-parse rev-list ls-files ls-tree cat-file shortlog reflog grep name-rev merge-base branch tag remote'.split(
    ' ',
  ),
);
/** Verbs after which a later call may find more than was there; by themselves they go nowhere else. */
const CHANGES = new Set(['add', 'commit', 'fetch', 'rm', 'mv']);
/** Other programs that call git in the folder they are started in. */
const OTHERS = new Set(
  'gh glab hub pre-commit lefthook husky lint-staged semantic-release changeset nx turbo npm pnpm yarn go'.split(' '),
);
/** Programs that go to whatever repository they are told, or git by another name. */
const NEVER = /^(?:jj|tig|lazygit|gitui|gitk|scalar|git-.*|.*\/git)$/;
/** Builtins and programs that change what a word means, which folder it is or with what variables it runs. */
const CHANGES_MEANING = new Set(
  'cd pushd popd chdir export declare typeset readonly local eval source . exec trap alias unalias set shopt unset hash enable builtin command function coproc read printf mapfile readarray getopts umask env sudo doas su xargs sh bash zsh dash ksh fish csh tcsh ash time nohup nice timeout find parallel script flock watch if then else elif fi for while until do done case esac select ! { }'.split(
    ' ',
  ),
);
/** A switch with which one of them goes to another folder, as far as any is known. */
const ELSEWHERE = /^(?:-[CRp]|-C.*|--(?:prefix|dir|cwd|repo|repository|path|project|root)(?:=.*)?)$/;

/** Words without anything a shell looks at, quotes that hold nothing of the kind, what parts commands, and output thrown away. */
const TOKEN =
  /[ \t]+|&&|\|\||[|;]|(?:2>&1|[12&]?>[ ]?\/dev\/null)(?![^ \t|;&])|(?:[\w./:@%+,^~=-]|"[^"$`\\!\n]*"|'[^'\n]*')+/y;
const PARTS = new Set(['&&', '||', '|', ';']);

/** The words of each part of a plain command, without quotes; null if there is anything else in it. */
function plainParts(command: string): string[][] | null {
  const parts: string[][] = [[]];
  const text = command.trim();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const token = TOKEN.exec(text)?.[0];
    if (token === undefined) return null;
    if (PARTS.has(token)) parts.push([]);
    else if (!/^[ \t]/.test(token) && !/^[12&]?>/.test(token)) parts.at(-1)?.push(token.replace(/["']/g, ''));
  }
  return parts;
}

/** Whether a command that calls git does so in words of which each is understood, in the folder it starts in. */
export function isPlainGit(command: string, cwd: string): boolean {
  const parts = plainParts(command);
  if (!parts) return false;
  let calls = 0;
  let changes = 0;
  for (const [name = '', ...words] of parts) {
    const isHere = name === 'cd' && words.length === 1 && (words[0] === '.' || words[0] === cwd);
    if (isHere) continue;
    if (name === '' || name.includes('=') || CHANGES_MEANING.has(name)) return false;
    if (name === 'git') {
      const [verb = '', ...rest] = words[0] === '--no-pager' ? words.slice(1) : words;
      if (!LOOKS.has(verb) && !CHANGES.has(verb)) return false;
      // An address may be a folder, with settings of its own.
      if (verb === 'fetch' && rest.some((word) => !/^(?:--?[a-z][a-z-]*|[a-z]\w*)$/.test(word))) return false;
      if (verb === 'remote' && rest.some((word) => word !== '-v')) return false;
      calls += 1;
      if (CHANGES.has(verb)) changes += 1;
    } else if (OTHERS.has(name) && words.some((word) => ELSEWHERE.test(word))) return false;
    else if (NEVER.test(name)) return false;
  }
  return changes === 0 || calls === 1;
}
