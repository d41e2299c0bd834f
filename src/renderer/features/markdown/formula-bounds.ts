/** Longer formulas are shown as their source. */
const MAX_CHARS = 1_500;
/** Braces, roots and brackets within each other: each level lays out all those in it once more. */
const MAX_DEPTH = 30;
/** Microseconds that one formula may take, drawn and laid out: it can't be drawn in parts. */
const MAX_MICROSECONDS = 35_000;
const LETTER = 33;
/** Also one that is made of a letter and its accent. */
const OTHER_LETTER = 300;
const SCRIPT = 110;
const COMMAND = 250;
/** Of a matrix or an alignment. */
const CELL = 180;

/** What follows is read as no braces, or each sign of it is an arrow: nothing here tells how deep or dear it is. */
const HIDES = /(?<!\\)(?:\\\\)*%|\\verb|\\begin\s*\{CD\}/;
/** A formula is no program: what it defines could stand a hundred thousand times in what is drawn. */
const DEFINES =
  /\\(?:[gex]?def|(?:future)?let|(?:re|provide)?newcommand|renewcommand|providecommand|global|long)(?![a-zA-Z])/;
const PART = /\\(?:([a-zA-Z]+)|[\s\S])|[{}&]|[^\s\\{}&]/g;

/** Whether KaTeX may draw a formula: it is no longer, deeper or dearer than one task can take (A2), by its characters alone. */
export function isDrawable(tex: string): boolean {
  if (tex === '' || tex.length > MAX_CHARS || HIDES.test(tex) || DEFINES.test(tex)) return false;
  let cost = 0;
  let depth = 0;
  for (const [part, name] of tex.matchAll(PART)) {
    if (part === '{' || name === 'left' || name === 'begin') depth += 1;
    else if (part === '}' || name === 'right' || name === 'end') depth = Math.max(0, depth - 1);
    else if (part === '&' || part === '\\\\') cost += CELL;
    else cost += costOf(part);
    if (depth > MAX_DEPTH || cost > MAX_MICROSECONDS) return false;
  }
  return true;
}

function costOf(part: string): number {
  if (part.startsWith('\\')) return COMMAND;
  if (part === '^' || part === '_') return SCRIPT;
  return part < '\x7f' ? LETTER : OTHER_LETTER;
}
