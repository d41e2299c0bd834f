import { expect, it } from 'vitest';
import { describeToolCall, wholeCall } from '../../../src/shared/policy/describe';

it('a listing of the workspace itself says so, however the model wrote it', () => {
  for (const path of [undefined, '', '.', './', ' . ']) {
    expect(describeToolCall('ls', { path }).target).toBe('the workspace');
  }
  expect(describeToolCall('ls', { path: 'src' }).target).toBe('src');
});

it('C1: blanks of a command stay as many as they are, and its whole text stands beside its line', () => {
  const command = "echo 'a\t\t  b' >  c ";
  expect(describeToolCall('bash', { command })).toMatchObject({
    target: "echo 'a→\t→\t  b' >  c ",
    whole: command,
  });
  const long = `${'x'.repeat(5_000)}\nrm y`;
  expect(describeToolCall('bash', { command: long }).whole).toBe(long);
  expect(describeToolCall('read', { path: 'a.ts', offset: 2 }).whole).toBe('a.ts:2-');
});

it('C1: arguments nested without end are said to be, whatever holds them', () => {
  let deep: unknown = 1;
  for (let level = 0; level < 100_000; level += 1) deep = [deep];
  for (const args of [deep, { path: deep }]) expect(wholeCall('mcp', args, '')).toContain('nested more than');
});
