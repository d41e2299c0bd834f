/** The amber of what waits, as in the window's dark theme, which is seen on light bars as well: blue, green, red. */
const AMBER = [0x5c, 0xb2, 0xe3] as const;

/** A filled circle on nothing, as Electron takes bitmaps: rows from the top, four bytes a pixel, colors multiplied by their alpha. */
export function dotBitmap(size: number): Buffer {
  const bytes = Buffer.alloc(size * size * 4);
  const middle = (size - 1) / 2;
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      // One pixel wide, the edge is soft.
      const alpha = Math.min(1, Math.max(0, size / 2 - Math.hypot(x - middle, y - middle)));
      const at = (y * size + x) * 4;
      AMBER.forEach((color, index) => bytes.writeUInt8(Math.round(color * alpha), at + index));
      bytes.writeUInt8(Math.round(255 * alpha), at + 3);
    }
  }
  return bytes;
}
