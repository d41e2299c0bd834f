/** Pictures made byte by byte: only the parts that a reader of their size looks at, `noisePng` apart, which can be drawn. */
import { deflateSync } from 'node:zlib';
import { crc32 } from '../../src/main/journal/file/crc32';

const name = (text: string): number[] => [...text].map((letter) => letter.charCodeAt(0));
const uint32 = (value: number): number[] => [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff);
const uint16le = (value: number): number[] => [value & 0xff, value >>> 8];

/** A PNG chunk with its check. */
export function chunk(type: string, data: readonly number[]): Uint8Array {
  const body = Uint8Array.from([...name(type), ...data]);
  return Uint8Array.from([...uint32(data.length), ...body, ...uint32(crc32(body))]);
}

/** A PNG of some size whose picture is missing. */
export function png(width: number, height: number, more: readonly Uint8Array[] = []): Uint8Array<ArrayBuffer> {
  const head = chunk('IHDR', [...uint32(width), ...uint32(height), 8, 6, 0, 0, 0]);
  const parts = [
    Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10),
    head,
    ...more,
    chunk('IDAT', []),
    chunk('IEND', []),
  ];
  return new Uint8Array(Buffer.concat(parts));
}

/** A PNG that can be drawn and not be compressed: noise. */
export function noisePng(width: number, height: number): Buffer {
  const rows = Buffer.alloc((width * 3 + 1) * height);
  let state = 1;
  for (let at = 0; at < rows.length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    rows[at] = at % (width * 3 + 1) === 0 ? 0 : state >>> 24;
  }
  const data = deflateSync(rows, { level: 0 });
  const block = (type: string, body: Uint8Array): Buffer => {
    const named = Buffer.concat([Buffer.from(type, 'latin1'), body]);
    return Buffer.concat([Buffer.from(uint32(body.length)), named, Buffer.from(uint32(crc32(named)))]);
  };
  const head = Uint8Array.from([...uint32(width), ...uint32(height), 8, 2, 0, 0, 0]);
  const signature = Buffer.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10);
  return Buffer.concat([signature, block('IHDR', head), block('IDAT', data), block('IEND', new Uint8Array())]);
}

/** A JPEG of some size whose picture is missing. */
export function jpeg(width: number, height: number): Uint8Array<ArrayBuffer> {
  const size = [height >>> 8, height & 0xff, width >>> 8, width & 0xff];
  return Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 1, 0xff, 0xff, 0xc0, 0, 11, 8, ...size, 1, 1, 0x11, 0]);
}

/** A GIF with so many frames of its size, or of another. */
export function gif(
  width: number,
  height: number,
  frames: number,
  [frameWidth, frameHeight] = [width, height],
): Uint8Array<ArrayBuffer> {
  const table = [0x80, 0, 0, 0, 0, 0, 255, 255, 255];
  const control = [0x21, 0xf9, 4, 0, 10, 0, 0, 0];
  const frame = [...control, 0x2c, 0, 0, 0, 0, ...uint16le(frameWidth), ...uint16le(frameHeight), 0, 2, 2, 0x4c, 1, 0];
  const body = Array.from({ length: frames }, () => frame).flat();
  return Uint8Array.from([...name('GIF89a'), ...uint16le(width), ...uint16le(height), ...table, ...body, 0x3b]);
}

/** An extended WebP of some size whose picture is missing. */
export function webp(width: number, height: number, isAnimated: boolean): Uint8Array<ArrayBuffer> {
  const uint24 = (value: number): number[] => [value & 0xff, (value >>> 8) & 0xff, value >>> 16];
  const head = [isAnimated ? 2 : 0, 0, 0, 0, ...uint24(width - 1), ...uint24(height - 1)];
  return Uint8Array.from([...name('RIFF'), 22, 0, 0, 0, ...name('WEBPVP8X'), 10, 0, 0, 0, ...head]);
}
