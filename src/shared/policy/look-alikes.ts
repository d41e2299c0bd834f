/**
 * Characters that look like others: a Cyrillic а in a Latin name, a slash that is none. They are drawn as they are, since
 * people write in their own scripts; a sentence says where a name is not what it seems (docs/specs/safety.md C1).
 */

/**
 * - `path`: a name that is opened or written: every look-alike is told.
 * - `command`: a shell text, with prose in its quotes: signs are told beside Latin letters only.
 * - `content`: a file, a message: only words that mix scripts.
 */
export type LookAlikePlace = 'path' | 'command' | 'content';

/** Letters of other scripts that most fonts draw like a Latin one. */
const LETTERS = new Map<string, string>(
  Object.entries({
    a: 'аɑα',
    b: 'Ьƅ',
    c: 'сϲᴄⅽ',
    d: 'ԁɗⅾ',
    e: 'еєҽ',
    g: 'ɡց',
    h: 'һհ',
    i: 'іıιⅰ',
    j: 'јϳ',
    k: 'кκ',
    l: 'ӏⅼǀ',
    m: 'ⅿм',
    n: 'ոп',
    o: 'оοօ',
    p: 'рρ',
    q: 'ԛգ',
    r: 'гᴦ',
    s: 'ѕꜱ',
    t: 'τт',
    u: 'υսцᴜ',
    v: 'νѵⅴ',
    w: 'ԝѡա',
    x: 'хχⅹ',
    y: 'уүγ',
    z: 'ᴢ',
    A: 'АΑ',
    B: 'ВΒ',
    C: 'СϹⅭ',
    D: 'Ⅾ',
    E: 'ЕΕ',
    F: 'Ϝ',
    G: 'Ԍ',
    H: 'НΗ',
    I: 'ІΙӀⅠ',
    J: 'Ј',
    K: 'КΚK',
    L: 'Ⅼ',
    M: 'МΜⅯ',
    N: 'Ν',
    O: 'ОΟՕ',
    P: 'РΡ',
    S: 'ЅՏ',
    T: 'ТΤ',
    V: 'ѴⅤ',
    W: 'Ԝ',
    X: 'ХΧⅩ',
    Y: 'ҮΥ',
    Z: 'Ζ',
  }).flatMap(([latin, others]) => [...others].map((other): [string, string] => [other, latin])),
);

/** Signs that look like one that a shell or a path gives a meaning to. */
const SIGNS = new Map<string, string>(
  Object.entries({
    '/': '⁄∕／⧸╱᜵',
    '\\': '＼∖⧵﹨',
    '.': '․．﹒',
    '..': '‥',
    ':': '：꞉∶ː',
    ';': '；\u037e',
    '-': '‐‑−－‒–—',
    '|': '｜∣￨│',
    '&': '＆﹠',
    '~': '～∼˜',
    '*': '＊∗⁎',
    '?': '？',
    $: '＄﹩',
    '`': '｀ˋ\u1fef',
    '"': '＂“”„',
    "'": '＇‘’ʼ',
    '>': '＞›',
    '<': '＜‹',
    '=': '＝꞊',
    '#': '＃',
    '!': '！ǃ',
    '(': '（',
    ')': '）',
    _: '＿',
    '@': '＠',
    '%': '％٪',
  }).flatMap(([ascii, others]) => [...others].map((other): [string, string] => [other, ascii])),
);

const OTHER = /[^\x00-\x7f]/;
const LATIN = /[A-Za-z]/;
const WORD = /[\p{L}\p{M}\p{N}_]+/gu;
const FULLWIDTH = /[\uff01-\uff5e]/;
/** Words and signs that are told of one text. */
const MAX_TOLD = 3;
/** Text that is looked at: a file of megabytes is not searched for look-alikes. */
const MAX_CHARS = 200_000;

/** Sentences about names in a text that are not what they seem. Linear in its length. */
export function findLookAlikes(text: string, place: LookAlikePlace): string[] {
  if (!OTHER.test(text)) return [];
  const looked = text.slice(0, MAX_CHARS);
  const words = [...new Set(mixedWords(looked, place))];
  const signs = place === 'content' ? [] : [...new Set(falseSigns(looked, place))];
  return [...told(words), ...told(signs)];
}

function told(sentences: readonly string[]): string[] {
  const rest = sentences.length - MAX_TOLD;
  if (rest <= 0) return [...sentences];
  return [...sentences.slice(0, MAX_TOLD), `${rest.toLocaleString('en')} more of this kind.`];
}

function* mixedWords(text: string, place: LookAlikePlace): Generator<string> {
  for (const [word] of text.matchAll(WORD)) {
    if (!OTHER.test(word) || word.length > 200) continue;
    const twins = [...word].filter((letter) => LETTERS.has(letter));
    const first = twins[0];
    if (first === undefined) continue;
    const isMixed = LATIN.test(word);
    // A whole word of twins is a word of its own language in prose; as a name it can stand for another one.
    const isDisguise = place !== 'content' && [...word].every((letter) => LETTERS.has(letter) || /[0-9_]/.test(letter));
    if (!isMixed && !isDisguise) continue;
    const latin = [...word].map((letter) => LETTERS.get(letter) ?? letter).join('');
    yield `“${word}” looks like “${latin}” but is another name: ${describe(first)} is ${scriptOf(first)}, not Latin.`;
  }
}

function* falseSigns(text: string, place: LookAlikePlace): Generator<string> {
  const characters = [...text];
  for (const [at, character] of characters.entries()) {
    const ascii = SIGNS.get(character) ?? (FULLWIDTH.test(character) ? fullwidthTwin(character) : undefined);
    if (ascii === undefined) continue;
    // Chinese and Japanese prose has full-width signs, prose of all kinds has dashes and quotes: in a command they are
    // told where they touch plain letters and signs, which a shell would read.
    if (place === 'command' && !touchesPlain(characters, at)) continue;
    yield `${describe(character)} looks like “${ascii}” but is another character.`;
  }
}

function touchesPlain(characters: readonly string[], at: number): boolean {
  const isPlain = (character: string | undefined) => character !== undefined && /[!-~]/.test(character);
  return isPlain(characters[at - 1]) || isPlain(characters[at + 1]);
}

function fullwidthTwin(character: string): string {
  return String.fromCodePoint((character.codePointAt(0) ?? 0) - 0xfee0);
}

function describe(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `“${character}” (U+${code})`;
}

function scriptOf(letter: string): string {
  if (/\p{Script=Cyrillic}/u.test(letter)) return 'Cyrillic';
  if (/\p{Script=Greek}/u.test(letter)) return 'Greek';
  if (/\p{Script=Armenian}/u.test(letter)) return 'Armenian';
  return 'another letter';
}
