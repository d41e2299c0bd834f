import { SESSION_VERSION } from '@shared/session/records/records';

const MAX_NUMBERS = 10;

/** What opening a journal found besides whole records. Line numbers count from 1, as an editor shows them. */
interface DamageReport {
  /** Lines that do not parse. */
  unreadable: number[];
  /** Entries that are not as their type says (docs/specs/safety.md A3). */
  opaque: number[];
  /** Entries with the id of an earlier one that say something else: rows of their own show them. */
  sameId: number[];
  /** Lines whose bytes differ from what was written. */
  changed: number[];
  /** Lines whose line end is gone; what they say is whole. */
  unended: number[];
  /** Lines that the index knows and the file no longer has. */
  missing: number;
  /** Lines that the index knows and in whose place the file has others, which somebody else wrote. */
  replaced: number;
  /** A last line without its end, as a crash or a full disk leaves it; not among `unreadable`. */
  torn: number | null;
  /** The file's version if it is one that a later program wrote (SF15). */
  laterVersion: number | null;
}

export const noDamage = (): DamageReport => ({
  unreadable: [],
  opaque: [],
  sameId: [],
  changed: [],
  unended: [],
  missing: 0,
  replaced: 0,
  torn: null,
  laterVersion: null,
});

/** Whether bytes that were written are others now. */
export const hasChanged = ({ changed, unended }: DamageReport): boolean => changed.length + unended.length > 0;

function listLines(numbers: readonly number[]): string {
  const shown = numbers.slice(0, MAX_NUMBERS).map(String);
  const more = numbers.length - shown.length;
  if (more > 0) shown.push(`${more} more`);
  const last = shown.pop() ?? '';
  return `(${numbers.length === 1 ? 'line' : 'lines'} ${shown.length > 0 ? `${shown.join(', ')} and ${last}` : last})`;
}

const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

/**
 * The report as sentences for the person; empty without damage.
 * @param circles numbers of the lines that hang at themselves
 * @param orphans numbers of those that follow one that is not in the file
 * @param isOutOfOrder an entry stands before the one that it follows
 */
export function describeDamage(
  report: DamageReport,
  circles: readonly number[] = [],
  orphans: readonly number[] = [],
  isOutOfOrder = false,
): string[] {
  const sentences: string[] = [];
  const { unreadable, opaque, sameId, changed, unended, missing, replaced, torn, laterVersion } = report;
  if (laterVersion !== null) {
    sentences.push(
      `It was written by a later program (version ${laterVersion}) and is read as version ${SESSION_VERSION}. What this version does not know stays in the file and is not shown; a newer Espalier may show it.`,
    );
  }
  if (unreadable.length > 0) {
    sentences.push(
      `${counted(unreadable.length, 'line', 'lines')} could not be read and ${unreadable.length === 1 ? 'was' : 'were'} left in place ${listLines(unreadable)}. The conversation before ${unreadable.length === 1 ? 'it' : 'them'} may appear as a separate branch.`,
    );
  }
  if (opaque.length > 0) {
    const [are, they] = opaque.length === 1 ? ['is', 'It stays'] : ['are', 'They stay'];
    sentences.push(
      `${counted(opaque.length, 'entry', 'entries')} ${are} malformed and not used ${listLines(opaque)}. ${they} in the file and in every export, and the model does not see ${opaque.length === 1 ? 'it' : 'them'}.`,
    );
  }
  if (sameId.length > 0) {
    const [have, they] = sameId.length === 1 ? ['has', 'It stays'] : ['have', 'They stay'];
    sentences.push(
      `${counted(sameId.length, 'entry', 'entries')} ${have} the id of an earlier one and ${sameId.length === 1 ? 'says' : 'say'} something else ${listLines(sameId)}. ${they} in the file and in every export. Each has its own row, and the model does not see ${sameId.length === 1 ? 'it' : 'them'}.`,
    );
  }
  if (circles.length > 0) {
    const lines = listLines(circles);
    sentences.push(
      `${counted(circles.length, 'entry names itself, or one of its descendants, as its parent', 'entries name themselves, or one of their descendants, as their parent')} ${lines}. ${circles.length === 1 ? 'It begins a separate branch' : 'Each begins a separate branch'}.`,
    );
  }
  // What can't be read, and is told, may be what they follow.
  if (orphans.length > 0 && unreadable.length === 0) {
    const lines = listLines(orphans);
    sentences.push(
      `${counted(orphans.length, 'entry follows', 'entries follow')} one that is not in the file ${lines}. ${orphans.length === 1 ? 'It begins a separate branch' : 'Each begins a separate branch'}.`,
    );
  }
  if (isOutOfOrder) {
    sentences.push(
      'Another program reordered the lines of the session file. They are read by their timestamps; nothing is lost.',
    );
  }
  if (torn !== null) {
    sentences.push(`The last line was cut off in the middle of writing and was left in place (line ${torn}).`);
  }
  if (changed.length > 0) {
    sentences.push(
      `${counted(changed.length, 'line has', 'lines have')} changed on disk since ${changed.length === 1 ? 'it was' : 'they were'} written and ${changed.length === 1 ? 'is' : 'are'} not used ${listLines(changed)}.`,
    );
  }
  if (unended.length > 0) {
    sentences.push(
      `${counted(unended.length, 'line runs', 'lines run')} into the next one in the file, which other programs may not be able to read; nothing is lost here ${listLines(unended)}.`,
    );
  }
  if (missing > 0) {
    sentences.push(
      `The session file is shorter than it was: ${counted(missing, 'line is', 'lines are')} missing at its end.`,
    );
  }
  if (replaced > 0) {
    sentences.push(
      `Another program replaced the end of the session file: ${counted(replaced, 'line that was', 'lines that were')} written here ${replaced === 1 ? 'is' : 'are'} no longer in it.`,
    );
  }
  return sentences;
}
