/** Which commands delete (docs/specs/safety.md C2). Pure, linear in the words. */

import type { GitRisks } from './git-risks';
import { span, type Mark, type ShellCommand, type Word } from './shell-words';

const DELETING = new Set('rm rmdir unlink shred srm truncate mkfs wipefs blkdiscard rimraf del erase rd'.split(' '));

/** Programs that only look for the words, or say them. */
const QUOTES_IT = new Set(
  'grep egrep fgrep rg ag ack git gh glab echo printf sed awk man which type command'.split(' '),
);
const DELETES_INSIDE = new Set(['rm', 'shred']);
const FORCES = /^(?:-[a-zA-Z]*[rRfu]|--recursive|--force)/;
/** Programs that run the words behind theirs, elsewhere or as somebody else. */
const RUNNERS = new Set(
  'flock chroot taskset chrt unshare nsenter runuser setpriv systemd-run firejail ssh docker podman kubectl npx bunx npm pnpm yarn'.split(
    ' ',
  ),
);
const RUN_BY_THEM = new Set(['rm', 'rmdir', 'unlink', 'shred', 'rimraf']);
const CONTAINERS = new Set(['docker', 'podman', 'kubectl']);
const DELETES_CONTAINERS = new Set(['rm', 'rmi', 'prune', 'delete']);

/** Where a command deletes. */
export function deletesOf(command: ShellCommand, git: GitRisks): Mark[] {
  const { name, words } = command;
  const [first] = words;
  if (!first) return [];
  // The name first: most commands need no look at all of their words.
  const which = (pattern: RegExp): Word | undefined => words.find((word) => word !== first && pattern.test(word.text));
  if (DELETING.has(name) || name.startsWith('mkfs.')) return span(first, which(/^-{1,2}[a-z]/i) ?? first);
  const of = name === 'dd' ? which(/^of=/) : undefined;
  if (of && of.text !== 'of=/dev/null') return span(first, of);
  const switched = ['find', 'rsync', 'fd'].includes(name) ? which(/^(-delete$|--(del|remove-source))/) : undefined;
  if (switched) return span(switched, switched);
  const [second] = words.slice(1);
  if (!second) return [];
  // Behind whatever runs it: `timeout "$T" rm -rf x`.
  const inside = QUOTES_IT.has(name)
    ? -1
    : words.findIndex((word, at) => DELETES_INSIDE.has(word.text) && FORCES.test(words[at + 1]?.text ?? ''));
  if (inside > 0) return span(words[inside] ?? second, words[inside + 1] ?? second);
  if (git.deletes.length > 0) return git.deletes;
  return CONTAINERS.has(name) || RUNNERS.has(name) ? deletesBehind(command) : [];
}

function deletesBehind({ name, words }: ShellCommand): Mark[] {
  const [first, ...rest] = words;
  if (!first) return [];
  const verbs = rest.filter(({ text }) => !text.startsWith('-')).slice(0, 2);
  const verb = CONTAINERS.has(name) ? verbs.find(({ text }) => DELETES_CONTAINERS.has(text)) : undefined;
  if (verb) return span(first, verb);
  // The first one is a verb of the program itself.
  const run = rest.slice(name === 'npx' || name === 'bunx' ? 0 : 1).find(({ text }) => RUN_BY_THEM.has(text));
  return run ? span(run, run) : [];
}
