import { expect, it } from 'vitest';
import { textOfEntry } from '../../../src/main/search/searched-entry';

const result = (toolName: string, text: string, over: Record<string, unknown> = {}) => ({
  type: 'message',
  message: { role: 'toolResult', toolName, content: [{ type: 'text', text }], isError: false, details: {}, ...over },
});

it('SE2: what no card draws is not searched', () => {
  expect(textOfEntry(result('edit', 'Replaced 1 block in a.ts'))).toBe('');
  expect(textOfEntry(result('write', 'Wrote 3 lines'))).toBe('');
  expect(textOfEntry(result('edit', 'No such text', { isError: true }))).toBe('No such text');
  expect(textOfEntry(result('read', 'Replaced 1 block in a.ts'))).toBe('Replaced 1 block in a.ts');
  const ended = { details: { exitCode: 3 } };
  expect(textOfEntry(result('bash', 'zebra\n\n[Exit code 3.]', ended))).toBe('zebra');
  expect(textOfEntry(result('bash', 'zebra\n\n[Exit code 4.]', ended))).toContain('[Exit code 4.]');
});
