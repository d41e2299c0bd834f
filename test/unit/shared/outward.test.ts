import { describe, expect, it } from 'vitest';
import type { LiveJob } from '@shared/compaction/summary-job';
import type { SessionChange } from '@shared/session-state/events';
import { outward } from '../../support/outward';

const told = (change: SessionChange): unknown => outward({ ...change, sessionId: 's', n: 7 });
const from = { sessionId: 's', n: 7 };
const fresh = { phase: 'plan', part: null, step: 0, steps: 0, retry: null, review: null, startedAt: 5 } as const;
const compaction: LiveJob = {
  kind: 'compaction',
  reason: 'manual',
  tokensBefore: 9,
  projected: 3,
  messages: 2,
  ...fresh,
};
const leave: LiveJob = { kind: 'leave', targetId: 'b', fromId: 'a', ...fresh };
const retry = { attempt: 1, maxAttempts: 3, until: 9, errorMessage: 'busy' };
const review = { text: 'S', previousSummary: null, context: null };

describe('EV2, EV10: what the outside hears of a job', () => {
  it('a compaction: its start, its phases by what is written, its waits, its review, its end', () => {
    const facts = {
      reason: 'manual',
      tokensBefore: 9,
      projected: 3,
      messages: 2,
      retry: null,
      review: null,
      startedAt: 5,
    };
    expect(told({ type: 'job_start', job: compaction })).toEqual({
      type: 'compaction_start',
      compaction: { ...facts, phase: 'plan', step: 0, steps: 0 },
      ...from,
    });
    const step = { type: 'job_progress', kind: 'compaction', step: 1, steps: 2 } as const;
    const phases = [
      told({ ...step, phase: 'plan', part: 'hooks' }),
      told({ ...step, phase: 'write', part: 'history', textDelta: 'x' }),
      told({ ...step, phase: 'write', part: 'short' }),
      told({ ...step, phase: 'commit', part: 'short' }),
    ];
    const progress = { type: 'compaction_progress', step: 1, steps: 2, ...from };
    expect(phases).toEqual([
      { ...progress, phase: 'hooks' },
      { ...progress, phase: 'history', textDelta: 'x' },
      { ...progress, phase: 'short' },
      { ...progress, phase: 'commit' },
    ]);
    expect(told({ type: 'job_retry', kind: 'compaction', retry })).toEqual({
      type: 'summarization_retry',
      retry,
      ...from,
    });
    expect(told({ type: 'job_review', kind: 'compaction', review })).toMatchObject({
      type: 'compaction_progress',
      phase: 'review',
      review,
    });
    const figures = { reason: 'manual', tokensBefore: 9, tokensAfter: 3, compactionsOnPath: 1 } as const;
    const end = { type: 'job_end', kind: 'compaction', aborted: false, entryId: 'e', compaction: figures } as const;
    expect(told(end)).toEqual({ type: 'compaction_end', aborted: false, entryId: 'e', ...figures, ...from });
  });

  it('a summary of a branch: its start, its words alone, its waits, its review, its end', () => {
    const { phase: _phase, part: _part, step: _step, steps: _steps, ...summary } = leave;
    expect(told({ type: 'job_start', job: leave })).toEqual({ type: 'tree_summary_start', summary, ...from });
    const step = { type: 'job_progress', kind: 'leave', phase: 'write', part: 'history', step: 1, steps: 1 } as const;
    expect(told(step)).toBeNull();
    expect(told({ ...step, textDelta: 'x' })).toEqual({ type: 'tree_summary_progress', textDelta: 'x', ...from });
    expect(told({ type: 'job_retry', kind: 'leave', retry })).toEqual({ type: 'tree_summary_retry', retry, ...from });
    expect(told({ type: 'job_review', kind: 'bringOver', review })).toEqual({
      type: 'tree_summary_review',
      review: { text: 'S' },
      ...from,
    });
    expect(told({ type: 'job_end', kind: 'leave', aborted: false, entryId: 'e' })).toEqual({
      type: 'tree_summary_end',
      kind: 'leave',
      aborted: false,
      summaryEntryId: 'e',
      ...from,
    });
    expect(told({ type: 'job_end', kind: 'handoff', aborted: true })).toMatchObject({ kind: 'handoff', aborted: true });
  });

  it('a phase is told as the session state that it comes to, and everything else as it is', () => {
    expect(told({ type: 'phase', phase: 'rewriting' })).toBeNull();
    const state = { type: 'session_state', state: 'idle', ...from } as const;
    expect(outward(state)).toBe(state);
  });
});
