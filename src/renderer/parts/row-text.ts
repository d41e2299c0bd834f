/** A message in one line, for lists: of the Compact sheet, of pins. Pure. */
import type { ListedItem, PreviewKind } from '@shared/compaction/preview';
import { beginningOf, shownCallId } from '@shared/cut-text';
import { visibleString } from '@shared/policy/visible-text';
import { endOfCall, statusOfResult, wordsOfCall } from '@shared/policy/call-outcome';
import type { ContentBlock, SessionEntry } from '@shared/session/records/entry';
import { blocksOf, isImage, isText, listedWords, textOf } from '@shared/session/records/message-text';
import { isRecord } from '@shared/checks';
import { ranInstead } from '@shared/edited-command';
import { firstLineOf } from '@shared/excerpt';

export const ROLES: Record<PreviewKind, string> = {
  user: 'you',
  assistant: 'assistant',
  tool: 'tool',
  command: 'command',
  branch: 'branch',
  note: 'note',
};

const MAX_CHARS = 240;
/** Characters of a text in which its first line is looked for. */
const MAX_READ = 4000;

/** The first line of what an item says, in visible form (docs/specs/safety.md C1); null while its body is on its way. */
export function textOfItem(item: ListedItem, entry: (id: string) => SessionEntry | undefined): string | null {
  const own = entry(item.id);
  if (item.kind === 'tool') return toolText(item, item.call && entry(item.call.entryId), own);
  if (!own) return null;
  if (item.kind === 'branch') return `Summary of another branch: ${firstLine(textOf(fieldOf(own, 'summary')))}`;
  const message = messageOf(own);
  if (item.kind === 'command') return `ran ${firstOfCommand(textOf(message.command) || textOf(message.code))}`;
  const blocks = blocksOf(message.content);
  if (message.role === 'user') return firstLine(listedWords(message.content)) || besides(blocks);
  const spoken = blocks.filter(isText).find(({ text }) => text.trim() !== '');
  return firstLine(spoken?.text) || besides(blocks);
}

/** The call names what was done; the result alone only says what came of it. */
function toolText(
  { tool = '', call }: ListedItem,
  caller: SessionEntry | undefined,
  own: SessionEntry | undefined,
): string | null {
  if (call && !caller) return null;
  const blocks = caller ? blocksOf(messageOf(caller).content) : [];
  const found = blocks.find((block) => block.type === 'toolCall' && shownCallId(block.id) === call?.id);
  const result = own ? messageOf(own) : {};
  const asked = found?.type === 'toolCall' ? found.arguments : {};
  const ran = ranInstead(result.details);
  const args = ran === null ? asked : { ...asked, command: ran };
  const status = statusOfResult(tool, result, args);
  const { verb, target } = wordsOfCall(tool, args, endOfCall(result));
  return cut(`${verb} ${target}`) + (status === '' ? '' : ` · ${status}`);
}

/** A message without words: what it holds instead. */
function besides(blocks: readonly ContentBlock[]): string {
  const calls = blocks.filter((block) => block.type === 'toolCall');
  const [first] = calls;
  if (first) {
    const { verb, target } = wordsOfCall(textOf(first.name), first.arguments, null);
    const more = calls.length > 1 ? `, and ${calls.length - 1} more` : '';
    return cut(`${verb} ${target}`) + more;
  }
  if (blocks.some(isImage)) return 'an image';
  return blocks.some(({ type }) => type === 'thinking') ? 'thinking' : 'nothing';
}

function messageOf(entry: SessionEntry): Record<string, unknown> {
  const message = fieldOf(entry, 'message');
  // A custom message has its content on the entry itself.
  return isRecord(message) ? message : { ...entry };
}

function fieldOf(entry: SessionEntry, key: string): unknown {
  return (entry as unknown as Record<string, unknown>)[key];
}

/** Without the marks of Markdown (TS14). */
function firstLine(text: unknown): string {
  return visibleString(cut(firstLineOf(textOf(text).slice(0, MAX_READ))));
}

/** As it is: what looks like Markdown in a command is none. */
function firstOfCommand(command: string): string {
  const line = command
    .slice(0, MAX_READ)
    .split('\n')
    .find((part) => part.trim() !== '');
  return visibleString(cut((line ?? '').replace(/\s+/g, ' ').trim()));
}

const cut = (text: string): string => beginningOf(text, MAX_CHARS);
