import { isRecord } from '../../checks';
import {
  type CompactionEntry,
  type ContentBlock,
  type CustomMessageEntry,
  type ImageBlock,
  type LlmMessage,
  MissingBodiesError,
  type ProjectedMessage,
  type SessionEntry,
  type TextBlock,
  type ToolResultMessage,
} from '../records/entry';
import { isSent } from '../records/estimate';
import { fileMentionText, isMissingImage, sendable, textAndImagesOf, textOf } from '../records/message-text';
import { escapeSummary } from '../records/own-marks';
import type { TreeNode } from '../records/tree-node';
import { endsBelow, pinnedMessage } from './pinned-message';
import type { PlanItem } from './plan-item';
import { applyEdit } from './view-edits';

/**
 * The message of an entry that emits one, without view edits (CX1).
 * @param timestamp of the entry, Unix milliseconds
 */
export function projectEntry(entry: SessionEntry, timestamp: number): ProjectedMessage {
  switch (entry.type) {
    case 'compaction': {
      const { summary, tokensBefore } = entry as CompactionEntry;
      return { role: 'compactionSummary', summary: textOf(summary), tokensBefore, timestamp, ...listsOf(entry) };
    }
    case 'branch_summary': {
      const { summary, fromId } = entry as { summary?: unknown; fromId?: unknown };
      return { role: 'branchSummary', summary: textOf(summary), fromId: textOf(fromId), timestamp, ...listsOf(entry) };
    }
    case 'custom_message': {
      const { customType, content, display, details } = entry as CustomMessageEntry;
      return { role: 'custom', customType, content: content ?? '', display, details, timestamp };
    }
    default:
      return withContent((entry as { message: ProjectedMessage }).message);
  }
}

/** The details of a summary of ours that list files; of an extension's nothing is ours (SU13). */
function listsOf(entry: SessionEntry): { details?: unknown } {
  const { details, fromHook, fromExtension } = entry as {
    details?: unknown;
    fromHook?: unknown;
    fromExtension?: unknown;
  };
  return isRecord(details) && fromHook !== true && fromExtension !== true ? { details } : {};
}

const ROLES_WITH_BLOCKS = new Set(['assistant', 'toolResult']);

/** Missing content is empty (CX1). */
function withContent(message: ProjectedMessage): ProjectedMessage {
  if (!('content' in message) || message.content === undefined || message.content === null) {
    if (ROLES_WITH_BLOCKS.has(message.role)) return { ...message, content: [] } as ProjectedMessage;
    if (message.role === 'user' || message.role === 'custom') return { ...message, content: '' } as ProjectedMessage;
  }
  return message;
}

/**
 * The message of a planned item, view edits applied.
 * @param bodyOf where the bodies are; default: in the tree
 * @throws MissingBodiesError
 */
export function projectItem(
  { node, edit, pinned }: PlanItem,
  bodyOf: (node: TreeNode) => SessionEntry = residentBody,
): ProjectedMessage {
  if (pinned) {
    const nodes = new Map(pinned.map((entry) => [entry.id, entry]));
    const endsOf = ({ id }: SessionEntry): ReturnType<typeof endsBelow> => {
      const reply = nodes.get(id);
      return reply ? endsBelow(reply) : new Map();
    };
    return pinnedMessage(pinned.map(bodyOf), node.timeMs, endsOf);
  }
  const message = projectEntry(bodyOf(node), node.timeMs);
  return edit ? applyEdit(message, edit) : message;
}

function residentBody(node: TreeNode): SessionEntry {
  if (!node.body) throw new MissingBodiesError([node.id]);
  return node.body;
}

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
