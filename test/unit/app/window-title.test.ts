import { expect, it } from 'vitest';
import { windowTitle } from '../../../src/renderer/app/document';

it('WN12: the window is called as its session and what that does', () => {
  const title = 'Fix the parser';
  expect(windowTitle(undefined, 0)).toBe('Espalier');
  expect(windowTitle({ title, state: 'idle', turn: 'finished' }, 0)).toBe('Fix the parser — Espalier');
  expect(windowTitle({ title, state: 'streaming', turn: 'finished' }, 0)).toBe('Fix the parser — running — Espalier');
  expect(windowTitle({ title, state: 'waiting', turn: 'finished' }, 0)).toBe(
    'Fix the parser — waiting for you — Espalier',
  );
  expect(windowTitle({ title, state: 'compacting', turn: 'finished' }, 0)).toBe(
    'Fix the parser — compacting… — Espalier',
  );
  expect(windowTitle({ title, state: 'error', turn: 'finished' }, 0)).toBe(
    'Fix the parser — stopped with an error — Espalier',
  );
  expect(windowTitle({ title: '', state: 'idle', turn: 'finished' }, 0)).toBe('New session — Espalier');
});

it('NT1: the title counts the sessions that wait, and says what stopped early', () => {
  expect(windowTitle(undefined, 2)).toBe('(2) Espalier');
  expect(windowTitle({ title: 'A', state: 'streaming', turn: 'finished' }, 1)).toBe('(1) A — running — Espalier');
  for (const turn of ['failed', 'stopped', 'unanswered'] as const)
    expect(windowTitle({ title: 'A', state: 'idle', turn }, 0)).toBe('A — stopped early — Espalier');
  // While it works again how it ended before says nothing.
  expect(windowTitle({ title: 'A', state: 'streaming', turn: 'stopped' }, 0)).toBe('A — running — Espalier');
});

it('safety C1: a hostile title is short and in visible form, and what the session does still stands behind it', () => {
  const shown = windowTitle({ title: 'a\u202eb\n\u001b[2J', state: 'streaming', turn: 'finished' }, 0);
  expect(shown).toBe('a⟨U+202E⟩b ⟨U+001B⟩[2J — running — Espalier');
  const long = windowTitle({ title: '\u200b'.repeat(1_000_000), state: 'waiting', turn: 'finished' }, 0);
  expect(long.length).toBeLessThan(700);
  expect(long).toMatch(/… — waiting for you — Espalier$/);
});
