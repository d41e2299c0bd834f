import { homedir } from 'node:os';
import { scopeCovers } from '../approvals/approval-rules';
import type { ConsentFact, ConsentQuestion } from '../consent/consent';
import { directLooks, type FolderLooks } from '../files/looks';
import { pause } from '../journal/file/line-reader';
import type { Width } from '../places/folder';
import { isAtOrBelow } from '../places/protected-paths';
import type { FolderNames, GuidanceFile, ProjectDoor } from '../ports';
import type { GitLook } from '../project/workspace-facts';
import { type ApprovalRule, type ApprovalScope, describeScope, timeLimitWords } from '@shared/policy/approval';
import { callsGit, gitRunsOf, hasUnread } from '@shared/policy/git-calls';
import { standsOut } from '@shared/policy/stakes';

/** How long main is held up at once (QP4: 16 ms): to read the command of a remembered answer takes a millisecond or two, and there may be a thousand. */
const SLICE_MS = 6;

/** `look` at each item, in order; other work of main goes on in between. */
export async function inSlices<T, R>(items: readonly T[], look: (item: T) => R): Promise<R[]> {
  const found: R[] = [];
  let resumed = performance.now();
  for (const item of items) {
    found.push(look(item));
    if (performance.now() - resumed < SLICE_MS) continue;
    await pause();
    resumed = performance.now();
  }
  return found;
}

/**
 * Why a remembered answer covers nothing now. `untrusted`: no folder that it counts in is trusted; `asked`: its command stands out, so
 * it is asked each time; `changed`: git could run other programs than those that it was given for; null: it is in force.
 */
export type Rest = 'untrusted' | 'asked' | 'changed' | null;

/**
 * Why a remembered answer covers nothing now, docs/specs/tools.md TL7. What was allowed for reading counts where there is no trust.
 * @param programs what git could run in the folder of a command, if that is known
 */
export function restOf(
  scope: ApprovalScope,
  trusted: readonly string[],
  programs: readonly string[] | undefined,
): Rest {
  // A rule from before such commands were asked each time. One that is too long to be read stands out, too.
  if (isAskedEachTime(scope)) return 'asked';
  const now = scope.kind === 'command' ? gitRunsOf(scope.command, scope.cwd, programs ?? []) : [];
  if (hasUnread(now)) return 'asked';
  if (scope.kind !== 'reading' && !trusted.some((path) => countsIn(path, scope))) return 'untrusted';
  return hasOtherPrograms(scope, programs && now) ? 'changed' : null;
}

/** A rule never changes, and neither does what stands out in it. */
const askedEachTime = new WeakMap<ApprovalScope, boolean>();

function isAskedEachTime(scope: ApprovalScope): boolean {
  if (scope.kind !== 'command') return false;
  const known = askedEachTime.get(scope) ?? (standsOut(scope, homedir()) || hasUnread(scope.gitRuns ?? []));
  askedEachTime.set(scope, known);
  return known;
}

/** @param now what git could run by the command now; undefined: nobody knows */
function hasOtherPrograms(scope: ApprovalScope, now: string[] | undefined): boolean {
  if (scope.kind !== 'command') return false;
  if (now === undefined) return callsGit(scope.command) ? false : scope.gitRuns !== undefined;
  return !scopeCovers(scope, { ...scope, gitRuns: now.length > 0 ? now : undefined });
}

/** Whether a remembered answer spares a question to an agent that works in the folder: its commands run there, its changes lie there or below. */
function countsIn(path: string, scope: ApprovalScope): boolean {
  if (scope.kind === 'command') return scope.cwd === path;
  if (scope.kind === 'tool') return scope.folder === path;
  return isAtOrBelow(scope.folder, path) || isAtOrBelow(path, scope.folder);
}

/** Rows of one kind that a sheet has, seven kinds of them below what a question may have in all; of more only the count. */
const MAX_NAMED = 50;

/** Everything about a folder that a person should know before they trust it, found out by reading alone. */
export interface FolderFacts {
  path: string;
  facts: ConsentFact[];
  width: Width | null;
  /** Differs if anything of it does, also what has no row: the same sheet can be shown of two states of a folder. */
  state: string;
}

const WIDE: Record<Width, string> = {
  root: 'This is the whole disk, with everything that you can read.',
  home: 'This is your home folder, keys and mail included.',
  'above-home': 'Your home folder lies in this one, keys and mail included.',
  'above-data': 'Espalier’s own folder lies in this one, with much that is not one project.',
  'many-projects': 'Several projects lie in this folder. Most people trust one project at a time.',
};
export async function gatherFolderFacts(
  path: string,
  width: Width | null,
  rules: readonly ApprovalRule[],
  project: Pick<ProjectDoor, 'guidanceFiles' | 'folderNames'>,
  looks: Pick<FolderLooks, 'git'> = directLooks,
  named = MAX_NAMED,
): Promise<FolderFacts> {
  const [guidance, names, look] = await Promise.all([
    project.guidanceFiles(path),
    project.folderNames(path),
    looks.git(path),
  ]);
  const git = gitFactsOf(look, named);
  const here = rules.filter(({ scope }) => countsIn(path, scope));
  const rests = await inSlices(here, ({ scope }) => restOf(scope, [path], look.programs));
  const approvals = here.filter((_, index) => rests[index] === null);
  const programs = approvals.map(({ hash }) => hash);
  return {
    path,
    width,
    state: JSON.stringify([width, guidance, names, look, programs]),
    facts: [
      ...(width ? [{ label: 'More than one project', value: WIDE[width], warn: true }] : []),
      ...guidanceFacts(guidance),
      ...nameFacts(names, named),
      ...git,
      ...listed(
        'Approval rules',
        approvals.map(({ scope }) => wordsOf(scope)),
        false,
        named,
      ),
    ],
  };
}

const CHANGED = 'Something changed while the question was open, so nothing is trusted yet. This is what is there now.';

/** The sheet of one folder. `isReplaced`: another one was trusted at this path. `hasChanged`: an answer was given to an older sheet. */
export function trustQuestion(
  { path, facts, width }: FolderFacts,
  isReplaced = false,
  hasChanged = false,
): ConsentQuestion {
  return {
    kind: 'trust-folder',
    title: 'Trust this folder?',
    subject: path,
    paragraphs: [
      ...(hasChanged ? [CHANGED] : []),
      ...(isReplaced ? ['This is no longer the folder you trusted: another one is in its place.'] : []),
      `Trust a folder if you know who made what is in it. ${fromThenOn('it', 'its')}${whatRuns(facts)}`,
      'If you keep it restricted, its guidance is ignored, and nothing in it is read, written or run without your approval.',
    ],
    facts,
    choices: [{ id: 'trust', label: width ? 'Trust all of it…' : 'Trust this folder', tone: 'primary' }],
    cancel: 'Keep restricted',
  };
}

const WIDE_USES = {
  trust: {
    title: 'Trust everything in here?',
    could: 'read all of it without asking',
    yes: 'Trust everything in it',
  },
  use: {
    title: 'Work in a folder as wide as this?',
    could: 'be given all of it to work in',
    yes: 'Use it all the same',
  },
  read: {
    title: 'Allow reading everything in here?',
    could: 'read all of it without asking, until you quit Espalier',
    yes: 'Allow reading all of it',
  },
};

/** The extra yes for a folder that is more than a project. */
export function wideQuestion(path: string, width: Width, what: keyof typeof WIDE_USES): ConsentQuestion {
  const { title, could, yes } = WIDE_USES[what];
  return {
    kind: `${what}-wide`,
    title,
    subject: path,
    paragraphs: [`${WIDE[width]} The agent could ${could}.`, 'A folder that holds one project is the better choice.'],
    facts: [],
    choices: [{ id: 'yes', label: yes, tone: 'danger' }],
    cancel: 'Cancel',
  };
}

/**
 * What main asks before a session may read in a restricted folder without a question: nothing, unless the folder is more than a project. Its
 * workspace may stand in a sidecar that no person has agreed to here.
 */
export async function readingQuestion(
  folder: string,
  dataDir: string,
  looks: Pick<FolderLooks, 'widthOf'> = directLooks,
): Promise<ConsentQuestion | null> {
  const width = await looks.widthOf(folder, dataDir);
  return width && wideQuestion(folder, width, 'read');
}

/** Several folders at once, each with what would be read and run there. */
export function trustListQuestion(folders: readonly FolderFacts[], hasChanged = false): ConsentQuestion {
  return {
    kind: 'trust-folders',
    title: `Trust these ${folders.length} folders?`,
    paragraphs: [
      ...(hasChanged ? [CHANGED] : []),
      `Trust folders if you know who made what is in them. ${fromThenOn('them', 'their')}${whatRuns(folders.flatMap(({ facts }) => facts))}`,
    ],
    facts: folders.flatMap(({ path, facts }, index) => [
      { label: `Folder ${index + 1}`, value: path },
      ...facts.map((fact) => ({ ...fact, label: `${index + 1}: ${fact.label}` })),
    ]),
    choices: [{ id: 'trust', label: 'Trust them', tone: 'primary' }],
    cancel: 'Cancel',
  };
}

function guidanceFacts(files: readonly GuidanceFile[]): ConsentFact[] {
  if (files.length === 0) return [{ label: 'Guidance', value: 'None' }];
  const first = files.find(({ use }) => use === 'read')?.name ?? '';
  return files.map((file) => ({
    label: 'Guidance',
    value: `${file.name}, ${whatIsThere(file)}${wordsOfUse(file, first)}`,
    warn: file.use === 'unread',
  }));
}

/** Names alone: what is in the files is read once the folder is trusted. */
function nameFacts({ extensions, skills, templates, servers }: FolderNames, named: number): ConsentFact[] {
  return [
    ...listed(EXTENSIONS, extensions, true, named),
    ...listed('Skills', skills, false, named),
    ...listed('Prompt templates', templates, false, named),
    ...listed(
      'MCP servers',
      servers.map((file) => `those in ${file}; each is asked about before it starts`),
      false,
      named,
    ),
  ];
}

function whatIsThere({ bytes, isFile, target }: GuidanceFile): string {
  if (target === undefined) return isFile ? inBytes(bytes) : 'which is not a file';
  return target === null ? 'a link to nothing' : `a link to ${target}`;
}

function wordsOfUse({ use, refusal }: GuidanceFile, first: string): string {
  switch (use) {
    case 'read':
      return '';
    case 'second':
      return ` (not read while ${first} has something to say)`;
    case 'empty':
      return ' (empty)';
    case 'unread':
      return refusal === undefined ? ' (not read)' : ` (not read). ${refusal}`;
  }
}

function gitFactsOf({ state: git, whyNot: why }: GitLook, named: number): ConsentFact[] {
  if (git.kind === 'none') return [{ label: 'Git', value: 'No repository' }];
  if (git.kind === 'above')
    return [{ label: 'Git', value: 'The repository begins above this folder and is not read.' }];
  if (git.kind === 'bare')
    return [{ label: 'Git', value: 'This folder itself looks like a bare repository and is not read.', warn: true }];
  if (git.kind === 'elsewhere')
    return [{ label: 'Git', value: 'Its data lies outside this folder and is not read.', warn: true }];
  const on = git.branch === null ? 'A repository' : `On ${git.branch}`;
  const then = why === null ? 'git status is run' : `git is not run: ${why}`;
  const entries = (canRun: boolean): string[] =>
    git.risky.filter((entry) => entry.canRun === canRun).map(({ name, value }) => `${name} = ${value}`);
  return [
    { label: 'Git', value: `${on}; ${then}.` },
    ...listed(COULD_RUN, entries(true), true, named),
    ...listed('Not known to be harmless', entries(false), true, named),
    ...listed(HOOKS, git.hooks, true, named, git.hasMoreHooks),
  ];
}

/** A row each, so that no long one hides the next. `isCut`: there are more than `values`, nobody counted how many. */
function listed(label: string, values: readonly string[], warn: boolean, named: number, isCut = false): ConsentFact[] {
  const rest = values.length - named;
  const shown = values.slice(0, named).map((value) => ({ label, value, warn }));
  return rest > 0 ? [...shown, { label, value: isCut ? `more than ${rest} others` : `${rest} more`, warn }] : shown;
}

const COULD_RUN = 'Could run programs';
const HOOKS = 'Hooks';
const EXTENSIONS = 'Extensions';

/** The app runs none of them (B2), but a command is the person's own git. */
function whatRuns(facts: readonly ConsentFact[]): string {
  const has = (...labels: string[]): boolean => facts.some(({ label }) => labels.includes(label.replace(/^\d+: /, '')));
  const git = has(COULD_RUN, HOOKS) ? ' A git command that you allow can run the programs and hooks named below.' : '';
  const extensions = has(EXTENSIONS)
    ? ' The extensions named below are programs: they run with all your rights, and nothing they do is asked about.'
    : '';
  return `${git}${extensions}`;
}

function fromThenOn(it: string, its: string): string {
  return `The agent then reads in ${it} without asking and follows ${its} guidance. Espalier still asks before writes and commands, except those your approval rules allow.`;
}

function wordsOf(scope: ApprovalScope): string {
  if (scope.kind === 'command')
    return scope.timeoutMs === undefined
      ? scope.command
      : `${scope.command} (time limit ${timeLimitWords(scope.timeoutMs)})`;
  if (scope.kind === 'tool') return describeScope(scope);
  return `all changes to files in ${scope.folder} and below`;
}

function inBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1e6 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
