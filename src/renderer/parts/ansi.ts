/** A run of terminal text with the classes of its colours. */
export interface AnsiSpan {
  text: string;
  /** `red` … `cyan`, `grey`; null is the terminal's own. */
  colour: AnsiColour | null;
  bold: boolean;
}
type AnsiColour = 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan' | 'grey';

const COLOURS: (AnsiColour | null)[] = ['grey', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', null];
// CSI with any parameters; OSC up to its end; two-character escapes. What is left of a cut sequence at the end goes too.
const SEQUENCE =
  /\u001b(?:\[([0-?]*)[ -/]*([@-~])|\[[0-?]*[ -/]*$|\][^\u0007\u001b]*(?:\u0007|\u001b\\|$)|[PX^_][^\u001b]*(?:\u001b\\|$)|[ -/]*[0-~]|$)|\u009b[0-?]*[ -/]*[@-~]/g;

/** Changes of colour that are shown. */
const MAX_SPANS = 1_000;

const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/**
 * Terminal output as coloured text: the eight colours and bold are kept, every other sequence and control character is
 * dropped, a lone `\r` starts its line anew (progress bars show their last state). Nothing of it is ever markup.
 */
export function parseAnsi(output: string): AnsiSpan[] {
  const spans: AnsiSpan[] = [];
  let colour: AnsiColour | null = null;
  let bold = false;
  let at = 0;
  const source = overwriteLines(output);
  const push = (raw: string): void => {
    const text = raw.replace(CONTROLS, '');
    if (text === '') return;
    const last = spans.at(-1);
    if (last && last.colour === colour && last.bold === bold) last.text += text;
    else spans.push({ text, colour, bold });
  };
  for (const match of source.matchAll(SEQUENCE)) {
    // The rest without colours: each change of them is an element.
    if (spans.length >= MAX_SPANS) [colour, bold] = [null, false];
    push(source.slice(at, match.index));
    at = match.index + match[0].length;
    if (match[2] === 'm' && spans.length < MAX_SPANS) ({ colour, bold } = applySgr(match[1] ?? '', colour, bold));
  }
  push(source.slice(at));
  return spans;
}

function overwriteLines(output: string): string {
  if (!output.includes('\r')) return output;
  return output.split('\n').map(lastState).join('\n');
}

/** By hand: a pattern for the returns at a line's end looks at each of a million of them again. */
function lastState(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === '\r') end -= 1;
  return line.slice(line.lastIndexOf('\r', end - 1) + 1, end);
}

function applySgr(
  parameters: string,
  colour: AnsiColour | null,
  bold: boolean,
): { colour: AnsiColour | null; bold: boolean } {
  const codes = parameters.split(/[;:]/).map((code) => Number(code || 0));
  for (let index = 0; index < codes.length; index++) {
    const code = codes[index] ?? 0;
    if (code === 0) [colour, bold] = [null, false];
    else if (code === 1) bold = true;
    else if (code === 22) bold = false;
    else if (code === 39) colour = null;
    else if (code >= 30 && code <= 37) colour = COLOURS[code - 30] ?? null;
    else if (code >= 90 && code <= 97) colour = COLOURS[code - 90] ?? null;
    // 256 colours and true colour: their parameters are no codes of their own
    else if (code === 38 || code === 48) index += codes[index + 1] === 5 ? 2 : 4;
  }
  return { colour, bold };
}
