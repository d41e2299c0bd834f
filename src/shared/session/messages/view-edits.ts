import { commandInShort, isUnended, ranInstead, tellsEdited, tellsPerhapsEdited } from '../../edited-command';
import type { ImageBlock, ProjectedMessage, TextBlock } from '../records/entry';
import { blocksOf, isImage, isText } from '../records/message-text';

/** How a prune shows a tool result: as a notice, as its head and tail, or without images (SF11, TG16, PR5). */
export type PruneMode = 'elide' | 'shorten' | 'images';

/** What the path's view edits make of one entry (CX1). The file keeps the original. */
export interface ViewEdit {
  omitted: boolean;
  /** Latest `context_edit`: null removes, an object replaces the content. */
  replacement?: null | { content: unknown };
  prune?: { mode: PruneMode; tokens: number };
}

/** Characters that `shorten` leaves at the head and at the tail (TG16). */
export const SHORTEN_HEAD = 2000;
export const SHORTEN_TAIL = 1000;

/** Stands for what `images` took away, where nothing else is left. */
export const IMAGE_REMOVED_NOTICE = '[Image removed]';

/** The notice that stands for an elided tool result (PR3). */
export function elisionNotice(tokens: number): string {
  return `[Output truncated - ${tokens} tokens]`;
}

/** True if an edit leaves nothing of its target. */
export function removes(edit: ViewEdit | undefined): boolean {
  return edit !== undefined && (edit.omitted || edit.replacement === null);
}

/** A message as its view edits show it. `removes(edit)` was asked before. The original is not changed. */
export function applyEdit(message: ProjectedMessage, edit: ViewEdit): ProjectedMessage {
  const replaced = edit.replacement ? replaceContent(message, edit.replacement.content) : message;
  if (!edit.prune || !('content' in replaced)) return replaced;
  const content = prunedContent(replaced.content, edit.prune.mode, edit.prune.tokens);
  const also = edit.prune.mode === 'elide' ? editSentence(replaced) : null;
  return { ...replaced, content: also ? withLine(content, also) : content } as ProjectedMessage;
}

/** Whatever is hidden of its output: another command ran, or may have, than the one that the model asked for. Null: its own. */
function editSentence(message: ProjectedMessage): string | null {
  const result = message as { details?: unknown; isError?: unknown };
  const ran = message.role === 'toolResult' ? ranInstead(result.details) : null;
  if (ran === null) return null;
  return (isUnended(result) ? tellsPerhapsEdited : tellsEdited)(commandInShort(ran));
}

function withLine([first, ...rest]: (TextBlock | ImageBlock)[], line: string): (TextBlock | ImageBlock)[] {
  return first?.type === 'text' ? [{ ...first, text: `${line}\n${first.text}` }, ...rest] : [];
}

function replaceContent(message: ProjectedMessage, content: unknown): ProjectedMessage {
  switch (message.role) {
    case 'branchSummary':
    case 'compactionSummary':
      return { ...message, summary: plainText(content) } as ProjectedMessage;
    case 'bashExecution':
    case 'pythonExecution':
    case 'fileMention':
      return { role: 'user', content: plainText(content), timestamp: message.timestamp ?? 0 };
    case 'assistant':
    case 'toolResult':
      return { ...message, content: blocksOf(content) } as ProjectedMessage;
    default:
      return { ...message, content: typeof content === 'string' ? content : blocksOf(content) } as ProjectedMessage;
  }
}

function plainText(content: unknown): string {
  return blocksOf(content)
    .filter(isText)
    .map((block) => block.text)
    .join('');
}

function prunedContent(content: unknown, mode: PruneMode, tokens: number): (TextBlock | ImageBlock)[] {
  if (mode === 'elide') return [{ type: 'text', text: elisionNotice(tokens) }];
  const blocks = blocksOf(content);
  if (mode === 'shorten') {
    const text = shorten(
      blocks
        .filter(isText)
        .map((block) => block.text)
        .join('\n'),
    );
    return [{ type: 'text', text }, ...blocks.filter(isImage)];
  }
  const texts = blocks.filter(isText);
  const isBare = texts.every((block) => block.text === '') && texts.length < blocks.length;
  return isBare ? [{ type: 'text', text: IMAGE_REMOVED_NOTICE }] : texts;
}

/** Head and tail of a long text around a marker that says how much is missing; never cuts a surrogate pair. */
function shorten(text: string): string {
  if (text.length <= SHORTEN_HEAD + SHORTEN_TAIL) return text;
  const headEnd = isHighSurrogate(text.charCodeAt(SHORTEN_HEAD - 1)) ? SHORTEN_HEAD - 1 : SHORTEN_HEAD;
  const tail = text.length - SHORTEN_TAIL;
  const tailStart = isHighSurrogate(text.charCodeAt(tail - 1)) ? tail + 1 : tail;
  const removed = tailStart - headEnd;
  return `${text.slice(0, headEnd)}\n\n[... ${removed} characters truncated]\n\n${text.slice(tailStart)}`;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
