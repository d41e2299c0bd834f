/** What the person made of a summary that waits: kept in the window, so that looking elsewhere loses nothing. */
import { own } from '@shared/checks';
import type { LiveJob } from '@shared/compaction/summary-job';
import type { App } from './app-type';
import type { ReviewState, UiState } from './ui-store';

type Job = Pick<LiveJob, 'startedAt'>;

/** Changes the state of a review; that of an earlier compaction of the session is forgotten. */
export function setReview(
  app: App,
  sessionId: string,
  job: Job & Pick<LiveJob, 'review'>,
  change: Partial<ReviewState>,
): void {
  app.ui.setState((ui) => {
    const known = stateOf(ui, sessionId, job);
    const { startedAt } = job;
    const before = known ?? { startedAt, text: job.review?.text ?? '', isOpen: false };
    return { reviews: { ...ui.reviews, [sessionId]: { ...before, ...change } } };
  });
}

/** True once it was opened, whether or not it is now. */
export function isReviewKnown(ui: UiState, sessionId: string, job: Job): boolean {
  return stateOf(ui, sessionId, job) !== undefined;
}

export function isReviewOpen(ui: UiState, sessionId: string, job: Job): boolean {
  return stateOf(ui, sessionId, job)?.isOpen ?? false;
}

/** The text as the person left it, or undefined if they have not changed it. */
export function reviewText(ui: UiState, sessionId: string, job: Job): string | undefined {
  return stateOf(ui, sessionId, job)?.text;
}

function stateOf({ reviews }: UiState, sessionId: string, { startedAt }: Job): ReviewState | undefined {
  const state = own(reviews, sessionId);
  return state?.startedAt === startedAt ? state : undefined;
}
