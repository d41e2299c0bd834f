import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { BULK, REQUESTS } from '@shared/ipc/contract';
import { REQUEST_NAMES } from '@shared/ipc/names';
import { SETTING_KEYS } from '@shared/settings';
import { RAISING } from '../../../src/main/settings/raise-questions';

/** docs/specs/safety.md C3: what script in the page could ask for is known, request by request. */

const page = readFileSync(join(process.cwd(), 'docs/specs/page.md'), 'utf8');
const KINDS = ['looks', 'works', 'lowers', 'dialog', 'asks'];

/** Every request of the table with its kind. */
function rows(): { name: string; kind: string; says: string }[] {
  return page
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => {
      const [names = '', kind = '', says = ''] = line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '').trim());
      return [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => ({ name, kind, says }));
    });
}

/** Names of all parameters, at any depth. */
function keysOf(schema: z.ZodType): string[] {
  const { def } = schema as unknown as {
    def: { shape?: Record<string, z.ZodType>; element?: z.ZodType; innerType?: z.ZodType; valueType?: z.ZodType };
  };
  const shape = Object.entries(def.shape ?? {}).flatMap(([key, inner]) => [key, ...keysOf(inner)]);
  const inner = [def.element, def.innerType, def.valueType].flatMap((one) => (one ? keysOf(one) : []));
  return [...shape, ...inner];
}

describe('C3: the page’s powers', () => {
  it('every request stands in the table once, with its kind and what holds; a new one fails here until it does', () => {
    const table = rows();
    expect(table.map(({ name }) => name).sort()).toEqual([...REQUEST_NAMES].sort());
    for (const { name, kind, says } of table) {
      expect(KINDS, name).toContain(kind);
      expect(says.length, name).toBeGreaterThan(5);
    }
  });

  it('no request takes a path: nothing in the contract is named like one', () => {
    const named = [...Object.entries(REQUESTS), ...Object.entries(BULK)].flatMap(([name, spec]) =>
      keysOf('params' in spec ? spec.params : spec).map((key) => `${name} ${key}`),
    );
    expect(named.length).toBeGreaterThan(100);
    expect(named.filter((one) => / .*(path|folder$|dir|cwd|workspace|filename)/i.test(one))).toEqual([]);
  });

  it('every setting that says what tools may do is one that main asks about', () => {
    const tools = SETTING_KEYS.filter((key) => key.startsWith('tools.') || /endpoint$/i.test(key));
    expect(tools.filter((key) => !RAISING.has(key))).toEqual([]);
  });
});
