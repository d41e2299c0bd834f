import { MAX_CALL_ID_CHARS } from '@shared/cut-text';
import { byName, fields, listOf, map, maybe, record, text, wrong, type Check, type Flaw } from '@shared/checks';
import { isDeeper, MAX_DEPTH } from '@shared/session/records/check-entry';
import type { WireDialect } from './wire-events';

/** Longer ids are no ids: each is stored, shown and sent again with every request. Characters. */
export const MAX_ID_CHARS = MAX_CALL_ID_CHARS;
/** Blocks and calls that a reply may number. */
const MAX_INDEX = 100_000;

const id: Check = (value) => {
  if (typeof value !== 'string') return wrong(value);
  return value.length > MAX_ID_CHARS ? { path: '', found: `over ${MAX_ID_CHARS} characters long` } : null;
};
const givenId: Check = (value) => (value === '' ? { path: '', found: 'empty' } : id(value));
/** Figures of usage are judged one by one when the reply is whole. */
const given: Check = (value) => (value === undefined || value === null ? wrong(value) : null);
const index: Check = (value) => {
  if (typeof value !== 'number') return wrong(value);
  const isIndex = Number.isInteger(value) && value >= 0 && value <= MAX_INDEX;
  return isIndex ? null : { path: '', found: `the number ${value}` };
};

const CHUNK = fields({
  id: maybe(id),
  choices: maybe(
    listOf(
      fields({
        finish_reason: maybe(text),
        delta: maybe(
          fields({
            content: maybe(text),
            reasoning_content: maybe(text),
            reasoning: maybe(text),
            reasoning_text: maybe(text),
            reasoning_details: maybe(listOf(record)),
            tool_calls: maybe(
              listOf(
                fields({
                  index: maybe(index),
                  id: maybe(id),
                  function: maybe(fields({ arguments: maybe(text) })),
                }),
              ),
            ),
          }),
        ),
      }),
    ),
  ),
});

const part = fields({ text: maybe(text), refusal: maybe(text) });
const ITEM = byName(
  'type',
  map({
    message: fields({ id: maybe(id), content: maybe(listOf(part)), phase: maybe(text) }),
    reasoning: fields({ id: maybe(id), summary: maybe(listOf(part)), content: maybe(listOf(part)) }),
    function_call: fields({ id: maybe(id), call_id: givenId, arguments: maybe(text) }),
  }),
);
const responseEnd = fields({
  response: fields({
    id: maybe(id),
    status: maybe(text),
    error: maybe(fields({ code: maybe(text), message: maybe(text) })),
    incomplete_details: maybe(fields({ reason: maybe(text) })),
  }),
});
const delta = fields({ delta: text });
const RESPONSES = byName(
  'type',
  map({
    error: fields({ code: maybe(text), message: maybe(text) }),
    'response.created': fields({ response: fields({ id: maybe(id) }) }),
    'response.output_item.added': fields({ item: ITEM }),
    'response.output_item.done': fields({ item: ITEM }),
    'response.content_part.added': fields({ part }),
    'response.reasoning_summary_part.added': fields({ part }),
    'response.output_text.delta': delta,
    'response.refusal.delta': delta,
    'response.reasoning_summary_text.delta': delta,
    'response.reasoning_text.delta': delta,
    'response.function_call_arguments.delta': delta,
    'response.function_call_arguments.done': fields({ arguments: text }),
    'response.completed': responseEnd,
    'response.incomplete': responseEnd,
    'response.failed': responseEnd,
  }),
);

const MESSAGES = byName(
  'type',
  map({
    error: fields({ error: maybe(record) }),
    message_start: fields({ message: fields({ id: maybe(id), usage: given }) }),
    content_block_start: fields({
      index,
      content_block: byName(
        'type',
        map({
          text: fields({ text: maybe(text) }),
          thinking: fields({ thinking: maybe(text), signature: maybe(text) }),
          redacted_thinking: fields({ data: text }),
          tool_use: fields({ id: maybe(id), input: maybe(record) }),
        }),
      ),
    }),
    content_block_delta: fields({
      index,
      delta: byName(
        'type',
        map({
          text_delta: fields({ text }),
          thinking_delta: fields({ thinking: text }),
          input_json_delta: fields({ partial_json: text }),
          signature_delta: fields({ signature: text }),
        }),
      ),
    }),
    content_block_stop: fields({ index }),
    message_delta: fields({ delta: maybe(fields({ stop_reason: maybe(text) })) }),
  }),
);

const SCHEMAS: Partial<Record<WireDialect, Check>> = { completions: CHUNK, responses: RESPONSES, messages: MESSAGES };

/**
 * What in the JSON of one event is not of the type that the wire's protocol gives it, or null. Only fields that are read are
 * looked at, and what is left out or null counts as nothing where servers do that; how deep it is nested counts everywhere,
 * for whatever is kept is written as JSON and cloned. The names of tools are not judged: a model makes them up. O(event).
 */
export function flawOfEvent(dialect: WireDialect, value: unknown): Flaw | null {
  const schema = SCHEMAS[dialect];
  if (!schema) return null;
  const flaw = schema(value);
  if (flaw) return flaw;
  const isDeep = typeof value === 'object' && value !== null && isDeeper(value, MAX_DEPTH);
  return isDeep ? { path: '', found: `nested more than ${MAX_DEPTH} levels deep` } : null;
}

/** Whether events of a dialect are checked, so that no SDK sees one that was not. */
export function isCheckedDialect(dialect: WireDialect): boolean {
  return SCHEMAS[dialect] !== undefined;
}
