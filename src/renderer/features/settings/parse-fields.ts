/** The number that a text is, null if it is empty; what is not a number stays a text and is refused with its bound. */
export function toNumber(text: string): number | string | null {
  const plain = text.replace(/[\s,_]/g, '');
  if (plain === '') return null;
  return /^-?\d{1,15}(\.\d+)?$/.test(plain) ? Number(plain) : text;
}

/** The lines that hold anything. */
export function toLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
}
