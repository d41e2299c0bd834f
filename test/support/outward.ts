/** The events of jobs and phases as the outside knows them: the names and payloads of EV2, made of the one set within (EV10). */
import type { RetryWait } from '../../src/shared/types';
import type { CompactionReason, JobKind, LiveJob, ReviewDraft } from '../../src/shared/compaction/summary-job';
import type { AppEvent } from '../../src/shared/ipc/contract';
import type { JobEnd, JobStep, SessionEvent } from '../../src/shared/session-state/events';

type CompactionPhase = 'plan' | 'hooks' | 'history' | 'prefix' | 'short' | 'review' | 'commit';
type Told<T extends JobKind> = Omit<Extract<LiveJob, { kind: T }>, 'phase' | 'part' | 'step' | 'steps'>;

type OutwardJob =
  | {
      type: 'compaction_start';
      compaction: Omit<Told<'compaction'>, 'kind'> & { phase: CompactionPhase; step: number; steps: number };
    }
  | {
      type: 'compaction_progress';
      phase: CompactionPhase;
      step: number;
      steps: number;
      textDelta?: string;
      review?: ReviewDraft;
    }
  | { type: 'summarization_retry'; retry: RetryWait | null }
  | ({
      type: 'compaction_end';
      reason: CompactionReason;
      aborted: boolean;
      entryId?: string;
      errorMessage?: string;
    } & Omit<NonNullable<JobEnd['compaction']>, 'reason'>)
  | { type: 'tree_summary_start'; summary: Told<Exclude<JobKind, 'compaction'>> }
  | { type: 'tree_summary_progress'; textDelta: string }
  | { type: 'tree_summary_retry'; retry: RetryWait | null }
  | { type: 'tree_summary_review'; review: { text: string } }
  | {
      type: 'tree_summary_end';
      kind: Exclude<JobKind, 'compaction'>;
      aborted: boolean;
      summaryEntryId?: string;
      errorMessage?: string;
    };

type Inner = Extract<AppEvent, { type: `job_${string}` | 'phase' }>;

/** Events as the outside hears them. */
export type OutwardEvent = Exclude<AppEvent, Inner> | (OutwardJob & Pick<SessionEvent, 'sessionId' | 'n' | 'over'>);

/** What the outside hears of an event; null: nothing. */
export function outward(event: AppEvent): OutwardEvent | null {
  if (!isInner(event)) return event;
  const told = event.type === 'phase' ? null : jobOf(event);
  if (!told) return null;
  const { sessionId, n, over } = event;
  return { ...told, sessionId, n, ...(over === undefined ? {} : { over }) };
}

function isInner(event: AppEvent): event is Inner {
  return event.type === 'phase' || event.type.startsWith('job_');
}

function jobOf(event: Exclude<Inner, { type: 'phase' }>): OutwardJob | null {
  switch (event.type) {
    case 'job_start':
      return startOf(event.job);
    case 'job_progress': {
      const { kind, textDelta, step, steps } = event;
      const words = textDelta === undefined ? {} : { textDelta };
      if (kind === 'compaction') return { type: 'compaction_progress', phase: phaseOf(event), step, steps, ...words };
      return textDelta === undefined ? null : { type: 'tree_summary_progress', textDelta };
    }
    case 'job_retry':
      return { type: event.kind === 'compaction' ? 'summarization_retry' : 'tree_summary_retry', retry: event.retry };
    case 'job_review': {
      const { kind, review } = event;
      if (kind === 'compaction') return { type: 'compaction_progress', phase: 'review', step: 0, steps: 0, review };
      return { type: 'tree_summary_review', review: { text: review.text } };
    }
    case 'job_end': {
      const { type: _type, kind, compaction, entryId, ...end } = event;
      if (kind !== 'compaction')
        return {
          type: 'tree_summary_end',
          kind,
          ...end,
          ...(entryId === undefined ? {} : { summaryEntryId: entryId }),
        };
      return compaction
        ? { type: 'compaction_end', ...end, ...(entryId === undefined ? {} : { entryId }), ...compaction }
        : null;
    }
  }
}

function startOf(job: LiveJob): OutwardJob {
  if (job.kind === 'compaction') {
    const { kind: _kind, phase: _phase, part: _part, ...facts } = job;
    return { type: 'compaction_start', compaction: { ...facts, phase: phaseOf(job) } };
  }
  const { phase: _phase, part: _part, step: _step, steps: _steps, ...facts } = job;
  return { type: 'tree_summary_start', summary: facts };
}

/** The phases of EV2 name what is written. */
function phaseOf({ phase, part }: Pick<JobStep, 'phase' | 'part'>): CompactionPhase {
  if (phase === 'write') return part ?? 'history';
  return phase === 'plan' && part === 'hooks' ? 'hooks' : phase;
}
