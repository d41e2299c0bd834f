import { describe, expect, it } from 'vitest';
import { dialectOf, DONE, endMarkOf, isLateToolCall } from '../../../src/main/agent/stream/wire-events';

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
    ['completions', DONE, 'hard'],
    ['completions', { choices: [{ delta: {}, finish_reason: 'stop' }] }, 'soft'],
    ['completions', { choices: [{ delta: { content: 'x' }, finish_reason: null }] }, 'none'],
    ['completions', { choices: [{ delta: { content: 'x' }, finish_reason: '' }] }, 'none'],
    ['completions', { choices: [{ delta: { content: '"finish_reason":"stop" [DONE]' } }] }, 'none'],
    ['completions', { choices: [{ delta: {} }, { delta: {}, finish_reason: 'stop' }] }, 'none'],
    ['completions', { choices: { finish_reason: 'stop' } }, 'none'],
    ['responses', { type: 'response.completed', response: {} }, 'hard'],
    ['responses', { type: 'response.incomplete' }, 'hard'],
    ['responses', { type: 'response.failed' }, 'hard'],
    ['responses', { type: 'response.in_progress' }, 'none'],
    ['responses', { type: 'x', inner: { type: 'response.completed' } }, 'none'],
    ['responses', DONE, 'closed'],
    ['messages', { type: 'message_stop' }, 'hard'],
    ['messages', { type: 'message_delta', delta: { stop_reason: 'end_turn' } }, 'none'],
    ['messages', DONE, 'none'],
    ['google', { candidates: [{ finishReason: 'STOP' }] }, 'soft'],
    ['unknown', DONE, 'hard'],
    ['unknown', { candidates: [{ finishReason: 'STOP' }] }, 'soft'],
    ['unknown', undefined, 'none'],
    ['completions', [null], 'none'],
  ] as const)('%s: %j is %s', (dialect, value, mark) => {
    expect(endMarkOf(dialect, value)).toBe(mark);
  });

  it('knows a tool call that comes after the end', () => {
    const late = (finish: string | null): unknown => ({
      choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: '{}' } }] }, finish_reason: finish }],
    });
    expect(isLateToolCall('completions', late(null))).toBe(true);
    expect(isLateToolCall('completions', late('tool_calls'))).toBe(false);
    expect(isLateToolCall('messages', late(null))).toBe(false);
    expect(isLateToolCall('completions', { choices: [{ delta: { tool_calls: [] } }] })).toBe(false);
  });
});
