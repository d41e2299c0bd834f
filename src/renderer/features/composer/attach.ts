/** Turns files that a person pastes, drops or picks into attachments, or says why not. */
import { MAX_PICTURES } from '@shared/record-limits';
import { type DraftStore, MAX_ATTACHMENTS } from '../../state/draft-store';
import { formatBytes } from '../../state/format';
import { type DraftAttachment, IMAGE_TYPES } from '../../state/local-store';
import type { OpenSession } from '../../state/open-session';
import { fitPicture } from './fit-picture';

/** A larger file is not a picture that a person took: reading it would only fill memory. */
const MAX_PICTURE_FILE_BYTES = 200 * 1024 * 1024;
/** About 250,000 tokens: more fits into no window that is worth filling with one file. */
export const MAX_TEXT_BYTES = 1024 * 1024;

interface ReadFiles {
  attachments: DraftAttachment[];
  problems: string[];
  /** So many files were beyond the room that was left. */
  leftOut: number;
}

/** What is attached already. */
interface Held {
  files: number;
  pictures: number;
}

/** Reads the files in order, pictures made small enough. */
async function readFiles(files: readonly File[], held: Held, newId: () => string): Promise<ReadFiles> {
  const room = Math.max(0, MAX_ATTACHMENTS - held.files);
  const result: ReadFiles = { attachments: [], problems: [], leftOut: Math.max(0, files.length - room) };
  let picturesLeft = Math.max(0, MAX_PICTURES - held.pictures);
  let picturesOver = 0;
  for (const file of files.slice(0, room)) {
    const isPicture = IMAGE_TYPES.includes(file.type);
    if (isPicture && picturesLeft === 0) {
      picturesOver++;
      continue;
    }
    const read = await readOne(file, newId);
    if (typeof read === 'string') result.problems.push(read);
    else result.attachments.push(read);
    if (isPicture && typeof read !== 'string') picturesLeft--;
  }
  if (picturesOver > 0) {
    const left = picturesOver === 1 ? 'the last one was' : `the last ${picturesOver} were`;
    result.problems.push(
      `A message can have at most ${MAX_PICTURES} pictures; ${left} left out. Send ${picturesOver === 1 ? 'it' : 'them'} in another message.`,
    );
  }
  return result;
}

async function readOne(file: File, newId: () => string): Promise<DraftAttachment | string> {
  const name = file.name || (file.type.startsWith('image/') ? 'pasted image' : 'pasted file');
  const image = IMAGE_TYPES.includes(file.type);
  const limit = image ? MAX_PICTURE_FILE_BYTES : MAX_TEXT_BYTES;
  if (file.type.startsWith('image/') && !image)
    return `“${name}” is not a supported image. Use PNG, JPEG, GIF or WebP.`;
  if (file.size > limit)
    return `“${name}” is ${formatBytes(file.size)}; the limit for ${image ? 'a picture' : 'a text file'} is ${formatBytes(limit)}.`;
  const base = { id: newId(), name: name.slice(0, 300) };
  try {
    const bytes = new Uint8Array(await file.arrayBuffer());
    if (image) {
      const fitted = await fitPicture(name, bytes);
      if (typeof fitted === 'string') return fitted;
      return { ...base, kind: 'image', mimeType: fitted.mimeType, data: toBase64(fitted.bytes) };
    }
    const text = decodeText(bytes);
    if (text === null) return `“${name}” is neither an image nor a text file.`;
    return { ...base, kind: 'text', mimeType: file.type.slice(0, 100) || 'text/plain', data: text };
  } catch {
    return `“${name}” couldn’t be read. It may be a folder, or it was moved.`;
  }
}

/** UTF-8 text without NUL characters, else null. */
function decodeText(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}

const CHUNK = 0x8000; // String.fromCharCode takes its characters as arguments: more overflow the stack

function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += CHUNK) binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(binary);
}

/** Adds files to the draft of a session; what can't be attached is said above the composer. */
export async function attachFiles(session: Pick<OpenSession, 'draft'>, files: readonly File[]): Promise<void> {
  if (files.length === 0) return;
  // One after the other: two pastes at once would both count what was there before them.
  const before = attaching.get(session.draft) ?? Promise.resolve();
  const now = before.then(() => attach(session, files));
  attaching.set(session.draft, now);
  await now;
}

const attaching = new WeakMap<DraftStore, Promise<void>>();

async function attach(session: Pick<OpenSession, 'draft'>, files: readonly File[]): Promise<void> {
  const { attachments: there } = session.draft.state.getState();
  const held = { files: there.length, pictures: there.filter(({ kind }) => kind === 'image').length };
  const read = await readFiles(files, held, () => crypto.randomUUID());
  // A text that was pasted meanwhile did not wait.
  const now = session.draft.state.getState().attachments;
  const added = read.attachments.slice(0, Math.max(0, MAX_ATTACHMENTS - now.length));
  const leftOut = read.leftOut + read.attachments.length - added.length;
  const problems = leftOut > 0 ? [tooMany(leftOut), ...read.problems] : read.problems;
  session.draft.set({
    attachments: [...now, ...added],
    problem: problems.length > 0 ? problems.join(' ') : null,
  });
}

function tooMany(leftOut: number): string {
  const last = leftOut === 1 ? 'The last one was' : `The last ${leftOut} were`;
  return `A message can have at most ${MAX_ATTACHMENTS} files. ${last} left out.`;
}
