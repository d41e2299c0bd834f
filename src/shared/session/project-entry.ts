import type { CompactionEntry, CustomMessageEntry, ProjectedMessage, SessionEntry } from './entry';
import { isRecord } from '../own';
import { textOf } from './message-text';

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
