import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '@shared/settings';
import type { SessionSummary } from '@shared/types';
import { folderNames, type Grouping, groupSessions, workspaceNames } from '../../../src/renderer/state/session-groups';

const names = (...paths: string[]): string[] => [...folderNames(paths).values()];

describe('WN12: the short name of a folder', () => {
  it('is its last name, and as much before it as tells it from others', () => {
    expect(names('/home/me/orders', '/home/me/parser')).toEqual(['orders', 'parser']);
    expect(names('/home/me/work/orders', '/home/me/old/orders', '/home/me/parser')).toEqual([
      'work/orders',
      'old/orders',
      'parser',
    ]);
    expect(names('/a/x/y/z', '/b/x/y/z', '/z')).toEqual(['a/x/y/z', 'b/x/y/z', 'z']);
    expect(names('/orders/', '/')).toEqual(['orders', '/']);
  });

  it('of Windows as well, while a backslash is a letter elsewhere', () => {
    expect(names('C:\\work\\orders', 'D:\\old\\orders', '\\\\server\\share\\notes')).toEqual([
      'work/orders',
      'old/orders',
      'notes',
    ]);
    expect(names('/home/me/a\\b')).toEqual(['a\\b']);
    expect(names('C:\\\\work\\/orders\\\\', 'C:/old//orders')).toEqual(['work/orders', 'old/orders']);
  });

  it('of six levels at most; what differs further up only is called by its whole path', () => {
    const [one, two] = ['/1/a/b/c/d/e/f', '/2/a/b/c/d/e/f'];
    expect(names(one, two, '/a//x/b/c/d/e/f//')).toEqual([one, two, 'x/b/c/d/e/f']);
  });

  it('is another one for each folder, in any number and depth', () => {
    const path = fc.array(fc.constantFrom('a', 'b', '..', ' '), { minLength: 1, maxLength: 12 });
    const paths = fc.array(
      path.map((levels) => `/${levels.join('/')}`),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(paths, (all) => {
        const named = folderNames(all);
        expect(new Set(named.values()).size).toBe(new Set(all).size);
        expect([...named].every(([full, name]) => name !== '' && full.includes(name))).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });
});

const NOW = new Date(2026, 4, 5, 12).getTime();
const HOUR = 3_600_000;

let made = 0;
function session(over: Partial<SessionSummary>): SessionSummary {
  const id = `s${(made += 1)}`;
  const rest = { pinned: false, archived: false, preview: '', compactions: 0, demo: false, damage: [], entryCount: 1 };
  return {
    id,
    title: id,
    workspace: '/scratch',
    createdAt: 0,
    updatedAt: NOW,
    state: 'idle',
    turn: 'finished',
    ...rest,
    ...over,
  };
}

function groups(sessions: SessionSummary[], over: Partial<Grouping> = {}): [string, string[]][] {
  const byId = Object.fromEntries(sessions.map((one) => [one.id, one]));
  const how: Grouping = { by: 'workspace', filter: '', names: workspaceNames(byId, '/scratch'), now: NOW, ...over };
  return groupSessions(byId, how).map(({ name, sessions: some }) => [name, some.map(({ title }) => title)]);
}

describe('WN12: the list of sessions', () => {
  const sessions = [
    session({ title: 'old', workspace: '/w/parser', updatedAt: NOW - 30 * HOUR }),
    session({ title: 'new', workspace: '/w/orders', updatedAt: NOW - HOUR }),
    session({ title: 'newest', workspace: '/w/parser', updatedAt: NOW }),
    session({ title: 'none', updatedAt: NOW - 2 * HOUR }),
    session({ title: 'kept', workspace: '/w/orders', pinned: true, updatedAt: 0 }),
    session({ title: 'away', workspace: '/w/orders', archived: true, updatedAt: 0 }),
    session({ title: 'picture.jsonl', foreign: 'a picture', updatedAt: NOW }),
  ];

  it('is divided by workspace unless the person said otherwise', () => {
    expect(defaultSettings()['sessions.groupBy']).toBe('workspace');
    expect(groups(sessions)).toEqual([
      ['Pinned', ['kept']],
      ['parser', ['newest', 'old']],
      ['orders', ['new']],
      ['Scratch', ['none']],
      ['Other files', ['picture.jsonl']],
      ['Archived', ['away']],
    ]);
  });

  it('or by time', () => {
    expect(groups(sessions, { by: 'time' })).toEqual([
      ['Pinned', ['kept']],
      ['Today', ['newest', 'picture.jsonl', 'new', 'none']],
      ['Earlier', ['old']],
      ['Archived', ['away']],
    ]);
  });

  it('NT1: what waits stands above all, the longest first, archived, pinned or not, whatever is looked for', () => {
    const since = (at: number): Partial<SessionSummary> => ({
      ...{ state: 'waiting', waiting: { what: 'Run it', more: 0, since: at } },
    });
    const some = [
      session({ title: 'late', pinned: true, ...since(30) }),
      session({ title: 'first', archived: true, updatedAt: 0, ...since(10) }),
      session({ title: 'second', ...since(20) }),
      session({ title: 'rests' }),
    ];
    for (const by of ['workspace', 'time'] as const) {
      expect(groups(some, { by })[0]).toEqual(['Waiting for you', ['first', 'second', 'late']]);
      expect(groups(some, { by })).toHaveLength(2);
      const waiting = groups(some, { by })[0];
      expect(groups(some, { by, filter: 'second' })).toEqual([waiting]);
      expect(groups(some, { by, filter: 'RESTS' })).toHaveLength(2);
    }
  });

  it('is filtered without regard to accents and capitals', () => {
    const two = [session({ title: 'Café plan' }), session({ title: 'tea' })];
    for (const filter of ['cafe', ' CAFÉ  plan']) expect(groups(two, { filter })).toEqual([['Scratch', ['Café plan']]]);
  });

  it('a name stays the same whatever the filter leaves', () => {
    const two = [session({ title: 'one', workspace: '/a/x' }), session({ title: 'two', workspace: '/b/x' })];
    expect(groups(two, { filter: 'ONE' })).toEqual([['a/x', ['one']]]);
  });

  it('a workspace that is called as a group is one of its own', () => {
    const alike = [session({ title: 'a', workspace: '/w/Archived' }), session({ title: 'b', archived: true })];
    expect(groups(alike)).toEqual([
      ['Archived', ['a']],
      ['Archived', ['b']],
    ]);
  });

  it('has each session once, in either way', () => {
    const any = fc.record({
      workspace: fc.constantFrom('/scratch', '/a/x', '/b/x', '/', ''),
      pinned: fc.boolean(),
      archived: fc.boolean(),
      updatedAt: fc.nat({ max: 2 * NOW }),
    });
    fc.assert(
      fc.property(fc.array(any), fc.constantFrom<Grouping['by']>('workspace', 'time'), (list, by) => {
        const all = list.map(session);
        const shown = groups(all, { by }).flatMap(([, titles]) => titles);
        expect(shown.sort()).toEqual(all.map(({ title }) => title).sort());
      }),
    );
  });
});
