import { NotASessionFileError } from '@shared/session/errors';
import type { JournalFs } from './fs';
import { NoJournalError, UNREADABLE } from './session-error';

/** Bytes at the beginning of a file that tell what it is. */
const HEAD = 512;
const SIGNATURES: readonly [RegExp, string][] = [
  [/^\x89PNG/, 'a picture (PNG)'],
  [/^\xff\xd8\xff/, 'a picture (JPEG)'],
  [/^GIF8/, 'a picture (GIF)'],
  [/^RIFF.{4}WEBP/s, 'a picture (WebP)'],
  [/^%PDF/, 'a PDF'],
  [/^PK\x03\x04/, 'an archive (ZIP)'],
  [/^\x1f\x8b/, 'an archive (gzip)'],
  [/^SQLite format 3\0/, 'a database'],
];

/** What a file among the journals is that is no session, in two or three words; undefined if `error` does not say that it is none. */
export async function whatInstead(fs: JournalFs, path: string, error: unknown): Promise<string | undefined> {
  // What may not be opened may be a session.
  if (error instanceof NoJournalError) return error.what === UNREADABLE ? undefined : error.what;
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof NotASessionFileError)) return undefined;
  try {
    const file = await fs.open(path, 'read');
    try {
      const buffer = Buffer.alloc(HEAD);
      return whatIs(buffer.subarray(0, await file.read(buffer, 0)));
    } finally {
      await file.close();
    }
  } catch {
    return 'a file that can’t be read';
  }
}

/** By its first bytes. */
function whatIs(head: Buffer): string {
  const bytes = head.toString('latin1');
  const known = SIGNATURES.find(([pattern]) => pattern.test(bytes));
  if (known) return known[1];
  // The cut may go through a character.
  const text = new TextDecoder('utf-8').decode(head, { stream: true });
  if (/[\0\ufffd]/.test(text)) return 'binary data';
  return /^\s*[[{]/.test(text) ? 'JSON of another kind' : 'plain text';
}
