import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { AppEvent } from '@shared/ipc/contract';
import { defaultSettings, type Settings } from '@shared/settings';
import type { SessionState, SessionSummary } from '@shared/types';
import { AttentionDesk, type Desktop, type DesktopNote } from '../../../src/main/attention/attention-desk';
const HOUR = 3_600_000;

interface Shown extends DesktopNote {
  isTakenBack: boolean;
}

/** A desktop that notes what it is asked to show. */
function recordedDesk(settings: Partial<Settings> = {}) {
  const state = { now: 0, isHere: false, count: 0, calls: 0, isCalling: false, isListening: true, forward: 0 };
  const notes: Shown[] = [];
  const told: AppEvent[] = [];
  const due: (() => void)[] = [];
  const desktop: Desktop = {
    support: () => ({ notifications: true, badge: true }),
    isHere: () => state.isHere,
    notify(note) {
      const shown = { ...note, isTakenBack: false };
      notes.push(shown);
      return () => void (shown.isTakenBack = true);
    },
    setCount: (waiting) => void (state.count = waiting),
    call() {
      state.calls += 1;
      state.isCalling = true;
    },
    calm: () => void (state.isCalling = false),
    bringForward: () => void (state.forward += 1),
  };
  const desk = new AttentionDesk({
    desktop,
    settings: () => ({ ...defaultSettings(), ...settings }),
    now: () => state.now,
    soon: (task) => void due.push(task),
    tellWindow: (event) => (told.push(event), state.isListening),
  });
  const settle = (): void => due.splice(0).forEach((task) => task());
  const hear = (event: AppEvent): void => {
    desk.hear(event);
    settle();
  };
  return { desk, state, notes, told, hear, settle, standing: () => notes.filter((note) => !note.isTakenBack) };
}

const BARE = {
  ...{ workspace: '/secret/place', createdAt: 0, updatedAt: 0, entryCount: 3, pinned: false, archived: false },
  ...{ preview: 'rm -rf /secret', compactions: 0, demo: false, damage: [] },
};
type Change = Extract<AppEvent, { type: 'sessions_changed' }>;
const changed = (id: string, state: SessionState, over: Partial<SessionSummary> = {}): Change => ({
  type: 'sessions_changed',
  summary: { ...BARE, id, title: `Title of ${id}`, state, turn: 'finished', ...over },
});
const settled = (sessionId: string, reason: string): AppEvent => ({
  ...{ type: 'settled', sessionId, n: 1, leafId: null, reason },
});

/** What a session can do from each state, as main tells it. */
type Step = 'begin' | 'ask' | 'answer' | 'done' | 'fail' | 'stop' | 'tell' | 'delete' | 'away' | 'come' | 'wait';
const STEPS: readonly Step[] = [
  ...(['begin', 'ask', 'answer', 'done', 'fail', 'stop', 'tell', 'delete', 'away', 'come', 'wait'] as const),
];
type Doing = 'rest' | 'work' | 'asked';

it('NT1, NT2: in whatever order, the count is that of open questions, a change is told once at most, and nobody at the window is told', () => {
  const step = fc.record({ id: fc.constantFrom('a', 'b', 'c', 'd'), do: fc.constantFrom(...STEPS) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const { desk, state, notes, hear, standing } = recordedDesk();
      const doing = new Map<string, Doing>();
      const since = new Map<string, number>();
      const last = new Map<string, AppEvent>();
      const expected: string[] = [];
      for (const { id, do: what } of steps) {
        const was = doing.get(id) ?? 'rest';
        const before = notes.length;
        let wanted: string | null = null;
        const go = (to: Doing, event: AppEvent): void => {
          doing.set(id, to);
          last.set(id, event);
          hear(event);
        };
        if (!last.has(id)) go('rest', changed(id, 'idle'));
        else if (what === 'begin' && was === 'rest') {
          since.set(id, state.now);
          go('work', changed(id, 'streaming'));
        } else if (what === 'ask' && was === 'work') {
          wanted = 'Waiting for your answer';
          go('asked', changed(id, 'waiting', { waiting: { what: 'Run rm -rf /secret', more: 0, since: state.now } }));
        } else if (what === 'answer' && was === 'asked') {
          since.set(id, state.now);
          go('work', changed(id, 'streaming'));
        } else if (what === 'done' && was === 'work') {
          if (state.now - (since.get(id) ?? 0) > 30_000) wanted = 'Done';
          hear(settled(id, 'done'));
          go('rest', changed(id, 'idle'));
        } else if (what === 'fail' && was === 'work') {
          wanted = 'Stopped early: something failed';
          hear(settled(id, 'failed'));
          go('rest', changed(id, 'error', { turn: 'failed' }));
        } else if (what === 'stop' && was !== 'rest') {
          hear(settled(id, 'stopped'));
          go('rest', changed(id, 'idle', { turn: 'stopped' }));
        } else if (what === 'tell') {
          hear(last.get(id)!);
        } else if (what === 'delete') {
          hear({ type: 'session_removed', sessionId: id, mark: null });
          doing.delete(id);
          last.delete(id);
        } else if (what === 'away') state.isHere = false;
        else if (what === 'come') {
          state.isHere = true;
          desk.cameHere();
        } else if (what === 'wait') state.now += 20_000;

        const told = notes.slice(before).map(({ body }) => body);
        if (wanted !== null && !state.isHere) expected.push(wanted);
        expect(told).toEqual(wanted !== null && !state.isHere ? [wanted] : []);
        const open = [...doing.values()].filter((one) => one === 'asked').length;
        expect(state.count).toBe(open);
        // What was answered is taken back, and so is what the person has come to see.
        const stands = standing().filter(({ body }) => body === 'Waiting for your answer').length;
        expect(stands).toBeLessThanOrEqual(open);
        if (state.isHere) expect(standing().length).toBe(stands);
      }
      expect(notes.map(({ body }) => body)).toEqual(expected);
      for (const { title, body } of notes) expect(`${title}${body}`).not.toMatch(/rm|secret|\//);
      desk.close();
      expect([standing(), state.count, state.isCalling]).toEqual([[], 0, false]);
    }),
    { numRuns: 500 },
  );
});

it('NT2: what rests for a moment between a summary and what goes on after it is not done', () => {
  const { desk, state, notes, settle } = recordedDesk();
  const end = { type: 'job_end', kind: 'compaction', aborted: false, sessionId: 'a', n: 2 } as const;
  desk.hear(changed('a', 'idle'));
  settle();
  desk.hear(changed('a', 'compacting'));
  settle();
  state.now = HOUR;
  desk.hear(end);
  desk.hear(changed('a', 'idle'));
  desk.hear(changed('a', 'streaming'));
  settle();
  expect(notes).toEqual([]);
  // It is let go of, as when its file is brought in order: nothing ended.
  desk.hear(changed('a', 'idle'));
  settle();
  expect(notes).toEqual([]);
  desk.hear(changed('a', 'compacting'));
  settle();
  state.now = 2 * HOUR;
  desk.hear(end);
  desk.hear(changed('a', 'idle'));
  settle();
  expect(notes.map(({ body }) => body)).toEqual(['Done']);
});

it('NT2: a summary that failed is told as that, one that the person cancelled is not', () => {
  const { hear, notes } = recordedDesk();
  const end = { type: 'job_end', kind: 'compaction', sessionId: 'a', n: 2 } as const;
  hear(changed('a', 'idle'));
  hear(changed('a', 'compacting'));
  hear({ ...end, aborted: true, errorMessage: 'Cancelled' });
  hear(changed('a', 'idle'));
  expect(notes).toEqual([]);
  hear(changed('a', 'compacting'));
  hear({ ...end, aborted: false, errorMessage: 'No model answered' });
  hear(changed('a', 'idle'));
  expect(notes.map(({ body }) => body)).toEqual(['Stopped early: something failed']);
});

it('NT1: what failed before the app started is marked, and told nobody', () => {
  const { hear, notes, state } = recordedDesk();
  hear(changed('a', 'error', { turn: 'failed' }));
  hear(changed('b', 'idle', { turn: 'unanswered' }));
  expect([notes, state.count]).toEqual([[], 0]);
});

it('NT2: each kind can be turned off, and the sound; the count stays', () => {
  const quiet = recordedDesk({ 'notifications.needsYou': false });
  quiet.hear(changed('a', 'streaming'));
  quiet.hear(changed('a', 'waiting'));
  expect([quiet.notes, quiet.state.count, quiet.state.calls]).toEqual([[], 1, 0]);
  const mute = recordedDesk({ 'notifications.sound': false });
  mute.hear(changed('a', 'waiting'));
  expect(mute.notes[0]).toMatchObject({ isSilent: true });
  expect(recordedNote('Plain').isSilent).toBe(false);
});

function recordedNote(title: string): Shown {
  const { hear, notes } = recordedDesk();
  hear(changed('a', 'waiting', { title }));
  return notes[0]!;
}

it('NT2, safety C1: a hostile title is one short line in visible form, however long it is', () => {
  expect(recordedNote('a\u202eb\n\u001b[2J').title).toBe('a⟨U+202E⟩b ⟨U+001B⟩[2J');
  expect(recordedNote('').title).toBe('New session');
  expect(recordedNote(' \n\t ').title).toBe('New session');
  const long = recordedNote('\u202e'.repeat(1_000_000)).title;
  expect(long.length).toBeLessThan(700);
  expect(long).not.toContain('\u202e');
  expect(recordedNote('x'.repeat(1_000_000)).title).toBe(`${'x'.repeat(60)}…`);
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (title) => {
      // Words and digits from right to left are isolated, and each isolation ends.
      let shown = recordedNote(title).title;
      for (let before = ''; before !== shown;) {
        before = shown;
        shown = shown.replace(/[\u2066\u2067][^\u2066-\u2069]*\u2069/g, '');
      }
      expect(shown).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/);
    }),
  );
});

it('NT2: eight stand at a time, the newest; the count has them all, and what gave way is taken back once', () => {
  const { hear, state, standing, notes } = recordedDesk();
  for (let n = 0; n < 20; n++) hear(changed(`s${n}`, 'waiting'));
  expect(standing().map(({ title }) => title)).toEqual(Array.from({ length: 8 }, (_, n) => `Title of s${n + 12}`));
  expect([state.count, notes.length]).toEqual([20, 20]);
  hear(changed('s0', 'streaming'));
  hear(changed('s19', 'streaming'));
  expect([standing().length, state.count]).toEqual([7, 18]);
});

it('NT2: a click leads to the session, also where its window was closed', () => {
  const { desk, hear, notes, told, state } = recordedDesk();
  hear(changed('a', 'waiting'));
  notes[0]!.onClick();
  expect(told).toEqual([{ type: 'attend', sessionId: 'a' }]);
  expect([state.forward, desk.take()]).toEqual([1, null]);
  state.isListening = false;
  notes[0]!.onClick();
  expect([state.forward, desk.take(), desk.take()]).toEqual([2, 'a', null]);
});

it('NT3: the icon stands out once for each question and rests when the person comes, or nothing waits', () => {
  const { desk, hear, state } = recordedDesk();
  hear(changed('a', 'waiting'));
  hear(changed('b', 'waiting'));
  hear(changed('b', 'waiting'));
  expect([state.calls, state.isCalling]).toEqual([2, true]);
  hear(changed('a', 'streaming'));
  expect(state.isCalling).toBe(true);
  hear(changed('b', 'streaming'));
  expect(state.isCalling).toBe(false);
  hear(changed('a', 'waiting'));
  desk.cameHere();
  expect([state.calls, state.isCalling, state.count]).toEqual([3, false, 1]);
});
