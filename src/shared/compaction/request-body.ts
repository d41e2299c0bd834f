import { endsOf } from '../cut-text';
import { estimateText } from '../session/records/estimate';
import { escapeInserted, escapeMarks, escapeSectionTags, stripTagBlocks } from '../session/records/own-marks';

/** What goes into the body of one summary request (SU11). */
interface BodyParts {
  /** Serialised conversation: marks that are not ours are escaped, section tags not yet. */
  conversation: string;
  previousSummary?: string;
  /** Lines from extensions. */
  additionalContext?: readonly string[];
  /** What to write; an extension's prompt replaces ours in history calls. */
  prompt: string;
  /** What the person asked to look at in particular; reaches every call. */
  instructions?: string;
}

/** The text of a summary request: sections, prompt, focus, with a blank line between (SU11). */
export function summaryBody(parts: BodyParts): string {
  const { conversation, previousSummary, additionalContext = [], prompt, instructions = '' } = parts;
  const blocks = [section('conversation', escapeSectionTags(conversation))];
  if (previousSummary !== undefined && previousSummary.trim() !== '') {
    blocks.push(section('previous-summary', escapeInserted(previousSummary)));
  }
  if (additionalContext.length > 0) {
    blocks.push(section('additional-context', additionalContext.map((line) => `- ${escapeInserted(line)}`).join('\n')));
  }
  blocks.push(prompt.trim());
  if (instructions.trim() !== '') blocks.push(`Additional focus: ${escapeInserted(instructions.trim())}`);
  return blocks.join('\n\n');
}

function section(tag: string, text: string): string {
  return `<${tag}>\n${text}\n</${tag}>`;
}

/** The replies of the calls of one compaction. */
interface SummaryReplies {
  /** Absent if nothing before the divided turn was left to summarise. */
  history?: string;
  /** Only of a split turn. */
  prefix?: string;
  previousSummary?: string;
}

const NO_HISTORY = 'No prior history.';

/** One summary of the replies, our tag blocks stripped (SU39), never blank; facts and file tags come behind it. */
export function mergeSummary({ history, prefix, previousSummary }: SummaryReplies): string {
  // Messages without a word (only thinking, only blanks) are no reason to ask a model.
  const text = stripTagBlocks(history ?? previousSummary ?? '');
  const before = text.trim() === '' ? NO_HISTORY : text;
  if (prefix === undefined) return before;
  return `${before}\n\n---\n\n**Turn Context (split turn):**\n\n${stripTagBlocks(prefix)}`;
}

const SHORT_CHARS = 200;

/** The first sentences under the heading Goal, at most 200 characters: what a list shows of a summary (SU38). */
export function shortSummaryOf(summary: string): string {
  const lines = summary.split('\n').map((line) => line.trim());
  const goal = lines.findIndex((line) => /^#+\s*goal\b/i.test(line));
  const from = goal < 0 ? 0 : goal + 1;
  const next = lines.findIndex((line, index) => index >= from && /^(?:#|---$)/.test(line));
  const words = lines
    .slice(from, next < 0 ? undefined : next)
    .map((line) => line.replace(/^[-*]\s+(\[[ x]\]\s+)?|^\d+\.\s+/i, ''))
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();
  if (words.length <= SHORT_CHARS) return words;
  const cut = words.slice(0, SHORT_CHARS);
  const end = Math.max(cut.lastIndexOf('. '), cut.lastIndexOf('! '), cut.lastIndexOf('? '));
  return end > 0 ? cut.slice(0, end + 1) : `${cut.slice(0, Math.max(cut.lastIndexOf(' '), 1)).trimEnd()}…`;
}

/** One message as text, with what it weighs. */
export interface TextPart {
  text: string;
  /** Raw tokens of the text. */
  tokens: number;
  isUser: boolean;
  /** Starts a new group: everything but a tool result (PL9). */
  isGroupStart: boolean;
  /** The parts of the text that have a mark of their own, where there are several. */
  pieces?: readonly string[];
  again?: Again;
}

/** The answer of a call that only reads, and what is told of it where the same stands before it in one request (SU22). */
interface Again {
  call: string;
  /** Two are the same where what they answered is. */
  answer: string;
  text: string;
}

/** What stands in a request so far of answers of calls: one that comes again is named, not repeated (SU22). */
export class Repeats {
  private readonly answers = new Map<string, string>();

  /** The next part of the request, as it is told there. */
  next(part: TextPart): TextPart {
    const { again } = part;
    if (!again) return part;
    const isSame = this.answers.get(again.call) === again.answer;
    this.answers.set(again.call, again.answer);
    if (!isSame) return part;
    const { isUser, isGroupStart } = part;
    return { text: again.text, tokens: estimateText(again.text), isUser, isGroupStart };
  }
}

/** Below this a request is too small to be of use (SU27). */
export const MIN_INPUT_TOKENS = 1024;
/** Share of an oversized message that stays at its head; the rest of the budget stays at its tail. */
const HEAD_SHARE = 0.6;
const UNKNOWN_WINDOW = 200_000;

/**
 * How much text one summary request may hold, in calibrated tokens (SU25).
 * @param window of the summarising model, tokens; null if unknown
 * @param outputCap tokens that the summary may take
 * @param reserve R of the session
 */
export function inputBudget(window: number | null, outputCap: number, reserve: number): number {
  const size = window ?? UNKNOWN_WINDOW;
  const least = Math.min(16_384, Math.max(MIN_INPUT_TOKENS, Math.floor(size / 8)));
  return Math.max(least, Math.floor(0.8 * size) - outputCap - reserve);
}

/**
 * Divides a history at message boundaries into texts that fit a budget of raw tokens each, in order (SU26). A message
 * that is larger by itself keeps its head and tail. O(text).
 */
export function foldHistory(parts: readonly TextPart[], budget: number): string[] {
  const windows: string[] = [];
  let open: string[] = [];
  let size = 0;
  let repeats = new Repeats();
  for (const part of parts) {
    let told = repeats.next(part);
    if (open.length > 0 && size + Math.min(told.tokens, budget) > budget) {
      windows.push(open.join('\n\n'));
      open = [];
      size = 0;
      // Whoever reads the next request has nothing of this one but its summary.
      repeats = new Repeats();
      told = repeats.next(part);
    }
    open.push(fitPart(told, budget));
    size += Math.min(told.tokens, budget);
  }
  if (open.length > 0) windows.push(open.join('\n\n'));
  return windows;
}

/** The beginning of a divided turn: its first user message (at most half the budget) and its newest groups (SU26). */
export function fitPrefix(parts: readonly TextPart[], budget: number): string {
  const whole = toldTogether(parts);
  const total = whole.reduce((sum, { tokens }) => sum + tokens, 0);
  if (total <= budget) return whole.map(({ text }) => text).join('\n\n');
  const first = parts.findIndex(({ isUser }) => isUser);
  const begin = parts[first];
  const opening = begin ? fitPart(begin, Math.floor(budget / 2)) : '';
  let left = budget - (opening === '' ? 0 : Math.min(begin?.tokens ?? 0, Math.floor(budget / 2)));
  const groups = groupsOf(parts.slice(first + 1));
  const newest: TextPart[][] = [];
  let at = groups.length - 1;
  for (; at >= 0; at--) {
    const group = groups[at] as TextPart[];
    const tokens = group.reduce((sum, part) => sum + part.tokens, 0);
    if (tokens > left) break;
    left -= tokens;
    newest.push(group);
  }
  const texts =
    newest.length === 0 && at >= 0
      ? fitGroup(groups[at--] as TextPart[], left)
      : // Only now it is known what stands before each of them.
        toldTogether(newest.reverse().flat()).map(({ text }) => text);
  const gap = at >= 0 ? ['[... earlier messages of this turn left out]'] : [];
  return [opening, ...gap, ...texts].filter((text) => text !== '').join('\n\n');
}

/** Parts as one request tells them. */
function toldTogether(parts: readonly TextPart[]): TextPart[] {
  const repeats = new Repeats();
  return parts.map((part) => repeats.next(part));
}

/** The text of a part, cut to a budget of raw tokens where it is larger: of several pieces each under its own mark (SU26). */
export function fitPart(
  { text, tokens, pieces = [] }: Pick<TextPart, 'text' | 'tokens' | 'pieces'>,
  budget: number,
): string {
  if (tokens <= budget) return text;
  return pieces.length > 1 ? fitPieces(pieces, budget).join('\n\n') : fitText(text, budget);
}

/** Short pieces stay whole, what is left is shared by the longer ones. O(pieces × log pieces). */
function fitPieces(pieces: readonly string[], budget: number): string[] {
  const sizes = pieces.map((piece, at) => ({ at, tokens: estimateText(piece) })).sort((a, b) => a.tokens - b.tokens);
  const fitted = [...pieces];
  let left = budget;
  sizes.forEach(({ at, tokens }, done) => {
    const share = Math.min(tokens, Math.floor(left / (sizes.length - done)));
    fitted[at] = fitText(pieces[at] as string, share);
    left -= share;
  });
  return fitted;
}

/** A text that keeps 60 % of a budget of raw tokens at its head and 40 % at its tail around a marker (SU26). */
export function fitText(text: string, budget: number): string {
  const tokens = estimateText(text);
  if (tokens <= budget) return text;
  // In proportion: a text of wide characters has fewer of them to a token.
  const room = Math.floor((text.length * budget) / tokens);
  // Who said it stays, however little is left.
  const mark = /^\[[^\]\n]{0,120}\]: /.exec(text)?.[0].length ?? 0;
  const headRoom = Math.max(mark, Math.floor(room * HEAD_SHARE));
  const { head, missing, tail } = endsOf(text, headRoom, Math.max(0, room - headRoom));
  return `${head}\n\n[... ${missing} characters left out]\n\n${escapeStart(tail)}`;
}

/** What stood within a line begins one now (SU14); the lines behind it are as they were. */
function escapeStart(text: string): string {
  const first = /^.*/u.exec(text)?.[0] ?? '';
  return escapeMarks(first) + text.slice(first.length);
}

function groupsOf(parts: readonly TextPart[]): TextPart[][] {
  const groups: TextPart[][] = [];
  for (const part of parts) {
    const open = groups.at(-1);
    if (open && !part.isGroupStart) open.push(part);
    else groups.push([part]);
  }
  return groups;
}

/** Each part of a group for itself, so that what is left of it stands under its own mark. */
function fitGroup(parts: readonly TextPart[], budget: number): string[] {
  const total = parts.reduce((sum, { tokens }) => sum + tokens, 0);
  return parts.map((part) => fitPart(part, Math.floor((budget * part.tokens) / Math.max(1, total))));
}
