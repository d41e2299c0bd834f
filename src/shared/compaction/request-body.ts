import { escapeInserted } from '../session/escape-marks';
import { escapeSectionTags } from '../session/escape-tags';
import { stripTagBlocks } from './tag-blocks';

/** What goes into the body of one summary request (SU11). */
export interface BodyParts {
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
export interface SummaryReplies {
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
  const next = lines.findIndex((line, index) => index >= from && /^#/.test(line));
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
