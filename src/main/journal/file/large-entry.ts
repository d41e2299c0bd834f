import { setImmediate } from 'node:timers/promises';
import { isLong, jsonPieces, splitJson, type SplitJson } from '../../large-json';
import { crc32 } from './crc32';
import { isRecord } from '@shared/checks';
import type { SessionEntry } from '@shared/session/records/entry';
import { inKeyOrder } from '@shared/session/records/serialize-entry';

/** Entries with pictures or very long texts, written and weighed in pieces between which the thread does other work. */

/** A record from here on is copied, weighed and decoded in pieces. */
export const MANY_BYTES = 1024 * 1024;
/** Bytes that are copied or weighed at once. */
const CHUNK_BYTES = 1024 * 1024;

/** Whether an entry is better written with `writeLarge`. */
export function isLarge(entry: SessionEntry): boolean {
  const { message, content } = entry as { message?: unknown; content?: unknown };
  const blocks = isRecord(message) ? message.content : content;
  if (!Array.isArray(blocks)) return isLong(blocks);
  return blocks.some((block) => isRecord(block) && (isLong(block.data) || isLong(block.text)));
}

interface LargeLine {
  /** Its line as `serializeEntry` gives it. */
  line: string;
  /** What it was put together from. */
  pieces: readonly string[];
  /** The line with its newline, in UTF-8. */
  bytes: Buffer;
  /** The line with marks for its long strings: as good as the whole to see whether it can be read again. */
  skeleton: string;
  /** Puts the long strings back into what was read from the skeleton. */
  restore: (entry: SessionEntry) => SessionEntry;
}

/** Throws what `serializeEntry` throws. */
export async function writeLarge(entry: SessionEntry): Promise<LargeLine> {
  const split = splitJson(inKeyOrder(entry));
  let line = '';
  const pieces: string[] = [];
  const parts: Buffer[] = [];
  for (const text of jsonPieces(split)) {
    line += text;
    pieces.push(text);
    parts.push(Buffer.from(text, 'utf8'));
    await setImmediate();
  }
  const bytes = await concatInPieces([...parts, Buffer.from('\n')]);
  return { line, pieces, bytes, skeleton: split.skeleton, restore: (read) => withLong(read, split) as SessionEntry };
}

function withLong(value: unknown, split: SplitJson): unknown {
  const { mark, long } = split;
  if (typeof value === 'string')
    return value.startsWith(`${mark}:`) ? long[Number(value.slice(mark.length + 1))] : value;
  if (typeof value !== 'object' || value === null) return value;
  for (const [key, inner] of Object.entries(value)) {
    const whole = withLong(inner, split);
    if (whole !== inner) Object.defineProperty(value, key, { value: whole });
  }
  return value;
}

/** The parts as one. A copy of forty megabytes takes its time. */
export function joined(parts: readonly Buffer[]): Buffer | Promise<Buffer> {
  if (parts.length === 1 && parts[0]) return parts[0];
  return parts.some(({ length }) => length >= MANY_BYTES) ? concatInPieces(parts) : Buffer.concat(parts);
}

/** `Buffer.concat` of many bytes. */
export async function concatInPieces(parts: readonly Uint8Array[]): Promise<Buffer> {
  const whole = Buffer.allocUnsafe(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    for (let from = 0; from < part.length; from += CHUNK_BYTES) {
      const piece = part.subarray(from, from + CHUNK_BYTES);
      whole.set(piece, at);
      at += piece.length;
      if (piece.length === CHUNK_BYTES || at % CHUNK_BYTES < piece.length) await setImmediate();
    }
  }
  return whole;
}

/** `crc32` of many bytes. */
export async function crc32InPieces(bytes: Uint8Array, seed: number): Promise<number> {
  let crc = seed;
  for (let from = 0; from < bytes.length; from += CHUNK_BYTES) {
    crc = crc32(bytes, crc, from, Math.min(bytes.length, from + CHUNK_BYTES));
    await setImmediate();
  }
  return crc;
}

/** `decodeLine` of many bytes. */
export async function decodeInPieces(bytes: Uint8Array): Promise<string[]> {
  // A mark at the beginning is a character of the line, as it is for `Buffer.toString`.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const pieces: string[] = [];
  for (let from = 0; from < bytes.length; from += CHUNK_BYTES / 2) {
    pieces.push(decoder.decode(bytes.subarray(from, from + CHUNK_BYTES / 2), { stream: true }));
    await setImmediate();
  }
  pieces.push(decoder.decode());
  return pieces;
}
