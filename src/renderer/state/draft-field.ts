/**
 * What the composer's field holds: words and files for HEAD, or for a branch that the message is to begin, with HEAD's own kept beside
 * them (BR4, CM6, CM7). Pure: HEAD itself moves at sending.
 */
import { isRecord } from '@shared/checks';
import type { Attachment, QueueItem } from '@shared/types';

/**
 * Characters that the composer's field draws (CM7). Chromium lays a text field out as a whole: megabytes in it make every key a task
 * of seconds. More goes as a file, or waits beside the field.
 */
export const MAX_FIELD_CHARS = 50_000;

export function fitsField(text: string): boolean {
  return text.length <= MAX_FIELD_CHARS;
}

/** The bound as it is told. */
export const FIELD_BOUND = `${MAX_FIELD_CHARS.toLocaleString('en')} characters`;

/** A text before another one, as two paragraphs. */
export function joined(before: string, after: string): string {
  return before && after ? `${before}\n\n${after}` : before || after;
}

/** The texts with one more; each once, and none that is empty. */
export function withText(texts: string[], text: string): string[] {
  return text === '' || texts.includes(text) ? texts : [...texts, text];
}

/** Where a message is to begin a branch. */
export interface BranchTarget {
  /** `edit`: the text of the message `target` was put into the composer; else the branch begins behind it. */
  kind: 'branch' | 'edit';
  /** Null: before the first entry. */
  target: string | null;
  /** What the message will follow; null: it begins anew. */
  parentId: string | null;
  /** Where HEAD was when the branch was thought of. */
  oldLeaf: string | null;
  /** A summary of what stays behind goes along; null: none. */
  summary: { instructions: string } | null;
  /** The text that was put into the composer, and the ids of the files. */
  preset: string;
  presetFiles: readonly string[];
}

/** A text with its files. */
export interface Words {
  text: string;
  attachments: (Attachment & { id: string })[];
}

export interface BranchDraft extends BranchTarget {
  /** What the composer held for HEAD. */
  head: Words;
}

/** What a composer holds; with `branch` text and files are for that. */
export interface Field extends Words {
  aside: string[];
  branch: BranchDraft | null;
}

/** The field turns to a branch. What was written for another one that is given up so is put beside the field, and its files to HEAD's. */
export function toBranch(field: Field, target: BranchTarget, { text, attachments }: Words): Field {
  const { aside, branch } = field;
  if (!branch) return { text, attachments, aside, branch: { ...target, head: wordsIn(field) } };
  const own = ownWords(field, branch);
  const head = { text: branch.head.text, attachments: [...branch.head.attachments, ...own.attachments] };
  return { text, attachments, aside: withText(aside, own.text), branch: { ...target, head } };
}

/**
 * The field turns back to HEAD. An unchanged text goes with the branch; another one stays in the field where HEAD's draft left it
 * empty, else it is put beside it. Files that were added stay in any case.
 */
export function toHead(field: Field): Field {
  const { aside, branch } = field;
  if (!branch) return field;
  const { head } = branch;
  const { text, attachments } = ownWords(field, branch);
  const isFree = head.text.trim() === '' && fitsField(text);
  return {
    text: isFree && text !== '' ? text : head.text,
    attachments: [...head.attachments, ...attachments],
    aside: isFree ? aside : withText(aside, text),
    branch: null,
  };
}

const wordsIn = ({ text, attachments }: Words): Words => ({ text, attachments });

/** What a branch has of the person: a text that is not the one it was begun with, with all its files; else the files that it was not begun with. */
function ownWords({ text, attachments }: Words, { preset, presetFiles }: BranchTarget): Words {
  if (text.trim() !== '' && text !== preset) return { text, attachments };
  return { text: '', attachments: attachments.filter(({ id }) => !presetFiles.includes(id)) };
}

/** Words that are put there to be gone on with, for HEAD. What stands in their place is put beside the field; so are they where they do not fit. */
export function withWords(field: Field, { text, attachments }: Words): Field {
  const { aside, branch } = field;
  const held = branch ? branch.head : field;
  const fits = fitsField(text);
  const head = { text: fits ? text : held.text, attachments: [...held.attachments, ...attachments] };
  const beside = { aside: withText(aside, fits ? held.text.trim() : text) };
  return branch ? { ...field, ...beside, branch: { ...branch, head } } : { ...field, ...head, ...beside };
}

/** After its message was taken: what the composer held for HEAD is there again. */
export function afterTaken({ aside, branch }: Field): Field {
  return { text: '', attachments: [], ...branch?.head, aside, branch: null };
}

/** A message that was not accepted is back, in front of what was written since for the same place; for another place it stands beside. */
export function withBack(field: Field, { text, attachments }: Words, target: BranchTarget | null): Field {
  const { aside, branch } = field;
  if (target && !branch && fitsField(text)) return { ...toBranch(field, target, { text, attachments }) };
  if (!target && branch) {
    const whole = joined(text, branch.head.text);
    const fits = fitsField(whole);
    const head = {
      text: fits ? whole : branch.head.text,
      attachments: [...attachments, ...branch.head.attachments],
    };
    return { ...field, aside: fits ? aside : withText(aside, text), branch: { ...branch, head } };
  }
  const whole = joined(text, field.text);
  const all = [...attachments, ...field.attachments];
  if (target === null && fitsField(whole)) return { ...field, text: whole, attachments: all };
  return { ...field, attachments: all, aside: withText(aside, text) };
}

/** The target alone, as a message on its way and the database have it. */
export function targetOf({
  kind,
  target,
  parentId,
  oldLeaf,
  summary,
  preset,
  presetFiles,
}: BranchTarget): BranchTarget {
  return { kind, target, parentId, oldLeaf, summary, preset, presetFiles };
}

/** Where a message of the queue begins a branch; null: it is for HEAD. */
export function targetOfItem(
  { parentId, summary, versionOf }: Pick<QueueItem, 'parentId' | 'summary' | 'versionOf'>,
  oldLeaf: string | null,
): BranchTarget | null {
  if (parentId === undefined) return null;
  const instructions = summary && (summary.instructions ?? '');
  return {
    ...(versionOf === undefined ? { kind: 'branch', target: parentId } : { kind: 'edit', target: versionOf }),
    ...{ parentId, oldLeaf, preset: '', presetFiles: [] },
    summary: instructions === undefined ? null : { instructions },
  };
}

/** What main is told of where a message begins a branch. */
export function placeOf({
  kind,
  target,
  parentId,
  summary,
}: BranchTarget): Pick<QueueItem, 'parentId' | 'summary' | 'versionOf'> {
  return {
    parentId,
    ...(summary ? { summary } : {}),
    ...(kind === 'edit' && target !== null ? { versionOf: target } : {}),
  };
}

/** Longer than an id of this app, and of those that it imports (SF5). */
const MAX_ID_CHARS = 200;

/** A target as the database has it, which may be anything; null: it is none. */
export function readTarget(stored: unknown): BranchTarget | null {
  if (!isRecord(stored)) return null;
  const { kind, target, parentId, oldLeaf, summary, preset, presetFiles } = stored;
  if (!isPlace(target) || !isPlace(parentId) || !isPlace(oldLeaf)) return null;
  const instructions = isRecord(summary) && typeof summary.instructions === 'string' ? summary.instructions : null;
  return {
    kind: kind === 'edit' ? 'edit' : 'branch',
    ...{ target, parentId, oldLeaf },
    summary: instructions === null ? null : { instructions },
    preset: typeof preset === 'string' ? preset : '',
    presetFiles: Array.isArray(presetFiles) ? presetFiles.filter((id) => typeof id === 'string') : [],
  };
}

function isPlace(value: unknown): value is string | null {
  return value === null || (typeof value === 'string' && value !== '' && value.length <= MAX_ID_CHARS);
}
