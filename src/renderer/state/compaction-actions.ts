/** What a person does about compaction, and how its end is told. Nothing here throws. */
import type { AppEvent } from '@shared/ipc/contract';
import type { App } from './app';
import { formatTokens } from './format';

/** Compacts a session now; `retry` sends the refused request again afterwards. */
export async function compactSession(
  app: App,
  sessionId: string,
  { instructions, retry = false }: { instructions: string; retry?: boolean },
): Promise<void> {
  await app.attempt(() =>
    app.client.request('session.compact', {
      sessionId,
      ...(instructions ? { instructions } : {}),
      ...(retry ? { retry } : {}),
    }),
  );
}

/** Escape: ends a compaction alone while one shows, so that what it interrupts goes on; else the run (engine.md 10.1). */
export function stopOrCancel(app: App, sessionId: string): void {
  const isCompacting = app.openSession(sessionId).view.getState().compaction !== null;
  const request = isCompacting ? 'session.cancelCompaction' : 'session.stop';
  void app.attempt(() => app.client.request(request, { sessionId }));
}

/** The model sees again what a compaction stood for. */
export async function undoCompaction(app: App, sessionId: string, entryId: string): Promise<void> {
  const done = await app.attempt(async () => {
    await app.client.request('session.undoCompaction', { sessionId, entryId });
    return true;
  });
  if (done) app.toast({ level: 'info', text: 'Compaction undone. The model sees the whole again.' });
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
  const reserve = formatTokens(settings['compaction.reserveTokens']);
  const keep = formatTokens(settings['compaction.keepRecentTokens']);
  app.toast({
    level: 'info',
    text: `Automatic compaction is ${value ? 'on' : 'off'}. Kept free for the answer: ${reserve}; kept word for word: ${keep}.`,
  });
}

type CompactionEnd = Extract<AppEvent, { type: 'compaction_end' }>;

/** How a compaction ended, in a toast where nothing else on screen says it. */
export function tellCompactionEnd(app: App, event: CompactionEnd, title: string): void {
  if (event.errorMessage !== undefined) {
    app.toast({ level: 'error', text: `${event.errorMessage}. The session is unchanged.` });
  } else if (event.aborted) {
    app.toast({ level: 'info', text: 'Compaction cancelled. The session is unchanged.' });
  } else if (event.skippedReason !== undefined) {
    if (event.reason === 'manual') app.toast({ level: 'info', text: event.skippedReason });
  } else {
    const after = event.tokensAfter === undefined ? '' : ` to ${formatTokens(event.tokensAfter)} tokens`;
    app.announce(`${title}: compacted from ${formatTokens(event.tokensBefore)}${after}.`);
  }
}
