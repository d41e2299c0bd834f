import type { SessionEntry, SessionHeader } from './entry';

const BASE = ['type', 'id', 'parentId', 'timestamp'];

/** Key order of each type that has one (engine.md 1.4); other keys follow as they came. */
const KEY_ORDER: Record<string, readonly string[]> = {
  message: [...BASE, 'message'],
  model_change: [...BASE, 'provider', 'modelId'],
  thinking_level_change: [...BASE, 'thinkingLevel'],
  compaction: [
    ...BASE,
    'summary',
    'firstKeptEntryId',
    'tokensBefore',
    'details',
    'usage',
    'fromHook',
    'shortSummary',
    'preserveData',
  ],
  branch_summary: [...BASE, 'fromId', 'summary', 'details', 'usage', 'fromHook'],
  custom: ['type', 'customType', 'data', 'id', 'parentId', 'timestamp'],
  custom_message: ['type', 'customType', 'content', 'display', 'details', 'id', 'parentId', 'timestamp'],
  label: [...BASE, 'targetId', 'label'],
  session_info: [...BASE, 'name'],
  context_edit: [...BASE, 'targetId', 'replacement'],
};

const HEADER_ORDER = ['type', 'version', 'id', 'timestamp', 'cwd', 'parentSession'];

/** The entry with its keys in the order of engine.md 1.4; keys that we do not know keep their order at the end. */
export function inKeyOrder<T extends SessionEntry>(entry: T): T {
  return ordered(entry, KEY_ORDER[entry.type] ?? BASE);
}

/** One line of the file for an entry, without its 0x0A. Absent fields are left out. */
export function serializeEntry(entry: SessionEntry): string {
  return JSON.stringify(inKeyOrder(entry));
}

/** The first line of the file, without its 0x0A (engine.md 1.2). */
export function serializeHeader(header: SessionHeader): string {
  return JSON.stringify(ordered(header, HEADER_ORDER));
}

function ordered<T extends object>(source: T, order: readonly string[]): T {
  const values = new Map<string, unknown>(Object.entries(source));
  const result: [string, unknown][] = [];
  for (const key of order) if (values.has(key)) result.push([key, values.get(key)]);
  for (const [key, value] of values) if (!order.includes(key)) result.push([key, value]);
  return Object.fromEntries(result) as T;
}
