import { isRecord } from '@shared/checks';
import { isUnended, ranInstead } from '@shared/edited-command';
import { endOfCall, statusOfResult, textsForPerson } from '@shared/policy/call-outcome';
import { describeToolCall, wholeCall } from '@shared/policy/describe';
import type { SessionEntry } from '@shared/session/records/entry';
import { OPAQUE_TYPE } from '@shared/session/records/entry';
import {
  blocksOf,
  BY_EXTENSION,
  fileMentionText,
  isImage,
  isOfExtension,
  isText,
  saidIn,
  textOf,
} from '@shared/session/records/message-text';

/** What a copy for reading says of an entry. */
export interface Passage {
  entryId: string;
  kind: 'person' | 'model' | 'result' | 'mark' | 'note';
  /** Who speaks, or what it is: `You`, `Assistant · claude`, `bash · exit 1`. One line. */
  title: string;
  /** As it stands in the file: ISO 8601; empty where it says none. */
  time: string;
  pieces: Piece[];
}

export type Piece =
  | { kind: 'markdown'; text: string }
  /** Shown letter by letter. `label`: what it is; null where the title says it. */
  | { kind: 'raw'; label: string | null; text: string }
  | { kind: 'image'; mimeType: string; data: string };

/** What is said at a call of which no result is known; null: its result stands in the session. */
type Unanswered = (callId: string) => string | null;

/**
 * What is read of an entry (SF26); null: the transcript shows nothing of it. Pure. Whatever the entry is made of, nothing is left out.
 * @param unanswered of a reply: what is known of its calls without a result (T1)
 */
export function passageOf(entry: SessionEntry, unanswered: Unanswered = () => null): Passage | null {
  const { id: entryId, timestamp } = entry;
  // A file of another program may lack any of them.
  const { message, summary, customType, content, display } = entry as unknown as Record<string, unknown>;
  const made = (kind: Passage['kind'], title: string, pieces: Piece[]): Passage => ({
    ...{ entryId, kind, pieces },
    title: title.replace(/\s+/g, ' ').slice(0, 300),
    time: textOf(timestamp),
  });
  switch (entry.type) {
    case 'message':
      return isRecord(message) ? messagePassage(message, made, unanswered) : null;
    case 'compaction':
      return made('mark', 'Compaction: what stood above is told to the model as this summary', inMarkdown(summary));
    case 'branch_summary':
      return made('mark', 'Summary of another branch', inMarkdown(summary));
    case 'custom_message':
      return display === false ? null : made('note', textOf(customType) || 'Note', pieceList(content));
    case OPAQUE_TYPE:
      return made('note', 'A record that can’t be read', []);
    default:
      return null;
  }
}

type Made = (kind: Passage['kind'], title: string, pieces: Piece[]) => Passage;

type Block = ReturnType<typeof blocksOf>[number];

function messagePassage(message: Record<string, unknown>, made: Made, unanswered: Unanswered): Passage | null {
  switch (message.role) {
    case 'user':
      return isOfExtension(message)
        ? made('note', BY_EXTENSION, blocksOf(message.content).flatMap(saidPieces))
        : made('person', 'You', blocksOf(message.content).flatMap(saidPieces));
    case 'assistant': {
      const model = textOf(message.model);
      const title = model === '' ? 'Assistant' : `Assistant · ${model}`;
      const stop = { error: 'failed', aborted: 'stopped', length: 'cut off' }[textOf(message.stopReason)];
      const pieces = blocksOf(message.content).flatMap((block) => replyPiece(block, unanswered));
      const why = textOf(message.errorMessage);
      if (why !== '') pieces.push({ kind: 'raw', label: 'Error', text: why });
      return pieces.length === 0 && !stop ? null : made('model', stop ? `${title} · ${stop}` : title, pieces);
    }
    case 'toolResult':
      return resultPassage(message, made);
    case 'bashExecution': {
      const status =
        message.cancelled === true ? 'stopped' : message.exitCode ? `exit ${String(message.exitCode)}` : '';
      const pieces: Piece[] = [
        { kind: 'raw', label: 'Command', text: textOf(message.command) },
        { kind: 'raw', label: 'Output', text: textOf(message.output) },
      ];
      return made('person', status === '' ? 'You ran a command' : `You ran a command · ${status}`, pieces);
    }
    case 'custom':
    case 'hookMessage':
      if (message.display === false) return null;
      return made('note', textOf(message.customType) || 'Note', pieceList(message.content));
    case 'fileMention':
      return made('note', 'Files', [{ kind: 'raw', label: null, text: fileMentionText(message.files) }]);
    default:
      return made('note', textOf(message.role) || 'Message', pieceList(message.content));
  }
}

function resultPassage(message: Record<string, unknown>, made: Made): Passage {
  const name = textOf(message.toolName) || 'tool';
  const status = statusOfResult(name, message);
  const blocks = blocksOf(message.content);
  const texts = textsForPerson(
    blocks.filter(isText).map(({ text }) => text),
    message,
  );
  const { details } = message;
  const diff = isRecord(details) && endOfCall(message).note === null ? textOf(details.diff) : '';
  const raw = [...texts.filter((text) => text !== ''), ...(diff === '' ? [] : [diff])];
  const ran = ranInstead(details);
  const how = isUnended(message)
    ? 'You changed the command. If it ran, it was this'
    : 'You changed the command. This ran';
  return made('result', status === '' ? `Result of ${name}` : `Result of ${name} · ${status}`, [
    ...(ran === null ? [] : [{ kind: 'raw', label: how, text: ran } as const]),
    ...raw.map((text): Piece => ({ kind: 'raw', label: null, text })),
    ...blocks.flatMap(imagePiece),
  ]);
}

/** The words of the person; what they sent with it is not theirs, and stands letter by letter. */
function saidPieces(block: Block): Piece[] {
  if (!isText(block)) return imagePiece(block);
  const { words, sent } = saidIn(block.text);
  if (!sent) return inMarkdown(block.text);
  const label = `${sent.kind === 'file' ? 'File' : 'Skill'} ${sent.name}`;
  return [...inMarkdown(words), { kind: 'raw', label, text: sent.text }];
}

function replyPiece(block: Block, unanswered: Unanswered): Piece[] {
  const { type } = block;
  if (type === 'thinking') {
    const text = textOf((block as { thinking?: unknown }).thinking);
    return text === '' ? [] : [{ kind: 'raw', label: 'Thinking', text }];
  }
  if (type !== 'toolCall') return piecesOf(block);
  const { id, name, arguments: given } = block as { id?: unknown; name?: unknown; arguments?: unknown };
  const piece = callPiece(textOf(name) || 'tool', given);
  const status = unanswered(textOf(id));
  return [status === null ? piece : { ...piece, label: `${piece.label ?? ''} · ${status}` }];
}

/** A call with all that it was made with; what it writes or changes as lines. */
function callPiece(tool: string, given: unknown): Piece & { kind: 'raw' } {
  const { ask, whole } = describeToolCall(tool, given);
  const args = isRecord(given) ? given : {};
  if (tool === 'write' && typeof args.content === 'string')
    return { kind: 'raw', label: `${ask} ${whole}`, text: args.content };
  if (tool === 'edit' && Array.isArray(args.edits) && args.edits.every(isRecord)) {
    const lines = args.edits.flatMap(({ oldText, newText }) => [
      ...textOf(oldText)
        .split('\n')
        .map((line) => `-${line}`),
      ...textOf(newText)
        .split('\n')
        .map((line) => `+${line}`),
    ]);
    return { kind: 'raw', label: `${ask} ${whole}`, text: lines.join('\n') };
  }
  return { kind: 'raw', label: ask, text: wholeCall(tool, given, whole) };
}

const pieceList = (content: unknown): Piece[] => blocksOf(content).flatMap(piecesOf);

function piecesOf(block: Block): Piece[] {
  if (isText(block)) return inMarkdown(block.text);
  return imagePiece(block);
}

function imagePiece(block: Block): Piece[] {
  if (!isImage(block)) return [];
  return [{ kind: 'image', mimeType: textOf(block.mimeType), data: block.data }];
}

const inMarkdown = (text: unknown): Piece[] => (textOf(text) === '' ? [] : [{ kind: 'markdown', text: textOf(text) }]);
