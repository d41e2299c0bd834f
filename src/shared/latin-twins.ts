/** By Latin letter: letters of other scripts that most fonts draw like it. */
export const LATIN_TWINS: Readonly<Record<string, string>> = {
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
};

/** What is a letter in another form (full width, mathematical, circled, raised) or with an accent, from and to. */
const FORMS = [[0xaa, 0x24f], [0x1d2c, 0x1d6a], [0x1e00, 0x1eff], [0x2071, 0x209c], [0x2100, 0x214f], [0x24b6, 0x24e9], [0xff21, 0xff5a], [0x1d400, 0x1d6a3], [0x1f130, 0x1f149]] as const; // prettier-ignore
/** Of ASCII: what is read as another letter in many fonts. */
const ASCII: Readonly<Record<string, string>> = { i: 'l1|', l: 'i1|', o: '0' };

let classes: ReadonlyMap<string, string> | null = null;

/** For each small Latin letter a class for a pattern with the flags `iu`: itself, and all that is read as it. */
export function likeLetters(): ReadonlyMap<string, string> {
  classes ??= classesOfLetters();
  return classes;
}

function classesOfLetters(): ReadonlyMap<string, string> {
  const alike = new Map([...'abcdefghijklmnopqrstuvwxyz'].map((letter) => [letter, letter]));
  const add = (letter: string, others: string): void => {
    const known = alike.get(letter.toLowerCase());
    if (known !== undefined) alike.set(letter.toLowerCase(), known + others);
  };
  for (const [latin, others] of Object.entries(LATIN_TWINS)) add(latin, others);
  for (const [letter, others] of Object.entries(ASCII)) add(letter, others);
  for (const [from, to] of FORMS) {
    for (let code = from; code <= to; code++) {
      const form = String.fromCodePoint(code);
      const [base = '', ...accents] = form.normalize('NFKD');
      if (accents.every((accent) => /\p{M}/u.test(accent))) add(base, form);
    }
  }
  return new Map([...alike].map(([letter, all]) => [letter, `[${all}]`]));
}
