/** Width and height of a picture, read from its first bytes: what it would cost to decode is known before it is done. */
export interface PixelSize {
  width: number;
  height: number;
}

/** Pictures of more pixels are not decoded: 40 million take 160 MB. */
export const MAX_PIXELS = 40_000_000;

/** The size of a PNG, JPEG, GIF or WebP; null if the bytes are none of them or end too early. Never throws. */
export function pixelSize(bytes: Uint8Array): PixelSize | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const size = png(view) ?? gif(view) ?? webp(view) ?? jpeg(view);
    return size && size.width > 0 && size.height > 0 ? size : null;
  } catch {
    // Beyond the end of the bytes.
    return null;
  }
}

/** The same for a picture in base64, of which only the beginning is decoded. */
export function pixelSizeOfBase64(data: string): PixelSize | null {
  for (const characters of [64, 400_000]) {
    const head = data.slice(0, characters);
    const size = pixelSize(decode(head.slice(0, head.length - (head.length % 4))));
    if (size) return size;
  }
  return null;
}

function decode(base64: string): Uint8Array {
  try {
    const text = atob(base64);
    return Uint8Array.from(text, (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

function png(view: DataView): PixelSize | null {
  if (view.getUint32(0) !== 0x89504e47 || view.getUint32(4) !== 0x0d0a1a0a || view.getUint32(12) !== 0x49484452)
    return null;
  return { width: view.getUint32(16), height: view.getUint32(20) };
}

function gif(view: DataView): PixelSize | null {
  if (view.getUint32(0) !== 0x47494638) return null;
  return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
}

function webp(view: DataView): PixelSize | null {
  if (view.getUint32(0) !== 0x52494646 || view.getUint32(8) !== 0x57454250) return null;
  const kind = view.getUint32(12);
  if (kind === 0x56503858) return { width: uint24(view, 24) + 1, height: uint24(view, 27) + 1 };
  if (kind === 0x5650384c) {
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (kind === 0x56503820)
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  return null;
}

const uint24 = (view: DataView, at: number): number => view.getUint16(at, true) | (view.getUint8(at + 2) << 16);

/** Walks the segments up to the frame header. */
function jpeg(view: DataView): PixelSize | null {
  if (view.getUint16(0) !== 0xffd8) return null;
  let at = 2;
  for (;;) {
    if (view.getUint8(at) !== 0xff) return null;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    if (marker === 0xda || marker === 0xd9) return null;
    const length = view.getUint16(at + 2);
    if (length < 2) return null;
    at += 2 + length;
  }
}
