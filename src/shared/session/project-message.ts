import type { ContentBlock, ImageBlock, LlmMessage, ProjectedMessage, TextBlock, ToolResultMessage } from './entry';
import { isSent } from './estimate';
import { escapeSummary } from './own-blocks';
import { fileMentionText, isMissingImage, sendable, textAndImagesOf, textOf } from './message-text';

/** Texts around summaries, from `prompts/compaction`; `{{summary}}` marks the place (SU9). */
export interface SummaryFrames {
  compactionFrame: string;
  branchFrame: string;
}

const SUMMARY_PLACE = '{{summary}}';

/** A projected message in the words of a provider, or null if its role is not sent (SF14). Never throws. */
export function toLlmMessage(message: ProjectedMessage, frames: SummaryFrames): LlmMessage | null {
  if (!isSent(message)) return null;
  const timestamp = typeof message.timestamp === 'number' ? message.timestamp : 0;
  const fields: Record<string, unknown> = { ...message };
  switch (message.role) {
    case 'user':
      return withBlocks(message as LlmMessage, isTextOrImage);
    case 'toolResult':
      return withBlocks(withoutDetails(message as ToolResultMessage), isTextOrImage);
    case 'assistant':
      return withBlocks(message as LlmMessage, isReplyBlock);
    case 'bashExecution':
      return user(executionText('command', textOf(fields.command), fields), timestamp);
    case 'pythonExecution':
      return user(executionText('Python code', textOf(fields.code), fields), timestamp);
    case 'compactionSummary':
      return user(framed(frames.compactionFrame, fields), timestamp);
    case 'branchSummary':
      return user(framed(frames.branchFrame, fields), timestamp);
    case 'fileMention':
      return user(fileMentionText(fields.files), timestamp);
    default:
      return { role: 'user', content: userContent(fields.content), timestamp };
  }
}

/**
 * The message without blocks of kinds that no provider's code expects there, and with a word for each missing picture; the same
 * one if it has neither. O(blocks).
 */
function withBlocks(message: LlmMessage, isKnown: (block: ContentBlock) => boolean): LlmMessage {
  const { content } = message;
  if (typeof content === 'string' || content.every((block) => isKnown(block) && !isMissingImage(block))) return message;
  return { ...message, content: (content as ContentBlock[]).filter(isKnown).map(sendable) } as LlmMessage;
}

/** Details are for the screen: a provider is told the content, and what it is not told need not cross to its thread. */
function withoutDetails(message: ToolResultMessage): ToolResultMessage {
  if (message.details === undefined) return message;
  const { details: _, ...rest } = message;
  return rest;
}

function isTextOrImage({ type }: ContentBlock): boolean {
  return type === 'text' || type === 'image';
}

function isReplyBlock({ type }: ContentBlock): boolean {
  return type === 'text' || type === 'thinking' || type === 'toolCall';
}

function user(content: string, timestamp: number): LlmMessage {
  return { role: 'user', content, timestamp };
}

function userContent(content: unknown): string | (TextBlock | ImageBlock)[] {
  return typeof content === 'string' ? content : textAndImagesOf(content).map(sendable);
}

/** A function as replacement: a summary that holds `$&` must not be read as a pattern. */
function framed(frame: string, { summary, details }: Record<string, unknown>): string {
  return frame.replace(SUMMARY_PLACE, () => escapeSummary(textOf(summary), details));
}

function executionText(what: string, code: string, run: Record<string, unknown>): string {
  const output = textOf(run.output);
  const parts = [`The user ran this ${what}:`, fenced(code), output.trim() === '' ? '(no output)' : fenced(output)];
  if (run.cancelled === true) parts.push('(cancelled)');
  else if (typeof run.exitCode === 'number' && run.exitCode !== 0) parts.push(`(exit code ${run.exitCode})`);
  if (run.truncated === true) {
    const path = textOf(run.fullOutputPath);
    parts.push(path === '' ? '(output truncated)' : `(output truncated; full output: ${path})`);
  }
  return parts.join('\n\n');
}

/** A fence longer than any run of backticks in the text, so that the text cannot end it. */
function fenced(text: string): string {
  let longest = 2;
  for (const run of text.match(/`{3,}/g) ?? []) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
