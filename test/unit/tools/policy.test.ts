import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalContent, describeScope, offeredDecisions } from '../../../src/shared/policy/approval';
import { describeToolCall } from '../../../src/shared/policy/describe';
import { decideToolCall, TOOL_TABLE, type ToolAction, type ToolFacts } from '../../../src/shared/policy/tool-policy';
import { foldPath, isAtOrBelow, refusalByName } from '../../../src/main/places/protected-paths';
import { scopeCovers } from '../../../src/main/approvals/approval-rules';

const inside: ToolFacts = { isRestricted: false, location: 'inside' };
const action = (tool: string, facts: ToolFacts, policy = {}): ToolAction =>
  decideToolCall({ tool, facts, policy }).action;

describe('policy', () => {
  test('TL4: the table', () => {
    expect(Object.fromEntries(Object.keys(TOOL_TABLE).map((tool) => [tool, action(tool, inside)]))).toEqual({
      read: 'allow', grep: 'allow', find: 'allow', ls: 'allow', recall: 'allow', write: 'ask', edit: 'ask', bash: 'ask',
    }); // prettier-ignore
    expect(action('toString', inside)).toBe('ask');
    expect(action('unknown', inside)).toBe('ask');
  });

  test('TL4: a refusal beats everything, outside is asked for whatever was remembered or set (property)', () => {
    const actions = fc.constantFrom<ToolAction>('allow', 'ask', 'deny');
    const remembered = fc.constantFrom(undefined, 'session' as const, 'always' as const);
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(TOOL_TABLE), 'x'), actions, remembered, (tool, chosen, before) => {
        const policy = { [tool]: chosen };
        expect(
          action(tool, { isRestricted: false, location: 'inside', refusal: 'no', remembered: before }, policy),
        ).toBe('deny');
        expect(action(tool, { isRestricted: false, location: 'outside', remembered: before }, policy)).toBe(
          chosen === 'deny' ? 'deny' : 'ask',
        );
        expect(action(tool, { isRestricted: false, location: 'inside', remembered: before }, { [tool]: 'deny' })).toBe(
          'deny',
        );
        expect(decideToolCall({ tool, facts: inside, policy }).reason).not.toBe('');
      }),
    );
  });

  test('TL4: remembered answers allow, also where the setting says ask', () => {
    expect(action('bash', { isRestricted: false, location: 'none', remembered: 'session' }, { bash: 'ask' })).toBe(
      'allow',
    );
    expect(action('write', { isRestricted: false, location: 'inside', remembered: 'always' })).toBe('allow');
  });
});

describe('words', () => {
  test.each([
    ['read', { path: 'src/app.ts', offset: 1, limit: 80 }, 'read src/app.ts:1-80'],
    ['read', { path: 'a', offset: 5 }, 'read a:5-'],
    ['read', { path: 'a', limit: 5 }, 'read a:1-5'],
    ['read', { path: 'a' }, 'read a'],
    ['bash', { command: 'npm\n  test' }, 'ran npm ⏎ test'],
    ['edit', { path: 'a.ts', edits: [] }, 'edited a.ts'],
    ['write', { path: 'a.ts' }, 'wrote a.ts'],
    ['grep', { pattern: 'foo', path: 'src' }, 'searched for foo in src'],
    ['find', { pattern: '*.ts' }, 'looked for files *.ts'],
    ['ls', {}, 'listed the workspace'],
    ['recall', { query: 'port' }, 'recalled port'],
    ['deploy', { x: 1 }, 'used deploy'],
  ])('TL5: %s %j', (name, args, words) => {
    const { verb, target } = describeToolCall(name, args);
    expect(`${verb} ${target}`).toBe(words);
  });

  test('TL5: any arguments give one short line (property)', () => {
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(TOOL_TABLE), '', 'x'), fc.anything(), (name, args) => {
        const { verb, ask, target } = describeToolCall(name, args);
        expect(`${verb}${ask}${target}`).not.toMatch(/\n/u);
        expect(target.length).toBeLessThanOrEqual(200);
      }),
    );
    expect(describeToolCall('bash', { command: 'x'.repeat(500) }).target).toHaveLength(200);
  });

  test('TL7: scopes in words and the decisions that a card offers', () => {
    const folder = { kind: 'folder', folder: '/w' } as const;
    expect(describeScope(folder)).toBe('changes to files in /w and its subfolders');
    expect(describeScope({ kind: 'command', command: 'x', cwd: '/w' })).toBe('exactly this command in /w');
    expect(offeredDecisions({ scopes: {} })).toEqual(['deny', 'once']);
    expect(offeredDecisions({ scopes: { session: folder, always: folder } })).toEqual([
      'deny',
      'once',
      'session',
      'always',
    ]);
  });
});

test('TL5: one content, one text, whatever the order of keys; different contents differ (property)', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      expect(canonicalContent({ x: a, y: b })).toBe(canonicalContent({ y: b, x: a }));
      expect(canonicalContent(a) === canonicalContent(b)).toBe(
        JSON.stringify(JSON.parse(canonicalContent(a))) === JSON.stringify(JSON.parse(canonicalContent(b))),
      );
    }),
  );
});

test('TL7: a folder covers itself and what is below, a command only itself', () => {
  const folder = (path: string) => ({ kind: 'folder', folder: path }) as const;
  expect(scopeCovers(folder('/w/a'), folder('/w/a'))).toBe(true);
  expect(scopeCovers(folder('/w/a'), folder('/w/a/b'))).toBe(true);
  expect(scopeCovers(folder('/w/a'), folder('/w/a/..b'))).toBe(true);
  expect(scopeCovers(folder('/w/a'), folder('/w/ab'))).toBe(false);
  expect(scopeCovers(folder('/w/a'), folder('/w'))).toBe(false);
  const command = (text: string, cwd: string) => ({ kind: 'command', command: text, cwd }) as const;
  expect(scopeCovers(command('a', '/w'), command('a', '/w'))).toBe(true);
  expect(scopeCovers(command('a', '/w'), command('a ', '/w'))).toBe(false);
  expect(scopeCovers(command('a', '/w'), command('a', '/x'))).toBe(false);
  expect(scopeCovers(folder('/w'), command('a', '/w'))).toBe(false);
});

describe('protected paths', () => {
  test('TL3: names that some file system takes for the same are the same', () => {
    const variants = [
      '/W/.GIT/Hooks',
      '/w/.g\u200cit/hooks',
      '/w/.git./hooks ',
      '/w/GIT~1/hooks',
      '/w/.git:x/hooks',
      '/w/\uff0egit/hooks',
      '\\w\\.git\\hooks',
    ];
    expect(new Set(variants.map(foldPath))).toEqual(new Set(['/w/.git/hooks']));
  });

  test('TL3: git hooks are refused, its state for changes, what people write there not', () => {
    expect(refusalByName('/w/.git/hooks/x', false)).toContain('git hook');
    expect(refusalByName('/w/.git/config', false)).toBeUndefined();
    const state = ['', 'config', 'HEAD', 'index', 'packed-refs', 'info/attributes', 'objects/info/alternates', 'modules/a/config', 'rebase-merge/git-rebase-todo', 'rebase-merge/COMMIT_EDITMSG']; // prettier-ignore
    for (const name of state) expect(refusalByName(`/w/.git/${name}`, true), name).toContain("git's own state");
    for (const name of ['COMMIT_EDITMSG', 'info/exclude', 'description'])
      expect(refusalByName(`/w/.git/${name}`, true), name).toBeUndefined();
    expect(refusalByName('/w/.git/HEAD', false)).toBeUndefined();
    expect(refusalByName('/w/src/hooks/use-x.ts', true)).toBeUndefined();
    expect(refusalByName('/w/config', true)).toBeUndefined();
    expect(refusalByName('/devil/x', true)).toBeUndefined();
  });

  test('TL3: below is decided part by part', () => {
    expect(isAtOrBelow('/a/b', '/a')).toBe(true);
    expect(isAtOrBelow('/a', '/a')).toBe(true);
    expect(isAtOrBelow('/ab', '/a')).toBe(false);
    expect(isAtOrBelow('/a', '/')).toBe(true);
  });
});
