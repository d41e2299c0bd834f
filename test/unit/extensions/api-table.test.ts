import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { format, resolveConfig } from 'prettier';
import { makeApi } from '../../../src/main/extensions/process/api';
import { API_TABLE, apiTableText } from '../../support/extension-api';
import { commandContextOf, contextOf, toolContextOf } from '../../../src/main/extensions/process/context';
import { makeUi } from '../../../src/main/extensions/process/ui';

const parts = {
  extension: { id: 'x', name: 'x', path: '/x.ts', root: '/x.ts', mode: 'tui', scope: 'user' },
  link: { assertFresh: () => undefined, registered: () => undefined },
  facts: () => ({ activeTools: [], allTools: [], commands: [] }),
  view: {},
  models: { all: () => [], available: () => [] },
  events: { on: () => undefined, emit: () => undefined },
  signal: () => undefined,
} as never;
const registered = {
  ...{ handlers: new Map(), tools: new Map(), commands: new Map(), flags: new Map() },
  ...{ providers: new Map(), streams: new Map(), renderers: new Map() },
};

test('EX15: the table has every member that extensions get, and no other', () => {
  const { pi, ctx, 'ctx of commands': commands, 'ctx of tools': tools, 'ctx.ui': ui } = API_TABLE;
  const has = (object: object): string[] => Object.keys(object).sort();
  expect(has(makeApi(parts, registered))).toEqual(has(pi));
  expect(has(contextOf(parts))).toEqual(has(ctx));
  expect(has(commandContextOf(parts))).toEqual(has({ ...ctx, ...commands }));
  expect(has(toolContextOf(parts))).toEqual(has({ ...ctx, ...tools }));
  expect(has(makeUi(parts))).toEqual(has(ui));
});

test('EX15: what is absent throws with its name', () => {
  const pi = makeApi(parts, registered) as Record<string, () => void>;
  for (const [name, { does }] of Object.entries(API_TABLE.pi))
    if (does === 'absent') expect(pi[name]).toThrow(`pi.${name} is not available in Espalier`);
});

test('EX15: docs/extensions.md has the table as it is', async () => {
  const file = 'docs/extensions.md';
  const [head = ''] = readFileSync(file, 'utf8').split(/(?<=-->\n)/);
  const written = await format(`${head}\n${apiTableText()}\n`, { ...(await resolveConfig(file)), parser: 'markdown' });
  if (process.env.WRITE_DOCS) writeFileSync(file, written);
  expect(readFileSync(file, 'utf8')).toBe(written);
});
