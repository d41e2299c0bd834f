import type { SessionEntry, SessionHeader } from './entry';

const BASE = ['type', 'id', 'parentId', 'timestamp'];

/** Key order of each type that has one (SF6); other keys follow as they came. A map: a foreign type may be `toString`. */
const KEY_ORDER = new Map<string, readonly string[]>(
  Object.entries({
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
  }),
);

const HEADER_ORDER = ['type', 'version', 'id', 'timestamp', 'cwd', 'parentSession'];

/** The entry with its keys in the order of SF6; keys that we do not know keep their order at the end. */
export function inKeyOrder<T extends SessionEntry>(entry: T): T {
  return ordered(entry, KEY_ORDER.get(entry.type) ?? BASE);
}

/** One line of the file for an entry, without its 0x0A. Absent fields are left out. */
export function serializeEntry(entry: SessionEntry): string {
  return JSON.stringify(inKeyOrder(entry));
}

/** The same for a record that nobody checked. @throws RangeError if it is nested too deeply to be written */
export function serializeRecord(value: Record<string, unknown> & { type: string }): string {
  return JSON.stringify(ordered(value, KEY_ORDER.get(value.type) ?? BASE));
}

/** The first line of the file, without its 0x0A (SF3). */
export function serializeHeader(header: SessionHeader): string {
  return JSON.stringify(ordered(header, HEADER_ORDER));
}

/** Defined, not assigned: a foreign entry may have a key `__proto__`, which an assignment would swallow. */
function ordered<T extends object>(source: T, order: readonly string[]): T {
  const result = {};
  const take = (key: string): void => {
    const value = (source as Record<string, unknown>)[key];
    Object.defineProperty(result, key, { value, enumerable: true, writable: true, configurable: true });
  };
  for (const key of order) if (Object.hasOwn(source, key)) take(key);
  for (const key of Object.keys(source)) if (!Object.hasOwn(result, key)) take(key);
  return result as T;
}

/**
 * A record's line with some of its fields set and everything else byte for byte: they are put behind the others, because of two
 * equal keys JSON takes the last. For records that can't be rewritten: nested too deeply, or not understood.
 * @param line one JSON object that has at least one field
 */
export function patchLine(line: string, fields: Readonly<Record<string, string | null>>): string {
  const end = line.lastIndexOf('}');
  return `${line.slice(0, end)},${JSON.stringify(fields).slice(1, -1)}${line.slice(end)}`;
}
