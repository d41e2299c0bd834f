import { lstat, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { ApprovalRule } from '@shared/policy/approval';
import { GUIDANCE_NAMES } from '../agent/project-guidance';
import type { ConsentFact, ConsentQuestion } from '../consent/consent';
import { isAtOrBelow } from '../tools/protected-paths';
import type { Width } from './folder';
import { readGitState } from './git-state';

/** Rows of one kind that a sheet has; of more only the count. */
const MAX_NAMED = 12;

/** Everything about a folder that a person should know before they trust it, found out by reading alone. */
export interface FolderFacts {
  path: string;
  facts: ConsentFact[];
  width: Width | null;
}

const WIDE: Record<Width, string> = {
  root: 'This is the whole disk: everything that you can read would be read without asking.',
  home: 'This is your home folder: everything in it, keys and mail included, would be read without asking.',
  'above-home':
    'Your home folder lies in this one: everything in it, keys and mail included, would be read without asking.',
  'above-data': 'Espalier’s own folder lies in this one, with much that is not one project.',
  'many-projects': 'Several projects lie in this folder. Most people trust one project at a time.',
};

export async function gatherFolderFacts(
  path: string,
  width: Width | null,
  rules: readonly ApprovalRule[],
  named = MAX_NAMED,
): Promise<FolderFacts> {
  const [guidance, git] = await Promise.all([guidanceFacts(path), gitFactsOf(path, named)]);
  const approvals = rules.filter(({ scope }) => scopeFolder(scope) === path || isAtOrBelow(scopeFolder(scope), path));
  return {
    path,
    width,
    facts: [
      ...(width ? [{ label: 'More than one project', value: WIDE[width], warn: true }] : []),
      ...guidance,
      ...git,
      ...listed(
        'Approved for good',
        approvals.map(({ scope }) => wordsOf(scope)),
        false,
        named,
      ),
    ],
  };
}

/** The sheet of one folder. `isReplaced`: another one was trusted at this path. */
export function trustQuestion({ path, facts, width }: FolderFacts, isReplaced = false): ConsentQuestion {
  return {
    kind: 'trust-folder',
    title: 'Trust this folder?',
    subject: path,
    paragraphs: [
      ...(isReplaced ? ['This is not the folder you trusted any more: another one is in its place.'] : []),
      'Trust a folder if you know who made what is in it. The agent then reads in it without asking and follows its guidance, git is run in it, and what you approved for good counts again. Writes and commands are still asked for.',
    ],
    facts,
    choices: [{ id: 'trust', label: width ? 'Trust all of it…' : 'Trust this folder', tone: 'primary' }],
    cancel: 'Keep restricted',
  };
}

/** The extra yes for a folder that is more than a project. */
export function wideQuestion(path: string, width: Width, what: 'trust' | 'use'): ConsentQuestion {
  const isTrust = what === 'trust';
  return {
    kind: isTrust ? 'trust-wide' : 'use-wide',
    title: isTrust ? 'Trust everything in here?' : 'Work in a folder as wide as this?',
    subject: path,
    paragraphs: [WIDE[width], 'A folder that holds one project is the better choice.'],
    facts: [],
    choices: [{ id: 'yes', label: isTrust ? 'Trust everything in it' : 'Use it all the same', tone: 'danger' }],
    cancel: 'Cancel',
  };
}

/** Several folders at once, each with what would be read and run there. */
export function trustListQuestion(folders: readonly FolderFacts[]): ConsentQuestion {
  return {
    kind: 'trust-folders',
    title: `Trust these ${folders.length} folders?`,
    paragraphs: [
      'The agent reads in them without asking and follows their guidance, git is run in them, and what you approved for good counts again. Writes and commands are still asked for.',
    ],
    facts: folders.flatMap(({ path, facts }, index) => [
      { label: `Folder ${index + 1}`, value: path },
      ...facts.map((fact) => ({ ...fact, label: `${index + 1}: ${fact.label}` })),
    ]),
    choices: [{ id: 'trust', label: 'Trust them', tone: 'primary' }],
    cancel: 'Cancel',
  };
}

async function guidanceFacts(root: string): Promise<ConsentFact[]> {
  const facts: ConsentFact[] = [];
  for (const name of GUIDANCE_NAMES) {
    const file = join(root, name);
    const stats = await lstat(file).catch(() => null);
    if (!stats) continue;
    if (stats.isFile()) {
      facts.push({ label: 'Guidance', value: `${name}, ${inBytes(stats.size)}` });
    } else if (stats.isSymbolicLink()) {
      const target = await realpath(file).catch(() => null);
      const isInside = target !== null && isAtOrBelow(target, root);
      const ends = target === null ? 'a link to nothing' : `a link to ${target}`;
      facts.push({ label: 'Guidance', value: `${name}, ${ends}${isInside ? '' : ' (never read)'}`, warn: !isInside });
    } else facts.push({ label: 'Guidance', value: `${name} is no file (never read)`, warn: true });
  }
  return facts.length > 0 ? facts : [{ label: 'Guidance', value: 'None' }];
}

async function gitFactsOf(root: string, named: number): Promise<ConsentFact[]> {
  const git = await readGitState(root);
  if (git.kind === 'none') return [{ label: 'Git', value: 'No repository' }];
  if (git.kind === 'above')
    return [{ label: 'Git', value: 'The repository begins above this folder and is not read.' }];
  if (git.kind === 'elsewhere')
    return [
      { label: 'Git', value: 'Its data lie outside this folder; git is never run here by Espalier.', warn: true },
    ];
  const on = git.branch === null ? 'A repository' : `On ${git.branch}`;
  return [
    { label: 'Git', value: git.refusal === null ? on : `${on}; Espalier never runs git here: ${git.refusal}.` },
    ...listed(
      'Could run programs',
      git.risky.map(({ name, value }) => `${name} = ${value}`),
      true,
      named,
    ),
    ...listed('Hooks', git.hooks, true, named),
  ];
}

/** A row each, so that no long one hides the next. */
function listed(label: string, values: readonly string[], warn: boolean, named: number): ConsentFact[] {
  const rest = values.length - named;
  const shown = values.slice(0, named).map((value) => ({ label, value, warn }));
  return rest > 0 ? [...shown, { label, value: `${rest} more`, warn }] : shown;
}

function scopeFolder(scope: ApprovalRule['scope']): string {
  return scope.kind === 'command' ? scope.cwd : scope.folder;
}

function wordsOf(scope: ApprovalRule['scope']): string {
  return scope.kind === 'command' ? scope.command : `changes to files in ${scope.folder}`;
}

function inBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1e6 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
