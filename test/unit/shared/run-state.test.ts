import { expect, it } from 'vitest';
import { sessionStateOf } from '@shared/session-state/phases';
import { countWaiting, questionOf, runStateOf } from '@shared/session-state/attention';
import { NO_SESSION, type LiveSession, type Phase } from '@shared/session-state/state';
import type { SessionState, TurnEnd } from '@shared/types';

const STATES: readonly SessionState[] = [
  ...(['idle', 'streaming', 'waiting', 'retrying', 'compacting', 'summarising', 'error'] as const),
];
const TURNS: readonly TurnEnd[] = ['none', 'finished', 'failed', 'stopped', 'unanswered'];

it('NT1: what a session does decides, and at rest how its turn ended', () => {
  const words = (turn: TurnEnd) => STATES.map((state) => runStateOf({ state, turn }));
  const busy = ['working', 'needsYou', 'working', 'working', 'working', 'stoppedEarly'];
  for (const turn of TURNS)
    expect(words(turn)).toEqual([['none', 'finished'].includes(turn) ? 'done' : 'stoppedEarly', ...busy]);
  const all = STATES.flatMap((state) => TURNS.map((turn) => ({ state, turn })));
  expect(countWaiting(all)).toBe(TURNS.length);
});

const review = {
  ...{ kind: 'compaction', reason: 'manual', tokensBefore: 1, projected: null, messages: 1 },
  ...{ phase: 'review', part: null, step: 0, steps: 0, retry: null, review: null, startedAt: 5 },
} as unknown as NonNullable<LiveSession['job']>;

it('NT1, EV2: a summary that is reviewed waits for the person, and while it is stopped for nobody', () => {
  const stateIn = (phase: Phase, job: LiveSession['job']) => sessionStateOf({ ...NO_SESSION, phase, job });
  expect([stateIn('job', review), stateIn('rewriting', { ...review, kind: 'bringOver' } as never)]).toEqual([
    ...['waiting', 'waiting'],
  ]);
  expect(stateIn('job', { ...review, phase: 'write' })).toBe('compacting');
  expect(stateIn('stopping', review)).toBe('compacting');
});

it('NT1: the question is the first that is open, short and with how many more there are', () => {
  const ask = (title: string, createdAt: number) => ({ title, createdAt }) as LiveSession['approvals'][number];
  expect(questionOf(NO_SESSION)).toBeNull();
  expect(questionOf({ extensionQuestions: [], approvals: [ask('Run a', 7), ask('Run b', 8)], job: null })).toEqual({
    ...{ what: 'Run a', more: 1, since: 7 },
  });
  expect(
    questionOf({ extensionQuestions: [], approvals: [ask('x'.repeat(1_000_000), 7)], job: null })!.what,
  ).toHaveLength(300);
  expect(questionOf({ extensionQuestions: [], approvals: [], job: review })).toEqual({
    what: 'Review a summary',
    more: 0,
    since: null,
  });
});
