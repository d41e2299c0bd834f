/** How a compaction or a branch summary ended, where nothing else on screen says it. */
import type { AppEvent } from '@shared/ipc/contract';
import type { App } from './app-type';
import { asSentence, formatTokens } from './format';

type EventOf<T extends AppEvent['type']> = Extract<AppEvent, { type: T }>;

export function tellCompactionEnd(app: App, event: EventOf<'compaction_end'>, title: string): void {
  if (event.summaryFailure) {
    // Its card says more.
    app.announce(`${title}: ${event.errorMessage ?? event.summaryFailure.message}. The session is unchanged.`);
  } else if (event.errorMessage !== undefined) {
    app.toast({ level: 'error', text: `${event.errorMessage}. The session is unchanged.` });
  } else if (event.aborted) {
    app.toast({ level: 'info', text: 'Compaction cancelled. The session is unchanged.' });
  } else if (event.skippedReason !== undefined) {
    if (event.reason === 'manual') app.toast({ level: 'info', text: event.skippedReason });
  } else {
    const after = event.tokensAfter === undefined ? '' : ` to ${formatTokens(event.tokensAfter)} tokens`;
    app.announce(`${title}: compacted from ${formatTokens(event.tokensBefore)}${after}.`);
    warnOfRepetition(app, event);
  }
}

/** Counts of compactions on a path that were spoken of, by session: once each (JB11). */
const warned = new Set<string>();

function warnOfRepetition(app: App, { sessionId, compactionsOnPath }: EventOf<'compaction_end'>): void {
  const key = `${sessionId}:${compactionsOnPath}`;
  if (compactionsOnPath < 2 || warned.has(key)) return;
  warned.add(key);
  app.toast({
    level: 'warning',
    text: `Compaction ${compactionsOnPath} on this branch. Each summary of a summary loses some detail: Undo brings the originals back, a new session starts fresh.`,
  });
}

/** Of a summary that was asked for before the window was opened anew: else who asked for it tells. */
export function tellTreeSummaryEnd(app: App, { sessionId, errorMessage }: EventOf<'tree_summary_end'>): void {
  if (errorMessage === undefined || app.ui.getState().askedSummaries.includes(sessionId)) return;
  app.toast({ level: 'error', text: `${asSentence(errorMessage)} The session is unchanged.` });
}
