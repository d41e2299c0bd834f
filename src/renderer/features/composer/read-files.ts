/** Turns files that a person pastes, drops or picks into attachments, or says why not. */
import type { DraftAttachment } from '../../state/local-store';
import { formatBytes } from '../../state/format';

/** What Anthropic accepts for one image; other providers take as much or more. */
export const MAX_IMAGE_BYTES = 5 * 1024 * 1024;
/** About 250,000 tokens: more fits into no window that is worth filling with one file. */
export const MAX_TEXT_BYTES = 1024 * 1024;
/** The contract's bound. */
export const MAX_ATTACHMENTS = 20;

const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

export interface ReadFiles {
  attachments: DraftAttachment[];
  problems: string[];
}

/** Reads the files in order; `held` is how many are attached already. */
export async function readFiles(files: readonly File[], held: number, newId: () => string): Promise<ReadFiles> {
  const result: ReadFiles = { attachments: [], problems: [] };
  const room = Math.max(0, MAX_ATTACHMENTS - held);
  if (files.length > room) {
    result.problems.push(
      `A message takes ${MAX_ATTACHMENTS} files at most; the last ${files.length - room} were left out.`,
    );
  }
  for (const file of files.slice(0, room)) {
    const read = await readOne(file, newId);
    if (typeof read === 'string') result.problems.push(read);
    else result.attachments.push(read);
  }
  return result;
}

async function readOne(file: File, newId: () => string): Promise<DraftAttachment | string> {
  const name = file.name || (file.type.startsWith('image/') ? 'pasted image' : 'pasted file');
  const image = IMAGE_TYPES.includes(file.type);
  const limit = image ? MAX_IMAGE_BYTES : MAX_TEXT_BYTES;
  if (file.type.startsWith('image/') && !image)
    return `“${name}” is no image that models read. Use PNG, JPEG, GIF or WebP.`;
  if (file.size > limit)
    return `“${name}” has ${formatBytes(file.size)}; ${image ? 'an image' : 'a text file'} may have ${formatBytes(limit)}.`;
  const base = { id: newId(), name: name.slice(0, 300) };
  try {
    const bytes = new Uint8Array(await file.arrayBuffer());
    if (image) return { ...base, kind: 'image', mimeType: file.type, data: toBase64(bytes) };
    const text = decodeText(bytes);
    if (text === null) return `“${name}” is neither an image nor a text file.`;
    return { ...base, kind: 'text', mimeType: file.type.slice(0, 100) || 'text/plain', data: text };
  } catch {
    return `“${name}” could not be read. Is it a folder, or was it moved?`;
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
