import type { App } from './app-type';
import { type Deed, deedOf } from './failures';
import { asSentence, formatTokens } from './format';
import type { ReviewState, UiState } from './ui-store';
import { own } from '@shared/checks';
import type { LiveJob } from '@shared/compaction/summary-job';
import type { AppEvent } from '@shared/ipc/contract';

/** What the person made of a summary that waits: kept in the window, so that looking elsewhere loses nothing. */

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

/** What was made of a summary that is written anew is of the one before. */
export function forgetReview(app: App, sessionId: string): void {
  app.ui.setState(({ reviews }) => {
    const { [sessionId]: _gone, ...others } = reviews;
    return { reviews: others };
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

/** How a compaction or a branch summary ended, where nothing else on screen says it. */

type JobEnd = Extract<AppEvent, { type: 'job_end' }>;

/** @param onDone is called with the compaction that was carried out: its request only began it */
export function tellJobEnd(app: App, event: JobEnd, title: string, onDone: (deed: Deed) => void): void {
  const { sessionId, errorMessage, aborted, compaction } = event;
  if (!compaction) return tellSummaryEnd(app, sessionId, errorMessage);
  const { summaryFailure, skippedReason, tokensBefore, tokensAfter, reason, again } = compaction;
  const of = deedOf(again === undefined ? 'session.compact' : 'session.compactAgain', { sessionId, entryId: again });
  if (summaryFailure) {
    // Its card says more.
    app.announce(`${title}: ${errorMessage ?? summaryFailure.message}. The session is unchanged.`);
  } else if (errorMessage !== undefined) {
    app.toast({ level: 'error', text: `${errorMessage}. The session is unchanged.`, of });
  } else if (aborted) {
    app.toast({ level: 'info', text: 'Compaction cancelled. The session is unchanged.' });
  } else if (skippedReason !== undefined) {
    if (reason === 'manual') tellNothingDue(app, sessionId, skippedReason);
  } else {
    onDone(of);
    const after = tokensAfter === undefined ? '' : ` to ${formatTokens(tokensAfter)} tokens`;
    app.announce(`${title}: compacted from ${formatTokens(tokensBefore)}${after}.`);
  }
}

/** The sheet says why, and lets the person compact all the same (SH2); where they are elsewhere by now, or there is no message, it is said. */
function tellNothingDue(app: App, sessionId: string, text: string): void {
  const { compactSheet, branchDialog, settings, palette, help, deletedOpen, output, compactionQuestion } =
    app.ui.getState();
  const isOpen = [compactSheet, branchDialog, settings, output, compactionQuestion].some((one) => one !== null);
  const isFree = !isOpen && !palette && !help && !deletedOpen;
  const isHere = app.sessions.getState().activeId === sessionId;
  if (isFree && isHere && app.openSession(sessionId).view.getState().rows.length > 0)
    app.ui.setState({ compactSheet: sessionId, meter: false });
  else app.toast({ level: 'info', text });
}

/** Of a summary that was asked for before the window was reopened: else who asked for it tells. */
function tellSummaryEnd(app: App, sessionId: string, errorMessage: string | undefined): void {
  if (errorMessage === undefined || app.ui.getState().askedSummaries.includes(sessionId)) return;
  app.toast({ level: 'error', text: `${asSentence(errorMessage)} The session is unchanged.`, sessionId });
}
