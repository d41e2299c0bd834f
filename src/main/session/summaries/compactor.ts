import { wordsOf } from '../../agent/stream/failed-reply';
import { compact, type CompactionRequest } from '../../compaction/compact';
import { failureText } from '../../compaction/compaction-hooks';
import type { CompactionOutcome, SessionLog } from '../../ports';
import type { SessionScope } from '../machine/scope';
import type { Operation } from '../machine/slot';
import type { SummaryJob } from '../machine/summary-job';
import type { SummaryFailure } from '@shared/compaction/summary-job';
import type { ModelRef } from '@shared/types';

type Facts = Parameters<SummaryJob['end']>[0];

/**
 * Compacts at the leaf and tells the window. `request.signal` ends it with what it is part of. Never rejects.
 * @param operation the session is held for it alone, and is free when the end is told: who hears of it may act at once
 */
export async function runCompaction(
  scope: SessionScope,
  request: CompactionRequest,
  operation?: Operation,
): Promise<CompactionOutcome> {
  const { job, slot } = scope;
  const { reason } = request;
  const tokensBefore = scope.size().tokens;
  const outcome = await job.run(request.signal, async (signal): Promise<CompactionOutcome> => {
    const facts = { kind: 'compaction', reason, tokensBefore, projected: null, messages: null } as const;
    job.prepare(facts);
    // One that nobody asked for shows itself once there is something to do.
    if (reason === 'manual') job.start(facts);
    // In a run it is done. A summary without them would be stored for good, so the compaction fails where they can't be.
    const unstored = reason === 'manual' ? await scope.settleCalls().then(() => null, wordsOf) : null;
    if (unstored !== null) return { kind: 'failed', message: unstored };
    return compact({ ...request, signal }, scope, job);
  });
  const tellEnd = (): void => job.end(endOf(scope, request, outcome, tokensBefore));
  if (operation) operation.leave(tellEnd);
  else {
    tellEnd();
    slot.become('running');
  }
  return outcome;
}

function endOf(
  scope: SessionScope,
  request: CompactionRequest,
  outcome: CompactionOutcome,
  tokensBefore: number,
): Facts {
  const { reason, again } = request;
  const compaction = {
    reason,
    ...(again === undefined ? {} : { again }),
    tokensBefore,
    compactionsOnPath: compactionsOnPath(scope.log),
  };
  const aborted = outcome.kind === 'aborted';
  switch (outcome.kind) {
    case 'done': {
      const { entryId, tokensBefore: before, tokensAfter, durationMs, cost } = outcome;
      const figures = { tokensBefore: before, tokensAfter, durationMs, cost, path: scope.newPath() };
      return { aborted, entryId, compaction: { ...compaction, ...figures } };
    }
    case 'nothing':
      return { aborted, compaction: { ...compaction, skippedReason: outcome.text } };
    case 'failed': {
      const offered = outcome.tried ? { summaryFailure: failureOf(request, outcome.message, outcome.tried) } : {};
      const errorMessage = failureText(reason, outcome.message);
      return { aborted, errorMessage, compaction: { ...compaction, ...offered } };
    }
    case 'aborted':
      return { aborted, compaction };
  }
}

function failureOf(
  { reason, asked, again }: CompactionRequest,
  message: string,
  tried: readonly ModelRef[],
): SummaryFailure {
  const { model: _model, ...job } = asked ?? {};
  const kept = Object.fromEntries(Object.entries({ ...job, again }).filter(([, value]) => value !== undefined));
  return { reason, message, tried: [...tried], job: kept };
}

function compactionsOnPath({ tree }: SessionLog): number {
  let count = 0;
  const node = tree.leafId === null ? undefined : tree.node(tree.leafId);
  for (let at = node && tree.stateOf(node).compaction; at; at = at.parent && tree.stateOf(at.parent).compaction)
    count++;
  return count;
}
