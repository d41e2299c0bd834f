import type { ContentBlock, ProjectedMessage } from '../session/entry';
import { isSent } from '../session/estimate';
import {
  blocksOf,
  fileMentionText,
  isImage,
  isMissingImage,
  isText,
  MISSING_IMAGE,
  textOf,
} from '../session/message-text';
import { isRecord } from '../own';

export interface SerializeOptions {
  /** Thinking goes in too (`compaction.includeThinking`). */
  includeThinking?: boolean;
  /** Characters of a tool result or command output that stay (`compaction.toolResultChars`). */
  toolResultChars?: number;
}

export const DEFAULT_TOOL_RESULT_CHARS = 2000;

/** One message as the text of a summary request (SU15 to SU24); empty if it has nothing to say. The caller escapes section tags. */
export function serializeMessage(message: ProjectedMessage, options: SerializeOptions = {}): string {
  if (!isSent(message)) return '';
  const limit = options.toolResultChars ?? DEFAULT_TOOL_RESULT_CHARS;
  const fields: Record<string, unknown> = { ...message };
  switch (message.role) {
    case 'assistant':
      return replyParts(blocksOf(fields.content), options.includeThinking === true).join('\n\n');
    case 'toolResult': {
      const blocks = blocksOf(fields.content);
      return part('[Tool result]: ', withImages(cutText(textsOf(blocks).join('\n'), limit), blocks));
    }
    case 'bashExecution':
      return part('[User]: ', ranText('Ran', textOf(fields.command), fields, limit));
    case 'pythonExecution':
      return part('[User]: ', ranText('Ran Python', textOf(fields.code), fields, limit));
    case 'compactionSummary':
    case 'branchSummary':
      return part('[User]: ', textOf(fields.summary));
    case 'fileMention':
      return part('[User]: ', fileMentionText(fields.files));
    default: {
      const blocks = blocksOf(fields.content);
      return part('[User]: ', withImages(textsOf(blocks).join(''), blocks));
    }
  }
}

/** A text of which only the beginning stays, with a note of what is missing; never inside a surrogate pair (SU22). */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const last = text.charCodeAt(limit - 1);
  const end = last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit;
  return `${text.slice(0, end)}\n\n[... ${text.length - end} more characters truncated]`;
}

function replyParts(blocks: readonly ContentBlock[], includeThinking: boolean): string[] {
  const thinking = blocks.flatMap((block) => (block.type === 'thinking' ? [textOf(block.thinking)] : []));
  const calls = blocks.flatMap((block) =>
    block.type === 'toolCall' ? [`${textOf(block.name)}(${argumentsText(block.arguments)})`] : [],
  );
  return [
    includeThinking ? part('[Assistant thinking]: ', thinking.filter((text) => text !== '').join('\n')) : '',
    part('[Assistant]: ', withImages(textsOf(blocks).join('\n'), blocks)),
    part('[Assistant tool calls]: ', calls.join('; ')),
  ].filter((text) => text !== '');
}

function argumentsText(value: unknown): string {
  if (!isRecord(value)) return '';
  return Object.entries(value)
    .map(([key, argument]) => `${key}=${JSON.stringify(argument)}`)
    .join(', ');
}

function ranText(what: string, code: string, run: Record<string, unknown>, limit: number): string {
  const output = textOf(run.output);
  const notes = [
    run.cancelled === true ? '(cancelled)' : '',
    typeof run.exitCode === 'number' && run.exitCode !== 0 ? `(exit code ${run.exitCode})` : '',
  ].filter((note) => note !== '');
  return [`${what} \`${code}\``, output === '' ? '(no output)' : cutText(output, limit), ...notes].join('\n');
}

function textsOf(blocks: readonly ContentBlock[]): string[] {
  return blocks.filter(isText).map(({ text }) => text);
}

/** Images by kind and size, because a summary request takes none. */
function withImages(text: string, blocks: readonly ContentBlock[]): string {
  const images = blocks.filter(isImage).map((image) => {
    if (isMissingImage(image)) return MISSING_IMAGE;
    const { mimeType, data } = image;
    const kilobytes = Math.max(1, Math.round((data.length * 3) / 4 / 1024));
    return `[image: ${textOf(mimeType) || 'unknown'}, ${kilobytes} KB]`;
  });
  return [text, ...images].filter((line) => line !== '').join('\n');
}

function part(prefix: string, text: string): string {
  return text === '' ? '' : prefix + text;
}
