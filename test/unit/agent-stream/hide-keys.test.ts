import { describe, expect, it } from 'vitest';
import { hideKeys } from '../../../src/main/agent/stream/failed-reply';
import type { ProviderRequest } from '../../../src/main/agent/stream/types';

const request = (options: ProviderRequest['options'], headers?: Record<string, string>): ProviderRequest =>
  ({ model: { headers }, options }) as unknown as ProviderRequest;

describe('hideKeys', () => {
  it('cuts the key out wherever the provider repeats it', () => {
    const text = 'Incorrect API key provided: sk-abc.123. You sent "Bearer sk-abc.123".';
    expect(hideKeys(text, request({ apiKey: 'sk-abc.123' }))).toBe(
      'Incorrect API key provided: [key]. You sent "Bearer [key]".',
    );
  });
  it('cuts out what headers with secrets hold, whole and without its scheme', () => {
    const cut = request(
      { headers: { Authorization: 'Token abcdef-1' } },
      { 'X-Api-Key': 'fromModel9', 'X-Team': 'gardeners' },
    );
    expect(hideKeys('Token abcdef-1, abcdef-1, fromModel9, gardeners', cut)).toBe('[key], [key], [key], gardeners');
  });
  it('leaves other text and very short keys alone', () => {
    expect(hideKeys('no models loaded', request({ apiKey: 'no' }))).toBe('no models loaded');
  });
});
