/**
 * Globs of a model, without regular expressions: `+(+(a)+(a))b` or `*a*a*a*b` as an expression takes for ever to fail.
 * Known: `*`, `?`, `[abc]`, `[!a-z]`, `{a,b}`, `{1..3}`, `**` as a whole step, `\` before a character taken as itself.
 */
const MAX_GLOB_CHARS = 1_000;
/** Patterns that the braces of one glob may stand for. */
const MAX_ALTERNATIVES = 200;

type Token = { char: string } | { class: CharClass } | 'one' | 'many';
interface CharClass {
  isNegated: boolean;
  ranges: [string, string][];
}
type Step = readonly Token[] | '**';

/**
 * Compiles a glob: one without `/` matches names at any depth. A test costs O(path × glob). Throws with a plain message for
 * what is too long or not supported.
 */
export function compileGlob(glob: string): (path: string) => boolean {
  const shown = JSON.stringify(glob.length > 100 ? `${glob.slice(0, 99)}…` : glob);
  if (glob.length > MAX_GLOB_CHARS)
    throw new Error(`The glob has ${glob.length} characters; at most ${MAX_GLOB_CHARS} are taken.`);
  if (/(?<!\\)[*+@!?]\(/u.test(glob))
    throw new Error(`The glob ${shown} uses extended patterns such as +(a|b), which are not supported. Use {a,b}.`);
  const plain = glob.replace(/^\.\//u, '').replace(/\/$/u, '');
  const alternatives = expandBraces(plain);
  if (!alternatives)
    throw new Error(`The glob ${shown} stands for more than ${MAX_ALTERNATIVES} patterns. Use a simpler one.`);
  const compiled = alternatives.map((text) => parseSteps(text.includes('/') ? text : `**/${text}`));
  return (path) => {
    const names = path.split('/');
    return compiled.some((steps) => matchSteps(steps, names));
  };
}

/** The patterns that the braces stand for; undefined if there are too many. Braces without a comma or range stay as they are. */
function expandBraces(text: string): string[] | undefined {
  const done: string[] = [];
  const open = [text];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const brace = findBrace(next);
    if (!brace) done.push(next);
    else {
      const [head, tail] = [next.slice(0, brace.start), next.slice(brace.end + 1)];
      for (const choice of brace.choices.reverse()) open.push(head + choice + tail);
    }
    if (done.length + open.length > MAX_ALTERNATIVES) return undefined;
  }
  return done;
}

interface Brace {
  start: number;
  end: number;
  choices: string[];
}

/** The first brace group that stands for several texts. O(text) a group. */
function findBrace(text: string): Brace | undefined {
  const starts: { at: number; commas: number[] }[] = [];
  let found: Brace | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '\\') at += 1;
    else if (char === '{') starts.push({ at, commas: [] });
    else if (char === ',') starts.at(-1)?.commas.push(at);
    else if (char === '}') {
      const start = starts.pop();
      const choices = start && choicesOf(text, start.at, at, start.commas);
      // The outermost of the first group: its choices are looked through in their turn.
      if (start && choices) found = { start: start.at, end: at, choices };
      if (found && starts.length === 0) return found;
    }
  }
  return found;
}

function choicesOf(text: string, start: number, end: number, commas: readonly number[]): string[] | undefined {
  if (commas.length > 0) {
    const ends = [...commas, end];
    return ends.map((to, index) => text.slice((index === 0 ? start : (ends[index - 1] ?? start)) + 1, to));
  }
  const range = /^(-?\d{1,6})\.\.(-?\d{1,6})$/u.exec(text.slice(start + 1, end));
  if (!range) return undefined;
  const [from, to] = [Number(range[1]), Number(range[2])];
  const count = Math.min(Math.abs(to - from), MAX_ALTERNATIVES) + 1;
  return Array.from({ length: count }, (_, index) => String(from + (to < from ? -index : index)));
}

function parseSteps(text: string): Step[] {
  const steps: Step[] = [];
  for (const part of text.split('/')) {
    if (part !== '**') steps.push(parseTokens(part));
    else if (steps.at(-1) !== '**') steps.push('**');
  }
  return steps;
}

function parseTokens(text: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    const end = char === '[' ? text.indexOf(']', at + (/[!^]/u.test(text[at + 1] ?? '') ? 3 : 2)) : -1;
    if (char === '*') {
      if (tokens.at(-1) !== 'many') tokens.push('many');
    } else if (char === '?') tokens.push('one');
    else if (end > 0) {
      tokens.push({ class: parseClass(text.slice(at + 1, end)) });
      at = end;
    } else if (char === '\\' && at + 1 < text.length) tokens.push({ char: text[(at += 1)] ?? '' });
    else tokens.push({ char });
  }
  return tokens;
}

function parseClass(text: string): CharClass {
  const isNegated = /^[!^]/u.test(text);
  const ranges: [string, string][] = [];
  for (let at = isNegated ? 1 : 0; at < text.length; at += 1) {
    if (text[at] === '\\' && at + 1 < text.length) at += 1;
    const from = text[at] ?? '';
    const isRange = text[at + 1] === '-' && at + 2 < text.length;
    ranges.push([from, isRange ? (text[at + 2] ?? '') : from]);
    if (isRange) at += 2;
  }
  return { isNegated, ranges };
}

/** Wildcards need no search: only the last one met can ever have to take more. */
function matchSteps(steps: readonly Step[], names: readonly string[]): boolean {
  return matchWild(
    steps.length,
    names.length,
    (step) => steps[step] === '**',
    (step, name) => {
      const tokens = steps[step];
      return tokens !== undefined && tokens !== '**' && matchName(tokens, names[name] ?? '');
    },
  );
}

function matchName(tokens: readonly Token[], name: string): boolean {
  // `*` alone stands for a name, not for none.
  if (name === '') return tokens.length === 0;
  return matchWild(
    tokens.length,
    name.length,
    (token) => tokens[token] === 'many',
    (token, at) => isMatch(tokens[token], name[at] ?? ''),
  );
}

function matchWild(
  wanted: number,
  given: number,
  isWild: (index: number) => boolean,
  fits: (index: number, at: number) => boolean,
): boolean {
  let index = 0;
  let wild = -1;
  let resume = 0;
  for (let at = 0; at < given;) {
    if (index < wanted && isWild(index)) {
      wild = index;
      index += 1;
      resume = at;
    } else if (index < wanted && fits(index, at)) {
      index += 1;
      at += 1;
    } else if (wild >= 0) {
      index = wild + 1;
      resume += 1;
      at = resume;
    } else return false;
  }
  while (index < wanted && isWild(index)) index += 1;
  return index === wanted;
}

function isMatch(token: Token | undefined, char: string): boolean {
  if (token === undefined || token === 'many') return false;
  if (token === 'one') return true;
  if ('char' in token) return token.char === char;
  const isIn = token.class.ranges.some(([from, to]) => char >= from && char <= to);
  return isIn !== token.class.isNegated;
}
