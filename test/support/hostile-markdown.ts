/** Texts that a reader of markdown could choke on, each as long as it is asked for. */
const UNITS = [
  '*_a', '_*a', '*_a*', '*a ', '**a ', '*a **a ', '_a ', '~~a ', '~a', '`a', '`', '``a ', '[', ']', '[]', '[a', '![', '![](', '[a](', '[a](<b', '[a][',
  '[^1]', '[^1]: ', '<', '<a ', '<!--', '<?', '<![CDATA[', '<a href="', '</', '&', '&#', '&amp;', 'http://', 'https://a', 'www.', 'www.a.', 'a@', 'a@b.',
  'a.b@c.d ', 'a', 'a_', '_', '*', '**', '\\', '\\*', '|', '|a', '| a | b |\n', 'a|b\n-|-\n', '- ', '- a\n', '* a\n', '1. ', '1. a\n', '> ', '> a\n',
  '>', '- - ', '- - - -\n', '+ ', '# ', '# a\n', '===\n', 'a\n===\n', '---\n', 'a\n', '\n', 'a\n\n', ' ', '    a\n', '\t', '```', '```\n', '```js\na\n```\n',
  '~~~\n', '$', '$a', '$a$ ', '$$', '$$a', '$$a$$\n\n', '\\(', '\\[', '\\(a', '$\\$', '[a]: b\n', '[a]: b\n\n', '[a]: <', '[a]: b "', '"', '(', 'a(', ')', '!',
  '![a]', '<div>\n', '<div>', '<script>', '<pre>\n', '-', '=', ':', '|-', '- [ ] a\n', '  - a\n', '- a\n\n', '> - ', '> - a\n', '1) ', '0', '\u00a0', '  \n',
  '\\\n', 'a  \n', '***', '***a', '_*', '_*a ', '*_', '**a*', 'a**b*', 'ab*', 'http://a.b/(', '<a@', '<a:b>', '[[', '[]()', '[](', '[a]()', '![a](b) ', '*a* ',
  '**b** ', '`c` ', '[l](u) ', '~~~a\n```\n', '[entry:00000000]', '\u200b', '\u202e', '😀', '\ud800', '\r', '\r\n', '\u2028', 'word ', 'Some words.\n\n',
  '\u0000', '\ufffd', '\udc00', 'e\u0301', '\u0301', 'a\u0336\u20dd', '👨‍👩‍👧‍👦', 'مر ', '# h\n', 'a\r', 'aก', 'ก\u0378', '漢a', '한漢', 'а😀ก漢', '\u{12000}\u{13000}', '$ༀកႠඅကກሀᎠ$ ',
]; // prettier-ignore

export interface HostileText {
  name: string;
  text: string;
}

/** One text for each delimiter and their mixtures, and for each kind of nesting. `size`: characters. */
export function hostileMarkdown(size: number): HostileText[] {
  const fill = (unit: string, length = size): string => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
  const repeated = UNITS.map((unit) => ({ name: `${JSON.stringify(unit)} repeated`, text: fill(unit) }));
  const led = LED.map(([first, rest]) => ({
    name: `${JSON.stringify(first)}, then ${JSON.stringify(rest)} repeated`,
    text: first + fill(rest, size - first.length),
  }));
  return [...repeated, ...led, ...nestings(size)];
}

const LED: readonly (readonly [string, string])[] = [
  ['*', 'a '], ['**', 'a '], ['[', 'a '], ['![', 'a'], ['`', 'a'], ['<', 'a'], ['[a](', 'a'], ['[a](b "', 'a'], ['<!--', 'a'], ['- ', 'a\n'], ['> ', 'a\n'],
  ['$', 'a '], ['$$', 'a\n'], ['$$', 'ༀកႠඅကກሀᎠ'], ['[a]: ', 'a'], ['|a|\n|-|\n', '|a|\n'], ['|a|\n|-|\n', '|a*|b|c|d|e|f\n'], ['- a\n', '  b\n'], ['- a\n', '\n'], ['> a\n', '> '],
  ['1. a\n', '   - b\n'], ['```\n', 'a'], ['```\n', 'a\n'], ['```js\n', 'let a = `${b}`;\n'], ['```js\n', '/'], ['```mermaid\n', 'a-->b\n'], ['    ', 'a'],
  ['<div>\n', '<div>\n'], ['- ```\n', '  a\n'], ['> ```\n', '> a\n'], ['a\n', '===='], ['| a |\n', '|---'],
]; // prettier-ignore

function nestings(size: number): HostileText[] {
  const indented = (mark: string, step: number): string => {
    let text = '';
    for (let depth = 0; text.length < size; depth++) text += `${' '.repeat(depth * step)}${mark}a\n`;
    return text.slice(0, size);
  };
  const wrapped = (open: string, close: string): string => {
    const times = Math.floor(size / (open.length + close.length + 1));
    return `${open.repeat(times)}a${close.repeat(times)}`;
  };
  const columns = Math.floor(size / 8);
  return [
    { name: 'lists in lists, by indentation', text: indented('- ', 2) },
    { name: 'numbered lists in lists, by indentation', text: indented('1. ', 3) },
    { name: 'lists in lists, on one line', text: `${'- '.repeat(size / 2)}a` },
    { name: 'quotes in quotes, on one line', text: `${'> '.repeat(size / 2)}a` },
    { name: 'lists in quotes, on one line', text: `${'> - '.repeat(size / 4)}a` },
    { name: 'quotes growing line by line', text: Array.from({ length: Math.floor(Math.sqrt(size)) }, (_, n) => `${'>'.repeat(n)} a`).join('\n') },
    { name: 'emphasis in emphasis', text: wrapped('*a **b ', '** *') },
    { name: 'links in links', text: wrapped('[a ', '](b)') },
    { name: 'pictures in links', text: wrapped('[![a', '](b)](c)') },
    { name: 'brackets in formulas', text: `$$${wrapped('{', '}')}$$` },
    { name: 'a table of many columns', text: `|${'a|'.repeat(columns)}\n|${'-|'.repeat(columns)}\n${'|b\n'.repeat(200)}` },
    { name: 'a table of many short rows', text: `|${'a|'.repeat(60)}\n|${'-|'.repeat(60)}\n${'|\n'.repeat(size / 2)}` },
    { name: 'many definitions', text: Array.from({ length: Math.floor(size / 14) }, (_, n) => `[a${n}]: b${n}\n`).join('\n') },
    { name: 'references before their definitions', text: `${fillReferences(size)}\n\n[a]: https://a.example/\n` },
  ]; // prettier-ignore
}

function fillReferences(size: number): string {
  return '[a] '.repeat(Math.floor(size / 4));
}
