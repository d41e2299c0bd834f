import { isRecord } from '@shared/own';

/** The dialects whose end of stream we can recognise. */
export type WireDialect = 'completions' | 'responses' | 'messages' | 'google' | 'unknown';

/**
 * How far an event takes the stream: `soft` = the model has finished, `hard` = it has, and nothing may follow, `closed` =
 * nothing that follows is read by an SDK, though the model has not finished.
 */
export type EndMark = 'none' | 'soft' | 'hard' | 'closed';

/** What stands for the end where no JSON does. The SDKs look at no more than its beginning. */
export const DONE = '[DONE]';

const RESPONSES_ENDS = new Set<unknown>(['response.completed', 'response.incomplete', 'response.failed']);

/** The dialect that a pi-ai api speaks over fetch. */
export function dialectOf(api: string): WireDialect {
  if (api.endsWith('-completions') || api === 'mistral-conversations') return 'completions';
  if (api.endsWith('-responses')) return 'responses';
  if (api === 'anthropic-messages') return 'messages';
  if (api.startsWith('google-')) return 'google';
  return 'unknown';
}

/** The end mark in one event: what its data holds as JSON, or `[DONE]`. */
export function endMarkOf(dialect: WireDialect, value: unknown): EndMark {
  if (value === DONE) {
    if (dialect === 'completions' || dialect === 'unknown') return 'hard';
    return dialect === 'responses' ? 'closed' : 'none';
  }
  if (!isRecord(value)) return 'none';
  switch (dialect) {
    case 'completions':
      return isReason(firstOf(value.choices)?.finish_reason) ? 'soft' : 'none';
    case 'responses':
      return RESPONSES_ENDS.has(value.type) ? 'hard' : 'none';
    case 'messages':
      return value.type === 'message_stop' ? 'hard' : 'none';
    case 'google':
      return isReason(firstOf(value.candidates)?.finishReason) ? 'soft' : 'none';
    case 'unknown':
      if (RESPONSES_ENDS.has(value.type) || value.type === 'message_stop') return 'hard';
      return isReason(firstOf(value.choices)?.finish_reason) || isReason(firstOf(value.candidates)?.finishReason)
        ? 'soft'
        : 'none';
  }
}

/** Whether an event begins or continues a tool call although the model had finished: such calls are not run. */
export function isLateToolCall(dialect: WireDialect, value: unknown): boolean {
  if (dialect !== 'completions' || !isRecord(value)) return false;
  const choice = firstOf(value.choices);
  const delta = isRecord(choice?.delta) ? choice.delta : {};
  return Array.isArray(delta.tool_calls) && delta.tool_calls.length > 0 && !isReason(choice?.finish_reason);
}

/** The one choice or candidate that pi-ai reads. */
function firstOf(list: unknown): Readonly<Record<string, unknown>> | undefined {
  const first: unknown = Array.isArray(list) ? list[0] : undefined;
  return isRecord(first) ? first : undefined;
}

function isReason(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}
