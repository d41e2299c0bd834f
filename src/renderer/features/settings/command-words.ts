/**
 * The words of a command line as a person types it: blanks part them, single and double quotes and a backslash keep them. Nothing is
 * expanded. @throws RangeError for the person
 */
export function splitCommand(line: string): string[] {
  const words: string[] = [];
  let word: string | null = null;
  let quote = '';
  for (let at = 0; at < line.length; at++) {
    const char = line[at] ?? '';
    if (quote !== '') {
      if (char === quote) quote = '';
      else word = (word ?? '') + char;
    } else if (char === '"' || char === "'") {
      quote = char;
      word ??= '';
    } else if (char === '\\' && at + 1 < line.length && /[\s"'\\]/.test(line[at + 1] ?? '')) {
      word = (word ?? '') + (line[++at] ?? '');
    } else if (/\s/.test(char)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? '') + char;
  }
  if (quote !== '') throw new RangeError(`A quote is not closed: ${quote}`);
  if (word !== null) words.push(word);
  return words;
}

/** Names and values, one pair a line. @throws RangeError for the person */
export function readPairs(text: string, between: '=' | ':'): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const pairs = lines.map((line) => {
    const at = line.indexOf(between);
    if (at < 1) throw new RangeError(`“${line.trim().slice(0, 40)}” has no “${between}” in it.`);
    return [line.slice(0, at).trim(), line.slice(at + 1).trim()] as const;
  });
  return Object.fromEntries(pairs);
}
