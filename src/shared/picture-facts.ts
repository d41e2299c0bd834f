/** What the first bytes of a picture say of it, so that nothing is decoded that is too large, moves or is not a picture. */
export interface PictureFacts {
  mimeType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
  /** Pixels. */
  width: number;
  height: number;
  /** More than one frame. */
  isAnimated: boolean;
}

/** The facts of a PNG, JPEG, GIF or WebP, or null for anything else. Decodes nothing, never throws. O(blocks of the file). */
export function pictureFacts(bytes: Uint8Array): PictureFacts | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const facts = pngFacts(view) ?? gifFacts(view) ?? webpFacts(view) ?? jpegFacts(view);
    return facts && facts.width > 0 && facts.height > 0 ? facts : null;
  } catch {
    // A view throws where a file ends too early.
    return null;
  }
}

/** The same for a picture in base64, of which only the beginning is decoded: whether it is animated may not be known from that. */
export function pictureFactsOfBase64(data: string): PictureFacts | null {
  for (const characters of [64, 400_000]) {
    const head = data.slice(0, characters);
    const facts = pictureFacts(decode(head.slice(0, head.length - (head.length % 4))));
    if (facts) return facts;
  }
  return null;
}

function decode(base64: string): Uint8Array {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

function nameAt(view: DataView, at: number, length: number): string {
  let name = '';
  for (let i = 0; i < length; i++) name += String.fromCharCode(view.getUint8(at + i));
  return name;
}

function pngFacts(view: DataView): PictureFacts | null {
  if (view.byteLength < 33 || view.getUint32(0) !== 0x89504e47 || nameAt(view, 12, 4) !== 'IHDR') return null;
  let isAnimated = false;
  // What tells of frames stands before the first data.
  for (let at = 8; at + 12 <= view.byteLength;) {
    const type = nameAt(view, at + 4, 4);
    if (type === 'IDAT') break;
    if (type === 'acTL') isAnimated = view.getUint32(at + 8) > 1;
    at += 12 + view.getUint32(at);
  }
  return { mimeType: 'image/png', width: view.getUint32(16), height: view.getUint32(20), isAnimated };
}

/** The screen, and the frames that are there: a decoder makes a first frame that is larger the size of the whole. */
function gifFacts(view: DataView): PictureFacts | null {
  if (view.byteLength < 13 || !/^GIF8[79]a$/.test(nameAt(view, 0, 6))) return null;
  let [width, height] = [view.getUint16(6, true), view.getUint16(8, true)];
  let frames = 0;
  for (let at = 13 + colours(view.getUint8(10)); frames < 2;) {
    const kind = at < view.byteLength || frames === 0 ? view.getUint8(at) : 0;
    if (kind === 0x2c) {
      frames += 1;
      width = Math.max(width, view.getUint16(at + 1, true) + view.getUint16(at + 5, true));
      height = Math.max(height, view.getUint16(at + 3, true) + view.getUint16(at + 7, true));
      at = afterBlocks(view, at + 11 + colours(view.getUint8(at + 9)));
    } else if (kind === 0x21) at = afterBlocks(view, at + 2);
    else break;
  }
  return frames === 0 ? null : { mimeType: 'image/gif', width, height, isAnimated: frames > 1 };
}

/** Bytes of a colour table that a packed field announces. */
function colours(packed: number): number {
  return packed & 0x80 ? 3 << ((packed & 7) + 1) : 0;
}

/** Where the blocks of data end; beyond the end of the bytes if these are only the beginning of a file. */
function afterBlocks(view: DataView, start: number): number {
  let at = start;
  while (at < view.byteLength) {
    const size = view.getUint8(at);
    at += size + 1;
    if (size === 0) break;
  }
  return at;
}

function webpFacts(view: DataView): PictureFacts | null {
  if (view.byteLength < 30 || nameAt(view, 0, 4) !== 'RIFF' || nameAt(view, 8, 4) !== 'WEBP') return null;
  const webp = (width: number, height: number, isAnimated = false): PictureFacts => ({
    mimeType: 'image/webp',
    ...{ width, height, isAnimated },
  });
  const uint24 = (at: number): number => view.getUint16(at, true) + (view.getUint8(at + 2) << 16);
  switch (nameAt(view, 12, 4)) {
    case 'VP8X':
      return webp(uint24(24) + 1, uint24(27) + 1, (view.getUint8(20) & 0x02) !== 0);
    case 'VP8L': {
      const bits = view.getUint32(21, true);
      return webp((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
    }
    case 'VP8 ':
      return webp(view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff);
    default:
      return null;
  }
}

/** Markers of a frame header: SOF0 to SOF15 without tables and extensions. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

function jpegFacts(view: DataView): PictureFacts | null {
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8) return null;
  for (let at = 2; at + 9 <= view.byteLength;) {
    if (view.getUint8(at) !== 0xff) return null;
    const marker = view.getUint8(at + 1);
    if (isFrame(marker)) {
      const [height, width] = [view.getUint16(at + 5), view.getUint16(at + 7)];
      return { mimeType: 'image/jpeg', width, height, isAnimated: false };
    }
    // The data begin, or the file ends, without a frame.
    if (marker === 0xda || marker === 0xd9) return null;
    // Fill bytes and markers without a length.
    if (marker === 0xff) at += 1;
    else if (marker >= 0xd0 && marker <= 0xd8) at += 2;
    else at += 2 + view.getUint16(at + 2);
  }
  return null;
}
