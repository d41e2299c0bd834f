/** What the demo model makes of the text of a summary request (SU11 to SU24): who said what, and which of it weighs most. */

export interface Turn {
  who: string;
  /** What else its mark says: `write, failed`. */
  note: string;
  text: string;
}

/** A summary request in its parts. */
export interface SummaryRequest {
  conversation: string;
  previous: string;
  /** What to write: behind the conversation and what else stands between tags. */
  prompt: string;
  /** What the person asked to look at in particular. */
  focus: string;
  /** The goal of a handoff; empty for any other summary. */
  goal: string;
  /** Words that the answer may have. */
  words: number;
}

/** Of an answer without a bound. */
const MOST_WORDS = 2_000;
const FOCUS = 'Additional focus: ';
const GOAL = "The goal of the new session, in the person's words:";

const RULE = /\b(must|never|always|do not|don't|only|required|make sure|rule|keep)\b/i;
/** A rule of the person: a question is none. */
export const isRule = (text: string): boolean => RULE.test(text) && !text.endsWith('?');
/** What is not done yet, as an agent says it. */
export const OPEN = /\b(still open|open points?|open:|not checked yet|to do|left is|next (?:is|are))\b/i;
const FAILED = /\b(failed|declined|exit [1-9]\d*|timed out|stopped|interrupted|not run)\b/;
const ERROR = /\b(error|exception|failed|cannot|refused|exit code [1-9]|exit [1-9])\b/i;
export const DECISION = /\b(because|instead of|decided|chose|so that|rather than)\b/i;
const FACT =
  /(?:[\w.-]+\/[\w./-]+|\b[\w-]+\.(?:ts|tsx|js|json|md|py|rs|go|css|html|txt|csv|sql)\b|https?:\/\/\S+|`[^`\n]{3,80}`)/g;

export function readRequest(text: string): SummaryRequest {
  const conversation = section(text, 'conversation') ?? text;
  const from = Math.max(...['conversation', 'previous-summary', 'additional-context'].map((tag) => endOf(text, tag)));
  const behind = text.slice(from);
  const focusAt = behind.lastIndexOf(`\n${FOCUS}`);
  const prompt = focusAt < 0 ? behind : behind.slice(0, focusAt);
  const goalAt = prompt.indexOf(GOAL);
  return {
    conversation,
    previous: section(text, 'previous-summary') ?? '',
    prompt,
    focus: focusAt < 0 ? '' : behind.slice(focusAt + FOCUS.length + 1).trim(),
    goal: goalAt < 0 ? '' : prompt.slice(goalAt + GOAL.length).trim(),
    words: Number(/at most (\d+) words/i.exec(prompt)?.[1] ?? MOST_WORDS),
  };
}

/** Behind the end of a part between tags; 0 where there is none. */
function endOf(text: string, tag: string): number {
  const at = text.lastIndexOf(`</${tag}>`);
  return at < 0 ? 0 : at + tag.length + 3;
}

function section(text: string, tag: string): string | undefined {
  const start = text.indexOf(`<${tag}>`);
  const end = text.lastIndexOf(`</${tag}>`);
  return start >= 0 && end > start ? text.slice(start + tag.length + 2, end) : undefined;
}

export function readTurns(text: string): Turn[] {
  const turns: Turn[] = [];
  for (const part of text.split(/\n\n(?=\[[A-Z][^\]\n]*\]: )/)) {
    // `[Assistant, cut off]`, `[Tool result 2: write, failed]`: who, then what else.
    const match = /^\s*\[([A-Z][A-Za-z ]*[A-Za-z])([^\]\n]*)\]: ([\s\S]*)$/.exec(part);
    const [, who, note = '', said] = match ?? [];
    if (who !== undefined && said !== undefined) turns.push({ who, note, text: said.trim() });
  }
  return turns;
}

/** Whole sentences of a text, its code left out; long ones cut. */
export function sentences(text: string): string[] {
  return text
    .replace(/```[\s\S]*?```/g, ' ')
    .split(/(?<=[.!?])\s+|\n+/)
    .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
    .filter((sentence) => sentence.length >= 8)
    .map((sentence) => (sentence.length > 300 ? `${sentence.slice(0, 299)}…` : sentence));
}

/** The `count` weightiest texts, in their own order. Weight: what they share with `wanted`, rarity of words, what must not be lost. */
export function rank(texts: readonly string[], count: number, wanted = ''): string[] {
  const frequency = new Map<string, number>();
  for (const text of texts)
    for (const word of new Set(words(text))) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const scored = texts.map((text, index) => {
    const own = words(text);
    const rarity = own.reduce((sum, word) => sum + 1 / (frequency.get(word) ?? 1), 0) / Math.sqrt(own.length + 1);
    const weight = rarity + facts(text).length + (DECISION.test(text) ? 1 : 0) + 8 * shared(text, wanted);
    return { text, index, weight };
  });
  const best = scored.sort((a, b) => b.weight - a.weight || a.index - b.index).slice(0, count);
  return best.sort((a, b) => a.index - b.index).map(({ text }) => text);
}

/** How many of the weighty words of `wanted` a text has, by their first letters: "imports" is about "import". */
export function shared(text: string, wanted: string): number {
  if (wanted === '') return 0;
  const own = new Set(words(text).map(stem));
  return new Set(
    words(wanted)
      .map(stem)
      .filter((word) => own.has(word) && !COMMON.has(word)),
  ).size;
}

const stem = (word: string): string => word.slice(0, 5);
const COMMON = new Set(
  'about above after again also been before being below briefl could every first focus from have importa keep made make more most only other please short should some summa that their them then there these they this those what when where which while with word would write your'
    .split(' ')
    .map(stem),
);

function words(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]{4,}/gu) ?? [];
}

/** Paths, names of files, addresses, code: what is hard to find again. */
export function facts(text: string): string[] {
  return text.match(FACT) ?? [];
}

/** Lines that tell of a failure, of a result that is one. */
export function errors({ note, text }: Turn): string[] {
  if (!FAILED.test(note)) return [];
  return text
    .split('\n')
    .filter((line) => ERROR.test(line))
    .map((line) => line.trim().slice(0, 200));
}

/** Calls that changed files: which, and the file. */
export function changes(calls: string): { tool: string; path: string }[] {
  const found = [...calls.matchAll(/\b(write|edit)\(path="?([^",)]{1,200})/g)];
  return found.map(([, tool = '', path = '']) => ({ tool, path }));
}

/** The lines of a summary under one of its headings, without their bullets. */
export function quoteSection(summary: string, title: string): string[] {
  const at = new RegExp(`^#{2,3} ${title.replace(/[^\w ]/g, '\\$&')}\\s*$`, 'm').exec(summary);
  if (!at) return [];
  const body = summary.slice(at.index + at[0].length).split(/\n#{2,3} /)[0] ?? '';
  return body
    .split('\n')
    .map((line) => line.replace(/^\s*(?:[-*]|\d+\.)\s*/, '').trim())
    .filter((line) => line !== '' && line !== '(none)');
}

/** Without the box of a list of tasks. */
export const unticked = (text: string): string => text.replace(/^\[[ x]\]\s*/, '');

export const unique = (texts: readonly string[]): string[] => [...new Set(texts)];
