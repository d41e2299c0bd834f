/** What a person does about compaction, and how its end is told. Nothing here throws. */
import type { AppEvent } from '@shared/ipc/contract';
import type { ModelRef, SummaryFailure } from '@shared/ipc/types';
import type { App } from './app';
import { formatTokens } from './format';
import { rememberInstructions } from './recent-instructions';

export interface CompactHow {
  instructions: string;
  /** Sends the refused request again afterwards. */
  retry?: boolean;
  /** The first entry that stays, where the person chose it. */
  cutAt?: string;
  /** The model that writes the summary. */
  model?: ModelRef;
  /** The summary waits until the person accepts it; absent: the setting decides. */
  review?: boolean;
}

/** Compacts a session now. Resolves with whether it has begun; a refusal is told. */
export async function compactSession(
  app: App,
  sessionId: string,
  { instructions, ...how }: CompactHow,
): Promise<boolean> {
  const begun = await app.attempt(async () => {
    await app.client.request('session.compact', { sessionId, ...(instructions ? { instructions } : {}), ...how });
    return true;
  });
  if (begun && instructions) await rememberInstructions(app.local, instructions);
  return begun === true;
}

/** Opens the sheet with the cut line. */
export function openCompactSheet(app: App, sessionId: string): void {
  app.ui.setState({ compactSheet: sessionId, meter: false });
}

/** Answers a summary that waits for review: the text to store, or null to cancel. Resolves with whether main took it. */
export async function answerReview(app: App, sessionId: string, text: string | null): Promise<boolean> {
  const taken = await app.attempt(async () => {
    await app.client.request('session.answerReview', { sessionId, accept: text !== null, text: text ?? '' });
    return true;
  });
  return taken === true;
}

/** Escape: ends a compaction or a branch summary alone while one shows, so that what it interrupts goes on; else the run (JB4). */
export function stopOrCancel(app: App, sessionId: string): void {
  const { compaction, treeSummary } = app.openSession(sessionId).live.getState();
  const request = treeSummary ? 'session.cancelTreeSummary' : compaction ? 'session.cancelCompaction' : 'session.stop';
  void app.attempt(() => app.client.request(request, { sessionId }));
}

/** Takes a compaction back; asks first where more than that would happen. */
export async function askToUndo(app: App, sessionId: string, entryId: string): Promise<void> {
  const preview = await app.attempt(() => app.client.request('session.undoPreview', { sessionId, entryId }));
  if (!preview) return;
  const isTight = preview.hardLine !== null && preview.tokensAfter > preview.hardLine;
  if (preview.later === 0 && !isTight) return undoCompaction(app, sessionId, entryId);
  app.ui.setState({ compactionQuestion: { kind: 'undo', sessionId, entryId, preview } });
}

/** The model sees again what a compaction stood for. */
export async function undoCompaction(app: App, sessionId: string, entryId: string): Promise<void> {
  app.ui.setState({ compactionQuestion: null });
  const done = await tried(app, () => app.client.request('session.undoCompaction', { sessionId, entryId }));
  if (!done) return;
  const redo = (): void => void redoCompaction(app, sessionId, entryId);
  app.toast({
    level: 'info',
    text: 'Compaction undone. The model sees the whole again.',
    action: { label: 'Redo', onSelect: redo },
  });
}

/** Puts an undone compaction in force again. */
export async function redoCompaction(app: App, sessionId: string, entryId: string): Promise<void> {
  const done = await tried(app, () => app.client.request('session.redoCompaction', { sessionId, entryId }));
  if (done) app.toast({ level: 'info', text: 'The compaction is in force again.' });
}

/** Puts another text in the place of a summary. Resolves whether it is saved. */
export async function editSummary(app: App, sessionId: string, entryId: string, summary: string): Promise<boolean> {
  return tried(app, () => app.client.request('session.editSummary', { sessionId, entryId, summary }));
}

/** Summarises the messages of a compaction again; its progress and end are told like those of any other. */
export async function summariseAgain(
  app: App,
  sessionId: string,
  entryId: string,
  instructions: string,
): Promise<void> {
  const focus = instructions.trim();
  const params = { sessionId, entryId, ...(focus === '' ? {} : { instructions: focus }) };
  await tried(app, () => app.client.request('session.compactAgain', params));
}

/** Shows the model the outputs of a prune again. */
export async function restorePruned(app: App, sessionId: string, entryId: string): Promise<void> {
  await tried(app, () => app.client.request('session.restorePruned', { sessionId, entryId }));
}

/** Asks for the same compaction again, its summary by another model, which the person chose for this job. */
export async function trySummaryWith(
  app: App,
  sessionId: string,
  { reason, job: { again, ...how } }: SummaryFailure,
  model?: ModelRef,
): Promise<void> {
  const retry = reason === 'overflow';
  await tried(app, () =>
    again === undefined
      ? app.client.request('session.compact', { sessionId, ...how, ...(retry ? { retry } : {}), model })
      : app.client.request('session.compactAgain', {
          ...{ sessionId, entryId: again, model },
          ...(how.instructions ? { instructions: how.instructions } : {}),
        }),
  );
}

/** Takes the card of a compaction away that nobody could summarise. */
export async function dismissSummaryFailure(app: App, sessionId: string): Promise<void> {
  await tried(app, () => app.client.request('session.dismissFailure', { sessionId, of: 'summary' }));
}

async function tried(app: App, task: () => Promise<unknown>): Promise<boolean> {
  const done = await app.attempt(async () => {
    await task();
    return true;
  });
  return done === true;
}

/** `/autocompact`: switches, and says what holds now. */
export async function toggleAutoCompaction(app: App): Promise<void> {
  const { settings } = app.settings.getState();
  const value = !settings['compaction.enabled'];
  const done = await app.attempt(async () => {
    await app.client.request('settings.set', { key: 'compaction.enabled', value });
    return true;
  });
  if (!done) return;
  const reserveTokens = settings['compaction.reserveTokens'];
  const reserve = reserveTokens === null ? 'as usual' : formatTokens(reserveTokens);
  const keep = formatTokens(settings['compaction.keepRecentTokens']);
  app.toast({
    level: 'info',
    text: `Automatic compaction is ${value ? 'on' : 'off'}. Kept free for the answer: ${reserve}; kept word for word: ${keep}.`,
  });
}

type CompactionEnd = Extract<AppEvent, { type: 'compaction_end' }>;

/** How a compaction ended, in a toast where nothing else on screen says it. */
export function tellCompactionEnd(app: App, event: CompactionEnd, title: string): void {
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

function warnOfRepetition(app: App, { sessionId, compactionsOnPath }: CompactionEnd): void {
  const key = `${sessionId}:${compactionsOnPath}`;
  if (compactionsOnPath < 2 || warned.has(key)) return;
  warned.add(key);
  app.toast({
    level: 'warning',
    text: `Compaction ${compactionsOnPath} on this branch. Each summary of a summary loses some detail: Undo brings the originals back, a new session starts fresh.`,
  });
}
