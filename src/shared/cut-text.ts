/** The first `head` and the last `tail` characters of a longer text, and how many are missing between; never inside a surrogate pair. */
export function endsOf(text: string, head: number, tail: number): { head: string; missing: number; tail: string } {
  const to = isHigh(text.charCodeAt(head - 1)) ? head - 1 : head;
  const at = text.length - tail;
  const from = tail > 0 && isHigh(text.charCodeAt(at - 1)) ? at + 1 : at;
  return { head: text.slice(0, to), missing: from - to, tail: text.slice(from) };
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
