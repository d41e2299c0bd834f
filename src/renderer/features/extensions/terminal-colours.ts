/** Colours of a terminal in those of the window, legible in light and dark (EX24). */

/** For a style attribute: `--l` and `--d` are the colours in light and dark, `--lb` and `--db` those behind it. */
export interface CellStyle {
  marks: readonly number[];
  ink: Pair | null;
  ground: Pair | null;
}

/** In light and in dark. */
type Pair = readonly [light: string, dark: string];
type Rgb = readonly [number, number, number];

const INK: Pair = ['#24221d', '#ece8de'];
const PAPER: Pair = ['#ffffff', '#242320'];
/** As `--ansi-…` of the tokens: the window's own eight, in light and dark. */
const INKS: readonly Pair[] = [
  ['#6e685b', '#948d7e'],
  ['#a8322a', '#ec8b80'],
  ['#256b43', '#74c795'],
  ['#8a5508', '#e3b25c'],
  ['#2a5f8f', '#86b7e0'],
  ['#7a3e9d', '#c9a5ee'],
  ['#1f6f74', '#7fcbc9'],
  INK,
];
/** Soft, so that inks of the window are hardly moved to be read on them. */
const GROUNDS: readonly Pair[] = [
  ['#f2efe8', '#171613'],
  ['#fae6e3', '#3b2522'],
  ['#e2efe6', '#203328'],
  ['#faeed7', '#37301f'],
  ['#e3edf6', '#20303d'],
  ['#ece7f8', '#2d2840'],
  ['#dff0f0', '#1d3334'],
  ['#e5e0d5', '#35322c'],
];
/** What text has to have against what lies behind it. */
const CONTRAST = 4.5;
/** Pictures are made of these: their colours are meant as they are. */
const LEVELS = [0, 95, 135, 175, 215, 255];

const known = new Map<string, CellStyle>();

/** The style of SGR parameters, as `0;1;38;5;208`. Any text is taken. */
export function cellStyle(code: string): CellStyle {
  const found = known.get(code);
  if (found) return found;
  // Pictures have as many colours as there are.
  if (known.size > 5_000) known.clear();
  const style = read(code);
  known.set(code, style);
  return style;
}

function read(code: string): CellStyle {
  const codes = code.split(/[;:]/).map((part) => Number(part || 0));
  const marks: number[] = [];
  let ink: Pair | Rgb | null = null;
  let ground: Pair | Rgb | null = null;
  for (let at = 0; at < codes.length; at += 1) {
    const each = codes[at] ?? 0;
    if (each >= 1 && each <= 9) marks.push(each);
    else if (each >= 30 && each <= 37) ink = INKS[each - 30] ?? null;
    else if (each >= 90 && each <= 97) ink = INKS[each - 90] ?? null;
    else if (each >= 40 && each <= 47) ground = GROUNDS[each - 40] ?? null;
    else if (each >= 100 && each <= 107) ground = GROUNDS[each === 100 ? 7 : each - 100] ?? null;
    else if (each === 38 || each === 48) {
      const isIndexed = codes[at + 1] === 5;
      const colour = isIndexed ? indexed(codes[at + 2] ?? 0, each) : rgb(codes.slice(at + 2, at + 5));
      at += isIndexed ? 2 : 4;
      if (each === 38) ink = colour;
      else ground = colour;
    }
  }
  return settle(marks, ink, ground);
}

function settle(marks: readonly number[], ink: Pair | Rgb | null, ground: Pair | Rgb | null): CellStyle {
  const isInverse = marks.includes(7);
  if (!isInverse && ink === null && ground === null) return { marks, ink: null, ground: null };
  const behind: Pair | null = ground === null ? null : pairOf(ground);
  const shown: Pair =
    ink === null
      ? behind && isRgb(ground)
        ? [readableOn(behind[0]), readableOn(behind[1])]
        : INK
      : inkOn(ink, ground);
  if (isInverse) return { marks, ink: behind ?? PAPER, ground: shown };
  return { marks, ink: ink === null && !isRgb(ground) ? null : shown, ground: behind };
}

/** On its own ground a colour is what it says; on the window's it is moved until it can be read. */
function inkOn(ink: Pair | Rgb, ground: Pair | Rgb | null): Pair {
  if (isRgb(ground)) {
    if (isRgb(ink)) return pairOf(ink);
    const [light, dark] = ink;
    const best = contrast(parse(light), ground) > contrast(parse(dark), ground) ? light : dark;
    return [best, best];
  }
  if (!isRgb(ink) && ground === null) return ink;
  const [light, dark] = ground ?? PAPER;
  const [inLight, inDark] = isRgb(ink) ? [ink, ink] : [parse(ink[0]), parse(ink[1])];
  return [legible(inLight, parse(light)), legible(inDark, parse(dark))];
}

function legible(colour: Rgb, behind: Rgb): string {
  const towards: Rgb = luminance(behind) > 0.4 ? [0, 0, 0] : [255, 255, 255];
  for (let part = 0; part < 1; part += 0.1) {
    const mixed = mix(colour, towards, part);
    if (contrast(mixed, behind) >= CONTRAST) return hex(mixed);
  }
  return hex(towards);
}

function readableOn(ground: string): string {
  const behind = parse(ground);
  return contrast(parse(INK[0]), behind) > contrast(parse(INK[1]), behind) ? INK[0] : INK[1];
}

function indexed(index: number, kind: 38 | 48): Pair | Rgb {
  if (index < 16) {
    const table = kind === 38 ? INKS : GROUNDS;
    return table[index % 8] ?? INK;
  }
  if (index >= 232) {
    const grey = 8 + (Math.min(255, index) - 232) * 10;
    return [grey, grey, grey];
  }
  const cube = index - 16;
  return [LEVELS[Math.floor(cube / 36)] ?? 0, LEVELS[Math.floor(cube / 6) % 6] ?? 0, LEVELS[cube % 6] ?? 0];
}

function rgb(values: readonly number[]): Rgb {
  const at = (index: number): number => Math.max(0, Math.min(255, Math.round(values[index] ?? 0) || 0));
  return [at(0), at(1), at(2)];
}

function isRgb(colour: Pair | Rgb | null): colour is Rgb {
  return colour !== null && colour.length === 3;
}

function pairOf(colour: Pair | Rgb): Pair {
  return isRgb(colour) ? [hex(colour), hex(colour)] : colour;
}

function mix(from: Rgb, to: Rgb, part: number): Rgb {
  const at = (index: 0 | 1 | 2): number => Math.round(from[index] + (to[index] - from[index]) * part);
  return [at(0), at(1), at(2)];
}

function hex(colour: Rgb): string {
  return `#${colour.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

function parse(text: string): Rgb {
  return [1, 3, 5].map((at) => Number.parseInt(text.slice(at, at + 2), 16)) as unknown as Rgb;
}

/** Of WCAG. */
export function contrast(one: Rgb, other: Rgb): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: Rgb): number {
  const [red, green, blue] = colour.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
