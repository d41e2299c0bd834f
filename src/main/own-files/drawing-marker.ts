import { rm } from 'node:fs/promises';
import { readRegular } from './read-regular';
import { writeOwnFile } from './write-own';

/** How it showed that a session could not be drawn. `twice`: two starts in a row ended before it rested on screen. */
export type BlankReason = 'blank' | 'gone' | 'hang' | 'twice';

export interface AfterBlank {
  sessionId: string;
  reason: BlankReason;
}

interface Marker {
  sessionId: string;
  /** Starts in a row that ended while it was being drawn, this one included. */
  starts: number;
  evidence: Exclude<BlankReason, 'twice'> | null;
}

/** So many starts in a row that never came to rest count as evidence: whoever sees nothing ends the app from outside. */
const STARTS_IN_A_ROW = 2;
const MAX_BYTES = 64 * 1024;
/** In one run the page is loaded again after a crash; so many of them while the same session is drawn are no accident. */
const CRASHES_IN_A_ROW = 2;

/**
 * Remembers which session is being drawn, so that a session which ends the window does not do so at every start (docs/specs/
 * safety.md A4). The file is there from before a session is drawn until it rests. That alone says nothing: the computer
 * may have lost its power. It counts with evidence (the window's process crashed, hung, or the page could draw nothing), or
 * when the start before this one left the same file behind.
 */
export class DrawingMarker {
  readonly #file: string;
  #current: Marker | null = null;
  #before: Marker | null = null;
  #crashes = 0;
  /** The evidence is of a drawing before this one, in the same run. */
  #isEarlier = false;
  #work: Promise<void> = Promise.resolve();

  constructor(file: string) {
    this.#file = file;
  }

  /** What an earlier start left behind. Never rejects. */
  async read(): Promise<void> {
    try {
      this.#before = readMarker(JSON.parse((await readRegular(this.#file, MAX_BYTES)) ?? 'null'));
    } catch {
      this.#before = null;
      // A pipe would hold up the next write for ever.
      await rm(this.#file, { force: true }).catch(() => undefined);
    }
  }

  /** For the page's start: the session not to open, or null. It is told once. */
  take(): AfterBlank | null {
    const marker = this.#current ?? this.#before;
    const isReload = this.#current !== null;
    if (!marker) return null;
    const { sessionId, evidence, starts } = marker;
    if (evidence !== null && (!isReload || evidence === 'blank' || this.#crashes >= CRASHES_IN_A_ROW)) {
      this.rested();
      return { sessionId, reason: evidence };
    }
    if (!isReload && starts >= STARTS_IN_A_ROW) {
      this.rested();
      return { sessionId, reason: 'twice' };
    }
    return null;
  }

  /** The page is about to draw a session. */
  drawing(sessionId: string): void {
    const { sessionId: last, starts = 0 } = this.#before ?? {};
    const isAgain = this.#current?.sessionId === sessionId;
    if (!isAgain) this.#crashes = 0;
    // The page is loaded again after a crash: what showed there stands until the session has rested.
    const evidence = isAgain ? (this.#current?.evidence ?? null) : null;
    this.#isEarlier = evidence !== null;
    this.#keep({ sessionId, starts: last === sessionId ? starts + 1 : 1, evidence });
  }

  /** It stood on screen for 2 seconds and the page answers, or the person sent a message in it. One that is told late says nothing of the session that is drawn now. */
  rested(sessionId?: string): void {
    if (sessionId !== undefined && this.#current && this.#current.sessionId !== sessionId) return;
    this.#current = null;
    this.#before = null;
    this.#crashes = 0;
    this.#work = this.#work.then(() => rm(this.#file, { force: true })).catch(() => undefined);
  }

  /** The window failed; evidence only while a session is being drawn. */
  failed(evidence: Exclude<BlankReason, 'twice'>): void {
    if (!this.#current) return;
    this.#crashes += 1;
    this.#isEarlier = false;
    this.#keep({ ...this.#current, evidence });
  }

  /** The page could draw nothing, while it drew this session or later. */
  blank(sessionId: string): void {
    if (this.#current?.sessionId !== sessionId) this.#current = { sessionId, starts: 1, evidence: null };
    this.failed('blank');
  }

  /** Resolves when what was told so far is in the file. */
  written(): Promise<void> {
    return this.#work;
  }

  /** The app quits as it should: what was still being drawn is not a sign of anything, unless it had failed. */
  async close(): Promise<void> {
    if (this.#current && (this.#current.evidence === null || this.#isEarlier)) this.rested();
    await this.#work;
  }

  #keep(marker: Marker): void {
    this.#current = marker;
    // Not waited for.
    this.#work = this.#work
      .then(() => writeOwnFile(this.#file, JSON.stringify(marker), { givesWay: true, isFleeting: true }))
      .catch(() => undefined);
  }
}

function readMarker(value: unknown): Marker | null {
  if (value === null || typeof value !== 'object') return null;
  const { sessionId, starts, evidence } = value as Record<string, unknown>;
  if (typeof sessionId !== 'string' || sessionId === '' || sessionId.length > 200) return null;
  return {
    sessionId,
    starts: typeof starts === 'number' && Number.isSafeInteger(starts) && starts > 0 ? starts : 1,
    evidence: evidence === 'blank' || evidence === 'gone' || evidence === 'hang' ? evidence : null,
  };
}
