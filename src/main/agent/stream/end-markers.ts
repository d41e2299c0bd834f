/** The dialects whose end of stream we can recognise. */
export type WireDialect = 'completions' | 'responses' | 'messages' | 'google' | 'unknown';

/** How far a line takes the stream: `soft` = the model has finished, `hard` = nothing may follow. */
export type EndMark = 'none' | 'soft' | 'hard';

/** Patterns match structure only: inside a JSON string the quotes around a key would be escaped. */
const FINISH_REASON = /"finish_reason"\s*:\s*"[^"]/;
const GOOGLE_FINISH = /"finishReason"\s*:\s*"[^"]/;
const RESPONSES_END = /"type"\s*:\s*"response\.(?:completed|incomplete|failed)"/;
const MESSAGE_STOP = /"type"\s*:\s*"message_stop"/;
const DONE = /^data:\s*\[DONE\]\s*$/;
const LATE_TOOL_CALLS = /"tool_calls"\s*:\s*\[\s*\{/;

/** The dialect that a pi-ai api speaks over fetch. */
export function dialectOf(api: string): WireDialect {
  if (api.endsWith('-completions') || api === 'mistral-conversations') return 'completions';
  if (api.endsWith('-responses')) return 'responses';
  if (api === 'anthropic-messages') return 'messages';
  if (api.startsWith('google-')) return 'google';
  return 'unknown';
}

/** The end mark on one line of the body, without its line break. */
export function endMarkOf(dialect: WireDialect, line: string): EndMark {
  if (line.length === 0 || line.startsWith(':')) return 'none';
  switch (dialect) {
    case 'completions':
      if (DONE.test(line)) return 'hard';
      return FINISH_REASON.test(line) ? 'soft' : 'none';
    case 'responses':
      return RESPONSES_END.test(line) ? 'hard' : 'none';
    case 'messages':
      return MESSAGE_STOP.test(line) ? 'hard' : 'none';
    case 'google':
      return GOOGLE_FINISH.test(line) ? 'soft' : 'none';
    case 'unknown':
      if (DONE.test(line) || RESPONSES_END.test(line) || MESSAGE_STOP.test(line)) return 'hard';
      return FINISH_REASON.test(line) || GOOGLE_FINISH.test(line) ? 'soft' : 'none';
  }
}

/** Whether a line begins or continues a tool call although the model had finished: such calls are not run. */
export function isLateToolCall(dialect: WireDialect, line: string): boolean {
  return dialect === 'completions' && LATE_TOOL_CALLS.test(line) && !FINISH_REASON.test(line);
}
