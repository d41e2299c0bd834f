import { expect, it } from 'vitest';
import { own } from '@shared/checks';

it('a record answers to its own names only', () => {
  const record: Record<string, string> = { a: 'A' };
  expect(own(record, 'a')).toBe('A');
  for (const name of Object.getOwnPropertyNames(Object.prototype)) expect(own(record, name)).toBeUndefined();
  expect(own(JSON.parse('{"__proto__":"held"}') as Record<string, string>, '__proto__')).toBe('held');
  expect(own(undefined, 'a')).toBeUndefined();
});
