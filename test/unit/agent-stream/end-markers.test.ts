import { describe, expect, it } from 'vitest';
import { dialectOf, endMarkOf, isLateToolCall } from '../../../src/main/agent/stream/end-markers';

describe('end markers', () => {
  it.each([
    ['openai-completions', 'completions'],
    ['mistral-conversations', 'completions'],
    ['openai-responses', 'responses'],
    ['azure-openai-responses', 'responses'],
    ['openai-codex-responses', 'responses'],
    ['anthropic-messages', 'messages'],
    ['google-generative-ai', 'google'],
    ['google-vertex', 'google'],
    ['bedrock-converse-stream', 'unknown'],
  ])('%s speaks %s', (api, dialect) => {
    expect(dialectOf(api)).toBe(dialect);
  });

  it.each([
    ['completions', 'data: [DONE]', 'hard'],
    ['completions', 'data:[DONE] ', 'hard'],
    ['completions', 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}', 'soft'],
    ['completions', 'data: {"choices":[{"delta":{"content":"x"},"finish_reason":null}]}', 'none'],
    ['completions', 'data: {"choices":[{"delta":{"content":"x"},"finish_reason":""}]}', 'none'],
    ['completions', String.raw`data: {"choices":[{"delta":{"content":"\"finish_reason\":\"stop\" [DONE]"}}]}`, 'none'],
    ['completions', ': data: [DONE]', 'none'],
    ['responses', 'data: {"type":"response.completed","response":{}}', 'hard'],
    ['responses', 'data: {"type": "response.incomplete"}', 'hard'],
    ['responses', 'data: {"type":"response.failed"}', 'hard'],
    ['responses', 'data: {"type":"response.in_progress"}', 'none'],
    ['responses', 'data: [DONE]', 'none'],
    [
      'responses',
      String.raw`data: {"type":"response.output_text.delta","delta":"\"type\":\"response.completed\""}`,
      'none',
    ],
    ['messages', 'data: {"type":"message_stop"}', 'hard'],
    ['messages', 'event: message_stop', 'none'],
    ['messages', 'data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}', 'none'],
    ['google', 'data: {"candidates":[{"finishReason":"STOP"}]}', 'soft'],
    ['unknown', 'data: [DONE]', 'hard'],
    ['unknown', '', 'none'],
  ] as const)('%s: %s is %s', (dialect, line, mark) => {
    expect(endMarkOf(dialect, line)).toBe(mark);
  });

  it('knows a tool call that comes after the end', () => {
    const late =
      'data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]},"finish_reason":null}]}';
    expect(isLateToolCall('completions', late)).toBe(true);
    expect(isLateToolCall('completions', late.replace('null', '"tool_calls"'))).toBe(false);
    expect(isLateToolCall('messages', late)).toBe(false);
  });
});
