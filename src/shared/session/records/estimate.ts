import { isRecord } from '../../checks';
import type { ContentBlock, ProjectedMessage } from './entry';
import { blocksOf, fileMentionText, isImage, isMissingImage, isText, MISSING_IMAGE, textOf } from './message-text';

/** Units of one image: 4800 characters, 1200 tokens (TK3). */
const IMAGE_UNITS = 4800;
/** Raw tokens of one image. */
export const IMAGE_TOKENS = IMAGE_UNITS / 4;

/** The wide code points of TK3; the last alternative is 20000-3FFFF as surrogate pairs. */
const WIDE =
  /[\u1100-\u11ff\u2e80-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]|[\ud840-\ud8bf][\udc00-\udfff]/g;

/** Units of a text: 1 a UTF-16 code unit, 4 a wide code point (TK3). O(length). */
export function textUnits(text: string): number {
  let units = text.length;
  WIDE.lastIndex = 0;
  for (let match = WIDE.exec(text); match; match = WIDE.exec(text)) units += 4 - match[0].length;
  return units;
}

/** What one message weighs: raw tokens in all, images among them (count), thinking among them (raw tokens). */
export interface MessageWeight {
  raw: number;
  images: number;
  thinking: number;
}

const NOTHING: MessageWeight = { raw: 0, images: 0, thinking: 0 };

/** Roles of which at least one message reaches a model (SF14). */
const SENT_ROLES = new Set([
  'user',
  'assistant',
  'toolResult',
  'bashExecution',
  'custom',
  'hookMessage',
  'branchSummary',
  'compactionSummary',
  'developer',
  'pythonExecution',
  'fileMention',
]);

/** True if a message of this shape yields something in a context (SF14): known role, not excluded. */
export function isSent(message: ProjectedMessage): boolean {
  if (!SENT_ROLES.has(message.role)) return false;
  return !('excludeFromContext' in message && message.excludeFromContext === true);
}

/** Weight of a message (TK3). Invisible and unknown messages weigh nothing. */
export function weigh(message: ProjectedMessage): MessageWeight {
  if (!isSent(message)) return NOTHING;
  switch (message.role) {
    case 'assistant':
      return weighReply(blocksOf(message.content));
    case 'bashExecution':
      return weighText(textUnits(textOf(message.command)) + textUnits(textOf(message.output)));
    case 'pythonExecution': {
      const run: Record<string, unknown> = { ...message };
      return weighText(textUnits(textOf(run.code)) + textUnits(textOf(run.output)));
    }
    case 'branchSummary':
    case 'compactionSummary':
      return weighText(textUnits('summary' in message ? textOf(message.summary) : ''));
    case 'fileMention':
      return weighText(textUnits('files' in message ? fileMentionText(message.files) : ''));
    default:
      return weighBlocks('content' in message ? message.content : undefined);
  }
}

/** Raw token estimate of one message: ceil(units / 4) (TK3). */
export function estimateRaw(message: ProjectedMessage): number {
  return weigh(message).raw;
}

/** Raw tokens of a text. */
export function estimateText(text: string): number {
  return Math.ceil(textUnits(text) / 4);
}

function weighText(units: number): MessageWeight {
  return { raw: Math.ceil(units / 4), images: 0, thinking: 0 };
}

/** Weight of text and images, the content of every role but a reply. */
export function weighBlocks(content: unknown): MessageWeight {
  let units = 0;
  let images = 0;
  for (const block of blocksOf(content)) {
    if (isText(block)) units += textUnits(block.text);
    else if (isMissingImage(block)) units += MISSING_IMAGE.length;
    else if (isImage(block)) images++;
  }
  return { raw: Math.ceil((units + images * IMAGE_UNITS) / 4), images, thinking: 0 };
}

function weighReply(blocks: readonly ContentBlock[]): MessageWeight {
  let units = 0;
  let thinking = 0;
  let images = 0;
  for (const block of blocks) {
    if (isText(block)) units += textUnits(block.text);
    else if (isImage(block)) images++;
    else if (block.type === 'thinking') thinking += textUnits(textOf(block.thinking));
    else if (block.type === 'toolCall')
      units += textUnits(textOf(block.name)) + textUnits(argumentsJson(block.arguments));
  }
  const raw = Math.ceil((units + thinking + images * IMAGE_UNITS) / 4);
  return { raw, images, thinking: Math.floor(thinking / 4) };
}

function argumentsJson(value: unknown): string {
  return isRecord(value) || Array.isArray(value) ? JSON.stringify(value) : textOf(value);
}
