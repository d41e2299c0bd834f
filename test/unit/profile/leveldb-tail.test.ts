import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findWholeEnd, repairIndexedDbTails } from '../../../src/main/profile/leveldb-tail';

const BLOCK = 32_768;

/** Writes records as LevelDB's log writer does; returns the bytes and where each record ends. */
function writeLog(sizes: readonly number[]): { bytes: Buffer; ends: number[] } {
  const parts: Buffer[] = [];
  const ends: number[] = [];
  let at = 0;
  const put = (part: Buffer): void => {
    parts.push(part);
    at += part.length;
  };
  for (const size of sizes) {
    let left = size;
    let first = true;
    do {
      const room = BLOCK - (at % BLOCK);
      if (room < 7) {
        put(Buffer.alloc(room));
        continue;
      }
      const take = Math.min(left, room - 7);
      const last = take === left;
      const header = Buffer.alloc(7);
      header.writeUInt32LE(0xdeadbeef, 0);
      header.writeUInt16LE(take, 4);
      header[6] = first && last ? 1 : first ? 2 : last ? 4 : 3;
      put(header);
      put(Buffer.alloc(take, 0x61));
      left -= take;
      first = false;
      if (last) break;
    } while (left >= 0);
    ends.push(at);
  }
  return { bytes: Buffer.concat(parts), ends };
}

describe('SY6: the tail of a LevelDB log', () => {
  it('is left alone when the last record is whole', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 90_000 }), { maxLength: 12 }), (sizes) => {
        const { bytes } = writeLog(sizes);
        expect(findWholeEnd(bytes)).toBe(bytes.length);
      }),
    );
  });

  it('is cut to the last whole record, wherever it was torn', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 90_000 }), { minLength: 1, maxLength: 6 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (sizes, share) => {
          const { bytes, ends } = writeLog(sizes);
          const cut = Math.floor(bytes.length * share);
          const whole = Math.max(0, ...ends.filter((end) => end <= cut));
          const found = findWholeEnd(bytes.subarray(0, cut));
          // Zero padding at the end of a block belongs to no record and may stay.
          expect(found).toBeGreaterThanOrEqual(whole);
          expect(found - whole).toBeLessThan(7);
          expect(findWholeEnd(bytes.subarray(0, found))).toBe(found);
        },
      ),
    );
  });

  it.each([3, 7, 207])('of %i torn bytes is cut on disk, once', async (torn) => {
    const profile = await mkdtemp(join(tmpdir(), 'espalier-profile-'));
    const folder = join(profile, 'IndexedDB', 'app_app_0.indexeddb.leveldb');
    await mkdir(folder, { recursive: true });
    const { bytes } = writeLog([100, 40_000, 20]);
    const next = writeLog([60_000]).bytes.subarray(0, torn);
    await writeFile(join(folder, '000003.log'), Buffer.concat([bytes, next]));
    await writeFile(join(folder, 'CURRENT'), 'MANIFEST-000001\n');
    expect(await repairIndexedDbTails(profile)).toEqual([{ file: join(folder, '000003.log'), cutBytes: torn }]);
    expect(Buffer.compare(await readFile(join(folder, '000003.log')), bytes)).toBe(0);
    expect(await repairIndexedDbTails(profile)).toEqual([]);
  });

  it('is no matter where there is no database yet', async () => {
    expect(await repairIndexedDbTails(await mkdtemp(join(tmpdir(), 'espalier-empty-')))).toEqual([]);
  });
});
