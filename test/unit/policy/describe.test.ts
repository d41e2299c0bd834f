import { expect, it } from 'vitest';
import { describeToolCall } from '../../../src/shared/policy/describe';

it('a listing of the workspace itself says so, however the model wrote it', () => {
  for (const path of [undefined, '', '.', './', ' . ']) {
    expect(describeToolCall('ls', { path }).target).toBe('the workspace');
  }
  expect(describeToolCall('ls', { path: 'src' }).target).toBe('src');
});
