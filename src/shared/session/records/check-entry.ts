import {
  anything,
  byName,
  type Check,
  fields,
  finite,
  type Flaw,
  inside,
  isRecord,
  listOf,
  map,
  maybe,
  number,
  record,
  text,
  truth,
  wrong,
} from '../../checks';
import { OWN_ENTRIES } from './own-entries';

/**
 * What a record must look like to be used: one schema a type, of the fields that we read and no others (docs/specs/safety.md
 * A3). Absent and null stand for "nothing", as in files of other programs; everything else has the type that its reader
 * relies on.
 */

/** Nested deeper, JSON can be read but no longer written, cloned or compared without running out of stack. */
export const MAX_DEPTH = 200;

const BLOCK = byName(
  'type',
  map({
    text: fields({ text, textSignature: maybe(text) }),
    image: fields({ data: text, mimeType: text }),
    thinking: fields({ thinking: text, thinkingSignature: maybe(text), redacted: maybe(truth) }),
    toolCall: fields({ id: text, name: text, arguments: record, thoughtSignature: maybe(text) }),
  }),
);
const blocks = listOf(BLOCK);
const textOrBlocks: Check = (value) => (typeof value === 'string' ? null : blocks(value));

const usage = fields({
  input: maybe(number),
  output: maybe(number),
  cacheRead: maybe(number),
  cacheWrite: maybe(number),
  totalTokens: maybe(number),
  cost: maybe(fields({ total: maybe(number) })),
});

const custom = fields({
  customType: maybe(text),
  content: maybe(textOrBlocks),
  display: maybe(truth),
});

const MESSAGE = byName(
  'role',
  map({
    user: fields({ content: maybe(textOrBlocks) }),
    developer: fields({ content: maybe(textOrBlocks) }),
    custom,
    hookMessage: custom,
    assistant: fields({
      content: maybe(blocks),
      api: maybe(text),
      provider: maybe(text),
      model: maybe(text),
      usage: maybe(usage),
      stopReason: maybe(text),
      errorMessage: maybe(text),
    }),
    toolResult: fields({
      toolCallId: maybe(text),
      toolName: maybe(text),
      content: maybe(blocks),
      isError: maybe(truth),
    }),
    bashExecution: fields({
      command: text,
      output: text,
      exitCode: maybe(number),
      cancelled: maybe(truth),
      truncated: maybe(truth),
      fullOutputPath: maybe(text),
      excludeFromContext: maybe(truth),
    }),
    pythonExecution: fields({ code: maybe(text), output: maybe(text), exitCode: maybe(number) }),
    fileMention: fields({ files: maybe(listOf(fields({ path: maybe(text), content: maybe(text) }))) }),
  }),
);

const texts = listOf(text);

/** Of an extension `details` may be anything; ours have lists of files and what `espalier` says. */
const summaryDetails = maybe((value) =>
  isRecord(value)
    ? fields({
        readFiles: maybe(texts),
        modifiedFiles: maybe(texts),
        espalier: maybe(
          fields({
            reason: maybe(text),
            instructions: maybe(text),
            model: maybe(text),
            entriesSummarized: maybe(finite),
            tokensAfter: maybe(finite),
            durationMs: maybe(finite),
            calls: maybe(finite),
            cost: maybe(finite),
            keptUserEntryIds: maybe(texts),
            replaces: maybe(text),
            ancestorId: maybe(text),
            broughtOver: maybe(truth),
            conflicts: maybe(texts),
          }),
        ),
      })(value)
    : null,
);

const customEntry: Check = (value) => {
  if (!isRecord(value)) return wrong(value);
  const { customType, data } = value;
  if (typeof customType !== 'string') return inside('customType', wrong(customType));
  const flaw = OWN_ENTRIES.get(customType)?.data(data);
  return flaw ? inside('data', flaw) : null;
};

const ENTRIES = map({
  message: fields({ message: MESSAGE }),
  model_change: fields({ provider: maybe(text), modelId: maybe(text), model: maybe(text), role: maybe(text) }),
  thinking_level_change: fields({ thinkingLevel: maybe(text) }),
  compaction: fields({
    summary: text,
    firstKeptEntryId: maybe(text),
    tokensBefore: maybe(finite),
    details: summaryDetails,
    usage: maybe(usage),
    fromHook: maybe(truth),
    fromExtension: maybe(truth),
    shortSummary: maybe(text),
    preserveData: maybe(record),
  }),
  branch_summary: fields({
    fromId: maybe(text),
    summary: text,
    details: summaryDetails,
    usage: maybe(usage),
    fromHook: maybe(truth),
    fromExtension: maybe(truth),
  }),
  custom: customEntry,
  custom_message: fields({ customType: maybe(text), content: maybe(textOrBlocks), display: maybe(truth) }),
  label: fields({ targetId: text, label: maybe(text) }),
  session_info: fields({ name: maybe(text) }),
  context_edit: fields({ targetId: text, replacement: maybe(fields({ content: maybe(textOrBlocks) })) }),
  reset_boundary: anything,
});

const BASE = fields({ parentId: maybe(text), timestamp: maybe(text) });

/** What keeps a record of a session file from being used, or null. A type that we do not know is left alone. O(size). */
export function flawOf(entry: Readonly<Record<string, unknown>>): Flaw | null {
  const flaw = BASE(entry) ?? ENTRIES.get(String(entry.type))?.(entry) ?? null;
  if (flaw) return flaw;
  return isDeeper(entry, MAX_DEPTH) ? { path: '', found: `nested more than ${MAX_DEPTH} levels deep` } : null;
}

/** True if objects and lists are nested in more levels than that. Calls itself, but never deeper than it allows. O(size). */
export function isDeeper(value: object, levels: number): boolean {
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (const inner of value as unknown[]) {
      if (typeof inner === 'object' && inner !== null && isDeeper(inner, levels - 1)) return true;
    }
    return false;
  }
  for (const key in value) {
    const inner = (value as Record<string, unknown>)[key];
    if (typeof inner === 'object' && inner !== null && isDeeper(inner, levels - 1)) return true;
  }
  return false;
}
