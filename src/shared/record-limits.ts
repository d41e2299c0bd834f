/** Limits of what goes into a session file, in one place for composer, main and reader (docs/specs/safety.md A7). */

import { MAX_IMAGE_BYTES } from './limits';

/** A longer id of an entry is not a name for anything: it would stand in every index, row and request. Characters. */
export const MAX_ID_LENGTH = 200;

/** A record that we write: larger ones are refused before anything is accepted. Bytes of its line. */
export const MAX_RECORD_BYTES = 48 * 1024 * 1024;

/**
 * A line that is read. More is kept and reported, not parsed: it would hold the process up for seconds. The distance to
 * `MAX_RECORD_BYTES` is for records of other writers, and so that nothing we accepted is ever beyond what we read.
 */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** Pictures attached to one message: with their text they stay below what the strictest provider takes in one request. */
export const MAX_PICTURES = 8;

/** Bytes of an attached picture: what no provider refuses. The window scales larger ones down. */
export const MAX_PICTURE_BYTES = MAX_IMAGE_BYTES;

/** Base64 characters of that many bytes. */
export const MAX_PICTURE_CHARS = Math.ceil(MAX_PICTURE_BYTES / 3) * 4;

/** Pixels of a picture that is decoded: 160 MB in memory. A file of a few kilobytes can claim a hundred times as many. */
export const MAX_PICTURE_PIXELS = 40_000_000;
