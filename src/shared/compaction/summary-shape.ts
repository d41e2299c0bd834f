/** Whether what a model wrote for a summary can be one (SU40): by the headings it was asked for, and by how it begins. Pure. */

/** The main parts that a first summary is asked for, in order (SU2). */
export const SUMMARY_PARTS = [
  'Goal',
  'Constraints & Preferences',
  'Progress',
  'Key Decisions',
  'Next Steps',
  'Critical Context',
  'What the Person Said',
] as const;

/** And those that the beginning of a divided turn is (SU4). */
export const PREFIX_PARTS = ['Original Request', 'Early Progress', 'Context for Suffix'] as const;

/** The main headings that a prompt asks for, in order. */
export function partsOfPrompt(prompt: string): string[] {
  return prompt.split('\n').flatMap((line) => /^## (.+)$/.exec(line)?.[1]?.trim() ?? []);
}

/** Letters and digits alone, so that `**goal:**` and `## Goal` are one. */
function folded(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** Longer lines are no headings. */
const MOST_HEADING = 80;

/** A line that is a heading or begins with one and a colon, without the signs of Markdown around it; null: it is neither. */
function headingOf(line: string): string | null {
  const plain = line.replace(/^[\s#>*_\-•\d.)]+/u, '').replace(/[\s#*_]+$/u, '');
  const [, name = plain] = /^([^:：]*)[:：]/u.exec(plain) ?? [];
  return name.length > MOST_HEADING ? null : folded(name);
}

/** Whether one of these parts stands in a text under its heading, however that is written. O(text). */
export function hasPart(text: string, parts: readonly string[]): boolean {
  const known = new Set(parts.map(folded));
  return text.split('\n').some((line) => {
    const heading = headingOf(line);
    return heading !== null && known.has(heading);
  });
}

/** What stands where there is nothing to say. */
const NOTHING = new Set(['', 'none', 'nothing', 'n a', 'na', 'null', 'empty', 'not applicable']);
const LIST_ITEM = /^\s*(?:[-*•]|\d+[.)])\s*(?:\[[ x]\])?/i;

/** Whether anything is said in a text but its headings. O(text). */
function saysSomething(text: string, parts: readonly string[]): boolean {
  const known = new Set(parts.map(folded));
  return text.split('\n').some((line) => {
    if (/^\s*#/.test(line)) return false;
    const [, behind = ''] = /^[^:：]*[:：](.*)$/u.exec(line) ?? [];
    const heading = headingOf(line);
    const said = heading !== null && known.has(heading) ? folded(behind) : folded(line.replace(LIST_ITEM, ''));
    return !NOTHING.has(said);
  });
}

/** How a refusal begins, and how a talk goes on that was to be summarised. */
const REFUSAL =
  /^(?:(?:i['’]?m|i am) )?(?:very |so |really )?(?:sorry|afraid|unable)\b|^(?:unfortunately,? )?i (?:can(?:['’]t|not| not)|couldn['’]t|could not|won['’]t|will not|must decline|(?:do not|don['’]t) (?:have|see|feel))\b|^i(?:['’]m| am) (?:not able|unable|just an?|an? (?:ai|language))\b|^as an? (?:ai|language model)\b/i;
const TALK =
  /^(?:sure|certainly|of course|absolutely|okay|ok|alright|got it|understood|thanks|thank you|hello|hi|hey|yes|no problem|i['’]ll|i will|i['’]m going to|let me|let['’]s|how (?:can|may) i|what would you like)\b/i;
/** A mark of the material, or a call that is written as text. */
const GOES_ON =
  /^(?:\[(?:user|assistant|tool)\b|<\/?(?:tool_call|function|invoke|conversation)\b|\{\s*"(?:name|tool|function)")/i;
/** A talk that says within so many characters that a summary comes is taken for one. */
const BEGINNING = 300;

/**
 * True for a text that is no summary (SU40): nothing is said in it, or it has none of the parts and is a refusal, the talk going on, or a
 * question back. Prose without headings is one that may be used. Nothing is judged where no parts are known. O(text).
 */
export function isNoSummary(text: string, parts: readonly string[]): boolean {
  if (parts.length === 0) return false;
  if (!saysSomething(text, parts)) return true;
  if (hasPart(text, parts)) return false;
  const plain = text.trim().replace(/^[\s"'“”‘’*_>`#-]+/u, '');
  if (REFUSAL.test(plain) || GOES_ON.test(plain)) return true;
  const beginning = plain.slice(0, BEGINNING);
  if (TALK.test(plain)) return !/summar/i.test(beginning);
  return plain.length <= BEGINNING && /[?？]\s*$/u.test(plain);
}
