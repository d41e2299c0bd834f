/** Makes an attached picture one that every provider takes and a session keeps (docs/specs/safety.md A7). */
import { pictureFacts, type PictureFacts } from '@shared/picture-facts';
import { MAX_PICTURE_BYTES, MAX_PICTURE_PIXELS } from '@shared/record-limits';
import { formatBytes } from '../../state/format';

export interface FittedPicture {
  mimeType: string;
  bytes: Uint8Array;
}

/** Longest side of a picture that was made smaller, in pixels: no provider looks at more. */
const LONGEST_SIDE = 2048;
/** Each further try has so much of the sides of the one before. */
const STEP = 0.7;
const MAX_TRIES = 8;
const QUALITY = 0.85;
const MEGA = 1_000_000;

/**
 * The picture as it is if it is small enough, else scaled down with its aspect kept. Decoding, scaling and encoding happen
 * beside the page's own thread.
 * @returns a sentence for the person if it can't be attached
 */
export async function fitPicture(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<FittedPicture | string> {
  const facts = pictureFacts(bytes);
  if (!facts) return `“${name}” can’t be read as a picture. Save it as PNG, JPEG or WebP and attach it again.`;
  const { mimeType, width, height, isAnimated } = facts;
  const pixels = width * height;
  if (pixels > MAX_PICTURE_PIXELS) {
    const most = MAX_PICTURE_PIXELS / MEGA;
    return `“${name}” has ${Math.round(pixels / MEGA)} megapixels; the limit is ${most}. Attach a smaller copy.`;
  }
  const isSmall = bytes.length <= MAX_PICTURE_BYTES;
  if (isSmall && isAnimated) return { mimeType, bytes };
  if (isAnimated) {
    const limit = formatBytes(MAX_PICTURE_BYTES);
    return `“${name}” is an animation of ${formatBytes(bytes.length)}; the limit for animations is ${limit}. Attach a single frame of it.`;
  }
  try {
    const source = new Blob([bytes], { type: mimeType });
    // Decoded even if it is small: what can't be decoded would be refused by the model, at every request from then on.
    if (isSmall) {
      (await createImageBitmap(source)).close();
      return { mimeType, bytes };
    }
    return (await shrink(source, facts)) ?? `“${name}” couldn’t be made smaller. Attach a smaller copy.`;
  } catch {
    return `“${name}” is damaged and can’t be opened. Save it again and attach the new file.`;
  }
}

async function shrink(source: Blob, { mimeType, width, height }: PictureFacts): Promise<FittedPicture | null> {
  let scale = Math.min(1, LONGEST_SIDE / Math.max(width, height));
  for (let tries = 0; tries < MAX_TRIES; tries++, scale *= STEP) {
    // The decoder keeps the aspect, and knows of photos that stand on their side.
    const resizeWidth = Math.max(1, Math.round(width * scale));
    const small = await createImageBitmap(source, { resizeWidth, resizeQuality: 'high' });
    const fitted = await encode(small, mimeType);
    if (fitted) return fitted;
  }
  return null;
}

/** A screenshot stays sharp as PNG where it fits; WebP keeps what is transparent; photos stay JPEG. */
async function encode(picture: ImageBitmap, mimeType: string): Promise<FittedPicture | null> {
  const canvas = new OffscreenCanvas(picture.width, picture.height);
  canvas.getContext('bitmaprenderer')?.transferFromImageBitmap(picture);
  const types =
    mimeType === 'image/jpeg' ? [mimeType] : mimeType === 'image/png' ? [mimeType, 'image/webp'] : ['image/webp'];
  for (const type of types) {
    const blob = await canvas.convertToBlob({ type, quality: QUALITY });
    if (blob.size > MAX_PICTURE_BYTES) continue;
    return { mimeType: blob.type, bytes: new Uint8Array(await blob.arrayBuffer()) };
  }
  return null;
}
