/** `[entry:<id>]`: 16 hex digits, the 8 of older entries, or a UUID (SF5). Split by it, a text is text and id in turn. */
export const REFERENCE = /\[entry:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16}|[0-9a-f]{8})\]/g;

/** How many references a text holds; each is drawn as a button with a picture. */
export function countReferences(text: string): number {
  return text.includes('[entry:') ? (text.match(REFERENCE)?.length ?? 0) : 0;
}

/** The text in pieces of at most so many references. Put together they are the text. */
export function partsOfReferences(text: string, most: number): string[] {
  if (!text.includes('[entry:')) return [text];
  const parts: string[] = [];
  let [from, count] = [0, 0];
  for (const { index, 0: found } of text.matchAll(REFERENCE)) {
    count += 1;
    if (count < most) continue;
    parts.push(text.slice(from, index + found.length));
    [from, count] = [index + found.length, 0];
  }
  return from < text.length ? [...parts, text.slice(from)] : parts;
}
