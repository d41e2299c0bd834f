import { isRecord } from '../../checks';
import { CUT_OFF, endOfFacts, type KnownEnd, toldAtCall } from '../../policy/call-outcome';
import type { ContentBlock, ImageBlock, SessionEntry, TextBlock, UserMessage } from '../records/entry';
import {
  blocksOf,
  fileMentionText,
  isMissingImage,
  isText,
  MISSING_IMAGE,
  isOfExtension,
  saidIn,
  textAndImagesOf,
  textOf,
} from '../records/message-text';
import { escapeBreaks, escapePinned, escapeSectionTags, plainName } from '../records/own-marks';
import type { TreeNode } from '../records/tree-node';
import { belowReply } from './below-reply';

/** What became of the calls of a pinned reply, by their ids. */
type EndsOf = (entry: SessionEntry) => ReadonlyMap<string, KnownEnd>;

/** Words of an entry, or ours between them (`own`): nothing in the others can read as those do. */
type Piece = { words: string } | { own: string } | { image: ImageBlock };

/**
 * The one user message that carries hidden pinned entries word for word, images too (PN2). What stands in one poses as no other entry,
 * and what the person did not say stands apart from their words.
 */
export function pinnedMessage(entries: readonly SessionEntry[], timestamp: number, endsOf?: EndsOf): UserMessage {
  const content: (TextBlock | ImageBlock)[] = [];
  let text = '<pinned>\nEarlier messages, word for word: what the person pinned, and the newest of what they said.';
  for (const entry of entries) {
    text += `\n\n[entry:${plainName(entry.id)}] ${speakerOf(entry)}:\n`;
    // As a whole: a mark may be parted between two blocks.
    let words = '';
    const told = (): string => {
      const escaped = escapePinned(words);
      words = '';
      return escaped;
    };
    for (const piece of piecesOf(entry, endsOf)) {
      if ('words' in piece) words += piece.words;
      else if ('own' in piece) text += told() + piece.own;
      else {
        content.push({ type: 'text', text: text + told() }, piece.image);
        text = '';
      }
    }
    text += told();
  }
  content.push({ type: 'text', text: `${text}\n</pinned>` });
  return { role: 'user', content, timestamp };
}

/** What is known of the calls of a reply of the tree. O(what stands below it before anything else is said). */
export function endsBelow(reply: TreeNode): ReadonlyMap<string, KnownEnd> {
  const ends = new Map<string, KnownEnd>();
  if (!reply.facts.calls) return ends;
  const { answers, edits } = belowReply(reply);
  for (const [id, { facts }] of answers) ends.set(id, { end: endOfFacts(facts), ran: edits.get(id)?.ran ?? null });
  return ends;
}

function speakerOf(entry: SessionEntry): string {
  if (entry.type !== 'message') return entry.type.replace('_', ' ');
  const { message } = entry as { message?: unknown };
  if (!isRecord(message)) return 'message';
  const { role } = message;
  if (role === 'toolResult') return `result of ${plainName(textOf(message.toolName))}`;
  if (role === 'bashExecution') return 'command of the user';
  if (isOfExtension(message)) return 'note of an extension';
  return plainName(textOf(role));
}

function piecesOf(entry: SessionEntry, endsOf: EndsOf | undefined): Piece[] {
  if (entry.type === 'branch_summary') return [{ words: textOf((entry as { summary?: unknown }).summary) }];
  if (entry.type === 'custom_message') return blockPieces(textAndImagesOf((entry as { content?: unknown }).content));
  const { message } = entry as { message?: unknown };
  if (!isRecord(message)) return [];
  switch (message.role) {
    case 'user':
      return saidPieces(textAndImagesOf(message.content));
    case 'assistant':
      return replyPieces(message, endsOf?.(entry));
    case 'bashExecution':
      return ranPieces(textOf(message.command), textOf(message.output));
    case 'pythonExecution':
      return ranPieces(textOf(message.code), textOf(message.output));
    case 'fileMention':
      return [{ words: fileMentionText(message.files) }];
    default:
      return blockPieces(textAndImagesOf(message.content));
  }
}

function blockPieces(blocks: readonly (TextBlock | ImageBlock)[]): Piece[] {
  return blocks.map((block): Piece => {
    if (block.type === 'text') return { words: block.text };
    return isMissingImage(block) ? { own: MISSING_IMAGE } : { image: block };
  });
}

/** What the person said; behind it files and the skill that came with it, which are not their words (PN4). */
function saidPieces(blocks: readonly (TextBlock | ImageBlock)[]): Piece[] {
  const sent: string[] = [];
  const said = blocks.flatMap((block): (TextBlock | ImageBlock)[] => {
    if (block.type !== 'text') return [block];
    const { words, sent: came } = saidIn(block.text);
    if (!came) return [block];
    sent.push(came.kind === 'file' ? block.text : came.text);
    return [{ type: 'text', text: words }];
  });
  return [...blockPieces(said), ...sent.flatMap((words): Piece[] => [{ own: '\n\n[sent with it]\n' }, { words }])];
}

/** What the person ran, and apart from it what it printed. */
function ranPieces(code: string, output: string): Piece[] {
  return [{ words: code }, { own: '\n\n[output]\n' }, { words: output }];
}

/** Text and calls of a reply, and what became of these (T1); thinking is not a part of what was said. */
function replyPieces(message: Record<string, unknown>, ends: ReadonlyMap<string, KnownEnd> | undefined): Piece[] {
  const isBroken = ['error', 'aborted', 'length'].includes(textOf(message.stopReason));
  let isBehindCall = false;
  return blocksOf(message.content).flatMap((block): Piece[] => {
    if (isText(block)) {
      const words = { words: block.text };
      // On a line of its own it does not read as what became of the call.
      const pieces = isBehindCall ? [{ own: '\n' }, words] : [words];
      isBehindCall = false;
      return pieces;
    }
    if (block.type !== 'toolCall') return [];
    isBehindCall = true;
    const end = ends?.get(textOf(block.id)) ?? { end: isBroken ? CUT_OFF : null, ran: null };
    return [{ own: callText(block, escapeSectionTags(escapeBreaks(toldAtCall(end)))) }];
  });
}

function callText(block: ContentBlock & { type: 'toolCall' }, note: string): string {
  const given = escapeSectionTags(escapeBreaks(JSON.stringify(block.arguments ?? {})));
  return `\n[call] ${plainName(textOf(block.name))}(${given})${note === '' ? '' : ` [${note}]`}`;
}
