/**
 * Which commands with git are so plain that what git reads and runs is known from the folder's repository alone. Only these can be
 * allowed for longer (docs/specs/safety.md C2, TL7): the list says what is understood, never what is not. Pure, linear in the text.
 */

import { trimBlanks } from '../trim-blanks';

/** Verbs that only look: whatever they find in the index was there when the question was asked. */
const LOOKS = new Set(
  'status diff log show blame describe rev-parse rev-list ls-files ls-tree cat-file shortlog reflog grep name-rev merge-base branch tag remote'.split(
    ' ',
  ),
);
/** Verbs after which a later call may find more than was there; by themselves they go nowhere else. */
const CHANGES = new Set(['add', 'commit', 'fetch', 'rm', 'mv']);
/** Other programs that call git in the folder they are started in, and commit, some of them. */
const OTHERS = new Set(
  'gh glab hub pre-commit lefthook husky lint-staged semantic-release changeset nx turbo npm pnpm yarn go'.split(' '),
);
/** What may stand beside a call: it writes no file, so git finds what it found when the question was asked. */
const READERS = new Set('echo cat head tail wc cut tr grep true false'.split(' '));
/** Switches by which git writes a file or starts a program, however they are shortened, and wherever they stand among short ones. */
const WRITES = /^(?:-\w*[oO]|--o(?!neline$))/;
/** With these `branch` and `tag` only tell; without any they make one at most. */
const LISTS =
  /^(?:-[avrlqn\d]+|--(?:list|all|remotes|verbose|show-current|contains|merged|no-merged|points-at|(?:sort|format)=.*))$/;
/** What `fetch` may be told: the name of a remote, and switches that take no word. Others name a program, or another folder. */
const FETCHES =
  /^(?:-[apqtvfn]+|--(?:all|force|prune|prune-tags|quiet|verbose|tags|no-tags|dry-run|unshallow)|[a-z]\w*)$/;
/** The switches of the others that go nowhere. */
const HARMLESS = /^(?:-[vxy]|--(?:yes|version|no-git-tag-version))$/;

/** Words without anything a shell looks at, quotes that hold nothing of the kind, what parts commands, and output thrown away. */
const TOKEN =
  /[ \t]+|&&|\|\||[|;]|(?:2>&1|[12&]?>[ ]?\/dev\/null)(?![^ \t|;&])|(?:[\w./:@%+,^~=-]|"[^"$`\\!\n]*"|'[^'\n]*')+/y;
const PARTS = new Set(['&&', '||', '|', ';']);

/** The words of each part of a plain command, without quotes; null if there is anything else in it. */
function plainParts(command: string): string[][] | null {
  const parts: string[][] = [[]];
  const text = trimBlanks(command);
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const token = TOKEN.exec(text)?.[0];
    if (token === undefined) return null;
    if (PARTS.has(token)) parts.push([]);
    else if (!/^[ \t]/.test(token) && !/^[12&]?>/.test(token))
      parts.at(-1)?.push(token.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'));
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
    if (isHere || READERS.has(name)) continue;
    calls += 1;
    if (name === 'git') {
      const [verb = '', ...rest] = words[0] === '--no-pager' ? words.slice(1) : words;
      if (!LOOKS.has(verb) && !CHANGES.has(verb)) return false;
      if (rest.some((word) => WRITES.test(word))) return false;
      // An address may be a folder, with settings of its own.
      if (verb === 'fetch' && rest.some((word) => !FETCHES.test(word))) return false;
      if ((verb === 'branch' || verb === 'tag') && rest.some((word) => word.startsWith('-') && !LISTS.test(word)))
        return false;
      if (verb === 'tag' && rest.some((word) => /^-\w*a/.test(word))) return false;
      if (verb === 'remote' && rest.some((word) => word !== '-v')) return false;
      if (CHANGES.has(verb)) changes += 1;
    } else {
      if (!OTHERS.has(name) || words.some((word) => word.startsWith('-') && !HARMLESS.test(word))) return false;
      changes += 1;
    }
  }
  return changes === 0 || calls === 1;
}
