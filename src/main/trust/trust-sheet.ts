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
  named = MAX_NAMED,
): Promise<FolderFacts> {
  const [guidance, git] = await Promise.all([guidanceFacts(path), gitFactsOf(path, named)]);
  const approvals = rules.filter(({ scope }) => countsIn(path, scope));
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
      `Trust a folder if you know who made what is in it. ${fromThenOn('it', 'its')}`,
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
    paragraphs: [
      `${WIDE[width]} The agent could ${isTrust ? 'read all of it without asking' : 'be given all of it to work in'}.`,
      'A folder that holds one project is the better choice.',
    ],
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
    paragraphs: [`Trust folders if you know who made what is in them. ${fromThenOn('them', 'their')}`],
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
  let before = '';
  for (const name of GUIDANCE_NAMES) {
    const found = await guidanceFile(root, name);
    if (!found) continue;
    const then = found.isRead ? before && `, read if ${before} is empty` : ' (not read)';
    facts.push({ label: 'Guidance', value: `${name}, ${found.words}${then}`, warn: !found.isRead });
    if (found.isRead) before ||= name;
  }
  return facts.length > 0 ? facts : [{ label: 'Guidance', value: 'None' }];
}

/** What is there under a name of guidance, and whether it is read (project-guidance.ts). */
async function guidanceFile(root: string, name: string): Promise<{ words: string; isRead: boolean } | null> {
  const file = join(root, name);
  const stats = await lstat(file).catch(() => null);
  if (!stats) return null;
  if (stats.isFile()) return { words: inBytes(stats.size), isRead: true };
  if (!stats.isSymbolicLink()) return { words: 'which is no file', isRead: false };
  const target = await realpath(file).catch(() => null);
  if (target === null) return { words: 'a link to nothing', isRead: false };
  const isFile = (await lstat(target).catch(() => null))?.isFile() === true;
  return { words: `a link to ${target}`, isRead: isFile && isAtOrBelow(target, root) };
}

async function gitFactsOf(root: string, named: number): Promise<ConsentFact[]> {
  const git = await readGitState(root);
  if (git.kind === 'none') return [{ label: 'Git', value: 'No repository' }];
  if (git.kind === 'above')
    return [{ label: 'Git', value: 'The repository begins above this folder; it is not read.' }];
  if (git.kind === 'elsewhere')
    return [{ label: 'Git', value: 'Its data lie outside this folder; they are not read.', warn: true }];
  const on = git.branch === null ? 'A repository' : `On ${git.branch}`;
  const then = git.refusal === null ? 'git status is run' : `git is not run: ${git.refusal}`;
  return [
    { label: 'Git', value: `${on}; ${then}.` },
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

function fromThenOn(it: string, its: string): string {
  return `The agent then reads in ${it} without asking and follows ${its} guidance. Writes and commands are still asked for, except what you approved for good.`;
}

/** Whether a remembered answer spares a question to an agent that works in the folder: its commands run there, its changes lie there or below. */
function countsIn(path: string, scope: ApprovalRule['scope']): boolean {
  if (scope.kind === 'command') return scope.cwd === path;
  return isAtOrBelow(scope.folder, path) || isAtOrBelow(path, scope.folder);
}

function wordsOf(scope: ApprovalRule['scope']): string {
  return scope.kind === 'command' ? scope.command : `changes to files in ${scope.folder}`;
}

function inBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1e6 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
