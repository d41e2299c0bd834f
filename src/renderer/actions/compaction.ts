/** What a person does about compaction. Nothing here throws. */
import { own } from '@shared/checks';
import { DEFAULT_RESERVE_TOKENS, keepTokens } from '@shared/compaction/limits';
import type { Settings } from '@shared/settings';
import type { ModelRef } from '@shared/types';
import type { SummaryFailure, SummaryInstructions } from '@shared/compaction/summary-job';
import type { App } from '../state/app-type';
import { formatTokens } from '../state/format';
import { rememberInstructions } from '../state/ui-memory';
import { FORCED_OFF } from '../state/settings-store';
import type { EntryTarget } from './action';

export interface CompactHow extends SummaryInstructions {
  /** Sends the refused request again afterwards. */
  retry?: boolean;
}

/** Compacts a session now. Resolves with whether it has begun; a refusal is told. */
export async function compactSession(
  app: App,
  sessionId: string,
  { instructions, ...how }: CompactHow,
): Promise<boolean> {
  const params = { sessionId, ...(instructions ? { instructions } : {}), ...how };
  // Its card stands at HEAD.
  app.openSession(sessionId).reading.leave();
  const begun = await app.did('session.compact', params);
  if (begun && instructions) await rememberInstructions(app.local, instructions);
  return begun;
}

/**
 * `/compact`: what the sheet proposes, at once, and the sheet with what was asked for where nothing is due or a job takes many requests
 * (SH2). Main decides, in the one request: nothing that is said meanwhile comes in between.
 */
export async function compactNow(app: App, sessionId: string, instructions: string): Promise<void> {
  const params = { sessionId, ...(instructions ? { instructions } : {}), asks: true };
  app.openSession(sessionId).reading.leave();
  const answer = await app.ask('session.compact', params);
  if (!answer) return;
  if (!answer.begun) openSheet(app, sessionId, answer.leafId, instructions);
  else if (instructions) await rememberInstructions(app.local, instructions);
}

function openSheet(app: App, sessionId: string, leafId: string | null, instructions: string): void {
  const asked = instructions.trim();
  app.ui.setState((ui) => {
    const known = own(ui.sheets, sessionId);
    const base = known?.leafId === leafId ? known : { cutAt: null, instructions: '', model: null, leafId };
    const sheets = asked === '' ? ui.sheets : { ...ui.sheets, [sessionId]: { ...base, instructions: asked } };
    return { compactSheet: sessionId, meter: false, sheets };
  });
}

/** Takes a compaction back; asks first where more than that would happen (UN7). */
export function askToUndo(app: App, { sessionId, id: entryId }: EntryTarget): Promise<void> {
  return undoAsked(app, { sessionId, entryId, retries: false });
}

async function undoAsked(app: App, asked: Undoing): Promise<void> {
  const { sessionId, entryId } = asked;
  const preview = await app.ask('session.undoPreview', { sessionId, entryId });
  if (!preview) return;
  const isTight = preview.hardLine !== null && preview.tokensAfter > preview.hardLine;
  if (preview.later === 0 && !isTight) return void (await undoCompaction(app, asked));
  app.ui.setState({ compactionQuestion: { kind: 'undo', ...asked, preview } });
}

interface Undoing {
  sessionId: string;
  entryId: string;
  /** The request that did not fit is made again afterwards. */
  retries: boolean;
}

/** The model sees again what a compaction stood for. */
export async function undoCompaction(app: App, { sessionId, entryId, retries }: Undoing): Promise<void> {
  app.ui.setState({ compactionQuestion: null });
  if (!(await app.did('session.undoCompaction', { sessionId, entryId }))) return;
  const told = app.toast({
    level: 'info',
    text: 'Compaction undone. The model sees the original messages again.',
    action: { label: 'Redo', onSelect: () => void redoCompaction(app, { sessionId, id: entryId }) },
  });
  offeredAgain.set(entryId, told);
  if (retries) await app.ask('session.retry', { sessionId });
}

/** A compaction that left no room is taken back, and the request that did not fit is made again (TG6). */
export async function undoAndRetry(app: App, sessionId: string): Promise<void> {
  const { rows } = app.openSession(sessionId).view.getState();
  const latest = rows.findLast(({ kind }) => kind === 'compaction');
  if (latest) await undoAsked(app, { sessionId, entryId: latest.id, retries: true });
}

/** Toasts that offer to redo a compaction, by its entry. */
const offeredAgain = new Map<string, string>();

/** Puts an undone compaction in force again. */
export async function redoCompaction(app: App, { sessionId, id: entryId }: EntryTarget): Promise<void> {
  const done = await app.did('session.redoCompaction', { sessionId, entryId });
  // It can be done only once.
  app.dismissToast(offeredAgain.get(entryId) ?? '');
  offeredAgain.delete(entryId);
  if (done) app.toast({ level: 'info', text: 'Compaction redone. The model sees the summary again.' });
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
  await app.ask('session.compactAgain', params);
}

/** Asks for the same compaction again, its summary by another model, which the person chose for this job. */
export async function trySummaryWith(
  app: App,
  sessionId: string,
  { reason, job: { again, ...how } }: SummaryFailure,
  model?: ModelRef,
): Promise<void> {
  const retry = reason === 'overflow';
  await app.attempt<unknown>(() =>
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
  await app.did('session.dismissFailure', { sessionId, of: 'summary' });
}

/** The toast that says what holds; the next one takes its place. */
let told = '';

/** `/autocompact`: switches, or sets `on` or `off`, and says what holds now (ST3). */
export async function toggleAutoCompaction(app: App, _target: null, word: string): Promise<void> {
  const { settings, autoCompactionForcedOff } = app.settings.getState();
  const warn = (text: string): void => void app.toast({ level: 'warning', text });
  if (!/^(?:on|off)?$/i.test(word))
    return warn('Nothing was changed. Write /autocompact, /autocompact on or /autocompact off.');
  if (autoCompactionForcedOff) return warn(`Automatic compaction stays off. ${FORCED_OFF}`);
  const value = word === '' ? !settings['compaction.enabled'] : word.toLowerCase() === 'on';
  if (!(await app.did('settings.set', { key: 'compaction.enabled', value }))) return;
  const text = `Automatic compaction is ${value ? 'on' : 'off'}. ${limitsInWords(app, settings)}`;
  app.dismissToast(told);
  told = app.toast({ level: 'info', text });
}

/** Reserve and keep budget of the session that is shown. */
function limitsInWords(app: App, settings: Settings): string {
  const { activeId } = app.sessions.getState();
  const { model, usage } = activeId ? app.openSession(activeId).live.getState() : { model: null, usage: null };
  const keep = keepTokens(settings, model ? `${model.provider}/${model.modelId}` : '', usage?.window ?? null);
  const reserve = usage?.reserve ?? settings['compaction.reserveTokens'] ?? DEFAULT_RESERVE_TOKENS;
  return `Reserve for the answer: ${formatTokens(reserve)}; recent messages to keep: ${formatTokens(keep)}.`;
}
