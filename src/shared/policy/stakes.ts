/**
 * What stands out in a call before a person allows it, and what an answer about it may be remembered for. The same function decides
 * which answers a card offers and which earlier answers cover a call: no rule lets anything through that its card would only
 * have allowed once (docs/specs/tools.md TL7).
 */

import { MAX_READ_CALL_CHARS, MAX_READ_COMMAND_CHARS, MAX_STORED_DIFF_BYTES } from '../limits';
import type { ApprovalRequest, ExactPlace } from './approval';
import type { GuidanceRole } from '../types';
import { parseDiff, type DiffLine } from './diff-lines';
import { hasUnread, isUnread, unreadOf } from './git-calls';
import { RiskFinder, type Risk } from './risk';
import { visibleText } from './visible-text';

/** What would happen, as main found it and as a card has it. */
type StakesSubject =
  | { kind: 'command'; command: string; cwd: string; gitRuns?: readonly string[] }
  | ({ kind: 'diff'; path: string; diff: string; guidance?: GuidanceRole } & ExactPlace)
  | ({ kind: 'path'; path: string } & ExactPlace)
  | { kind: 'call'; text: string };

/** What was read in the text of a question. */
interface StakesRead {
  /** Of a command. */
  risks: readonly Risk[];
  /** What hides, moves or looks like another name, in sentences. */
  warnings: readonly string[];
}

/** In words, with the parts that it is about. */
interface Named {
  title: string;
  words: string[];
}

/** What stands out in a question. */
export interface Stakes {
  risks: Named[];
  /** What the answer should know of, though nothing is the matter: it changes no answer. */
  notes: Named[];
  /** Sentences: why nothing is remembered, and about characters that hide, move or look like others. */
  warnings: string[];
}

/** Parts of a command that one line of risk names, and characters of one of them: all of it stands underlined in the text. */
const MAX_NAMED = 4;
/** Programs that settings of git name, those first that the command is about; the sheet of a folder has more. */
const MAX_PROGRAMS = 12;
/** Of a command, to find the programs that it is about. */
const MAX_READ_CHARS = 2_000;
const MAX_NAMED_CHARS = 120;

const LARGE = 'This change is large, so Espalier asks every time.';
const LONG = 'This command is long, so Espalier asks every time.';
const LONG_CALL = 'These arguments are long, so Espalier asks every time.';
const GUIDANCE: Record<GuidanceRole, string> = {
  now: 'This file tells the agent how to work here. It is read with your next message.',
  other: 'This file can tell the agent how to work, so Espalier asks about every change to it.',
  code: 'This file is part of an extension: Espalier runs it with your rights, so it asks about every change to it.',
};

/** Risks, warnings and notes of a question; with any risk or warning its card has no filled button and remembers nothing. */
export function stakesOf(subject: StakesSubject, { risks, warnings }: StakesRead): Stakes {
  switch (subject.kind) {
    case 'command':
      return {
        risks: risks.map((risk) => ({ title: risk.title, words: wordsOf(risk, subject.command) })),
        notes: notesOfGit(subject.command, subject.gitRuns),
        warnings: unique([...(isLarge(subject) ? [LONG] : []), ...warnings, ...aboutPath('Its folder', subject.cwd)]),
      };
    case 'diff': {
      const { path, guidance } = subject;
      const why = [...(guidance === undefined ? [] : [GUIDANCE[guidance]]), ...(isLarge(subject) ? [LARGE] : [])];
      return {
        risks: risksOfPlace(subject),
        notes: [],
        warnings: unique([...why, ...aboutPath('Its path', path), ...warnings]),
      };
    }
    case 'path':
      return { risks: risksOfPlace(subject), notes: [], warnings: [...warnings] };
    case 'call':
      return { risks: [], notes: [], warnings: [...(isLarge(subject) ? [LONG_CALL] : []), ...warnings] };
  }
}

/** The item of a list that was cut. */
const IN_ALL = /^[\d,]+ in all, /;

function notesOfGit(command: string, runs: readonly string[] = []): Named[] {
  const note = (title: string, named: readonly string[]): Named[] =>
    named.length === 0
      ? []
      : [
          {
            title,
            words: firstOf(
              named.map((one) => wordAt(one, 0, one.length)),
              MAX_PROGRAMS,
            ),
          },
        ];
  return [
    ...note('May start git, which can run more than Espalier can tell', unreadOf(runs)),
    ...note(
      'Git may run what this repository names',
      relevantFirst(
        runs.filter((one) => !isUnread(one)),
        command,
      ),
    ),
  ];
}

/** How many there are comes first, then what has a word of the command in its name: `pre-commit` for `git commit`. */
function relevantFirst(runs: readonly string[], command: string): string[] {
  const words = new Set(command.slice(0, MAX_READ_CHARS).match(/[a-z]{2,}/g) ?? []);
  words.delete('git');
  const isNear = (one: string): boolean =>
    (one.slice(0, one.indexOf(' =') + 1 || undefined).match(/[a-z]{2,}/g) ?? []).some((word) => words.has(word));
  const order = (one: string): number => (IN_ALL.test(one) ? 0 : isNear(one) ? 1 : 2);
  return [0, 1, 2].flatMap((place) => runs.filter((one) => order(one) === place));
}

function risksOfPlace({ outside, onMount }: ExactPlace): Named[] {
  if (!outside) return [];
  return [{ title: onMount ? 'On a mount inside the workspace' : 'Outside the workspace', words: [] }];
}

/** Whether anything stands out, so that the call is asked for each time. A window reads the same in steps (`approvals/reading.ts`). */
export function standsOut(subject: StakesSubject, home: string): boolean {
  if (isLarge(subject)) return true;
  const { risks, warnings } = stakesOf(subject, readAtOnce(subject, home));
  return risks.length + warnings.length > 0;
}

function readAtOnce(subject: StakesSubject, home: string): StakesRead {
  switch (subject.kind) {
    case 'command': {
      const { command, cwd } = subject;
      const finder = new RiskFinder({ cwd, home });
      for (const steps of [finder.read(command, 0), finder.end()]) while (!steps.next().done);
      return { risks: finder.risks(), warnings: visibleText(command, 'command').warnings };
    }
    case 'diff':
      return { risks: [], warnings: warningsOfDiff(parseDiff(subject.diff)) };
    case 'path':
      return { risks: [], warnings: visibleText(subject.path, 'path').warnings };
    case 'call':
      return { risks: [], warnings: visibleText(subject.text, 'command').warnings };
  }
}

/** Lines of one kind that follow each other are one text: blank ones are counted within it, never across a change. */
function warningsOfDiff(lines: readonly DiffLine[]): string[] {
  const stretches: { kind: DiffLine['kind']; texts: string[] }[] = [];
  for (const { kind, text } of lines) {
    const last = stretches.at(-1);
    if (last?.kind === kind && kind !== 'gap' && kind !== 'note') last.texts.push(text);
    else stretches.push({ kind, texts: [text] });
  }
  return stretches.flatMap(({ texts }) => visibleText(texts.join('\n'), 'content').warnings);
}

/**
 * Of what a call could be remembered for, what its card offers and an earlier answer may cover: nothing where something stands out, or where
 * git could run what nobody has read.
 */
export function scopesOffered(
  subject: StakesSubject,
  scopes: ApprovalRequest['scopes'],
  home: string,
): ApprovalRequest['scopes'] {
  const isPossible = scopes.session !== undefined || scopes.always !== undefined;
  const isOpen = subject.kind === 'command' && hasUnread(subject.gitRuns ?? []);
  return isPossible && !isOpen && !standsOut(subject, home) ? scopes : {};
}

/** Looking through all of it would hold up main, of a diff the worker for files: it is not read there. The card reads it in steps. */
function isLarge(subject: StakesSubject): boolean {
  if (subject.kind === 'command') return subject.command.length > MAX_READ_COMMAND_CHARS;
  if (subject.kind === 'call') return subject.text.length > MAX_READ_CALL_CHARS;
  return subject.kind === 'diff' && subject.diff.length > MAX_STORED_DIFF_BYTES;
}

function wordsOf({ marks }: Risk, command: string): string[] {
  return firstOf([...new Set(marks.map(({ from, to }) => wordAt(command, from, to)))], MAX_NAMED);
}

function firstOf(words: string[], most: number): string[] {
  const rest = words.length - most;
  return rest > 0 ? [...words.slice(0, most), `${rest.toLocaleString('en')} more`] : words;
}

function wordAt(command: string, from: number, to: number): string {
  return to - from > MAX_NAMED_CHARS ? `${command.slice(from, from + MAX_NAMED_CHARS)} …` : command.slice(from, to);
}

function aboutPath(what: string, path: string): string[] {
  return visibleText(path, 'path').warnings.map((warning) => warning.replace(/^It holds/, `${what} holds`));
}

function unique(sentences: readonly string[]): string[] {
  return [...new Set(sentences)];
}
