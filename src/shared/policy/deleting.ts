/** Which commands delete (docs/specs/safety.md C2). Pure, linear in the words. */

import { gitRisksOf, type GitRisks } from './git-risks';
import { isRunner, MOST_RUNNERS, runByIt } from './runners';
import { span, type Mark, type ShellCommand, type Word } from './shell-words';

const DELETING = new Set(
  'rm rmdir unlink shred srm truncate mkfs wipefs blkdiscard rimraf del erase rd tmpreaper tmpwatch trash-put trash-empty rmtrash remove-item Remove-Item dropdb dropuser'.split(
    ' ',
  ),
);
/** Programs that delete with these words only, wherever they stand. */
const DELETES_BY = new Map([
  ...entries('dd', /^of=(?!\/dev\/null$)/),
  ...entries('find fd fdfind', /^-delete$/),
  ...entries('rsync', /^--(?:del(?!ay)|remove-source)/),
  ...entries('tar bsdtar gtar', /^--rem/),
  // Before a switch that takes a word the letters are switches.
  ...entries('zip', /^(?:-[rjqvyTDSXoFAlekwufdgcz\d]*m|--mov)/),
  ...entries('7z 7za 7zr 7zz', /^-sdel$/),
  ...entries('rar', /^(?:mf?|-d[frw])$/),
  ...entries('trash', /^[^-]/),
  ...entries('gio', /^(?:trash|remove)$/),
]);
function entries(names: string, by: RegExp): [string, RegExp][] {
  return names.split(' ').map((name) => [name, by]);
}

/** Programs that only look for the words, or say them. */
const QUOTES_IT = new Set(
  'grep egrep fgrep rg ag ack git gh glab echo printf sed awk man which type command'.split(' '),
);
const DELETES_INSIDE = new Set(['rm', 'shred']);
const FORCES = /^(?:-[a-zA-Z]*[rRfu]|--recursive|--force)/;
const RUN_BY_THEM = new Set(['rm', 'rmdir', 'unlink', 'shred', 'rimraf']);
/** They take the name of a program that they have installed in the place of a verb. */
const RUNS_BY_NAME = new Set(['npx', 'bunx', 'yarn', 'pnpm', 'bun']);
const PACKAGE_MANAGERS = new Set(['npm', 'yarn', 'pnpm', 'bun']);
/** Verbs behind which names of packages stand. */
const NAMES_PACKAGES =
  /^(?:a|add|i|in|ins|install|ci|un|uninstall|remove|rm|r|ls|list|why|explain|info|view|show|up|update|upgrade|outdated|audit|link|unlink|search|pack|pm|config|cache|docs|repo|bugs|fund|dedupe|patch|rebuild)$/;
const CONTAINERS = new Set(['docker', 'podman', 'kubectl', 'nerdctl', 'oc']);
const DELETES_CONTAINERS = new Set(['rm', 'rmi', 'prune', 'delete']);

/** Where a command deletes. */
export function deletesOf(command: ShellCommand, git: GitRisks, depth = 0): Mark[] {
  const { name, words } = command;
  const [first] = words;
  if (!first) return [];
  // The name first: most commands need no look at all of their words.
  const which = (pattern: RegExp): Word | undefined => words.find((word) => word !== first && pattern.test(word.text));
  if (DELETING.has(name) || name.startsWith('mkfs.')) return span(first, which(/^-{1,2}[a-z]/i) ?? first);
  const by = DELETES_BY.get(name);
  const switched = by && which(by);
  if (switched) return span(name === 'dd' ? first : switched, switched);
  const [second] = words.slice(1);
  if (!second) return [];
  // Behind whatever runs it: `timeout "$T" rm -rf x`.
  const inside = QUOTES_IT.has(name)
    ? -1
    : words.findIndex((word, at) => DELETES_INSIDE.has(word.text) && FORCES.test(words[at + 1]?.text ?? ''));
  if (inside > 0) return span(words[inside] ?? second, words[inside + 1] ?? second);
  if (git.deletes.length > 0) return git.deletes;
  return isRunner(name) ? deletesBehind(command, depth) : [];
}

/** The switch with which `compose down` deletes volumes or images. */
function removedByDown({ name, words }: ShellCommand): Word | undefined {
  const compose = /^(?:docker|podman)-compose$/.test(name) ? 0 : words.findIndex(({ text }) => text === 'compose');
  if (compose < 0 || (compose > 0 && !CONTAINERS.has(name))) return undefined;
  const down = words.findIndex(({ text }, at) => at > compose && text === 'down');
  if (down < 0) return undefined;
  return words.slice(down + 1).find(({ text }) => /^(?:-[a-z]*v|--volumes(?:=true)?|--rmi(?:=.*)?)$/.test(text));
}

function deletesBehind(command: ShellCommand, depth: number): Mark[] {
  const { name, words } = command;
  const [first, ...rest] = words;
  if (!first) return [];
  const verbs = rest.filter(({ text }) => !text.startsWith('-')).slice(0, 2);
  const verb = CONTAINERS.has(name) ? verbs.find(({ text }) => DELETES_CONTAINERS.has(text)) : undefined;
  if (verb) return span(first, verb);
  const removed = removedByDown(command);
  if (removed) return span(first, removed);
  const inner = depth < MOST_RUNNERS ? runByIt(command) : null;
  const found = inner ? deletesOf(inner, gitRisksOf(inner), depth + 1) : [];
  if (found.length > 0) return found;
  const [own] = verbs;
  const isExec = rest.some(({ text }) => text === 'exec' || text === 'x' || text === 'dlx');
  if (PACKAGE_MANAGERS.has(name) && own && NAMES_PACKAGES.test(own.text) && !isExec) return [];
  // Else the first one is a verb of the program itself.
  const run = rest.slice(RUNS_BY_NAME.has(name) ? 0 : 1).find(({ text }) => RUN_BY_THEM.has(text));
  return run ? span(run, run) : [];
}
