import type { AppEvent } from '@shared/ipc/contract';
import { oneLineTitle } from '@shared/policy/session-title';
import { Attention, type Deed, type NoticeKind } from '@shared/session-state/attention';
import type { Settings } from '@shared/settings';
import type { DesktopSupport, SessionSummary } from '@shared/types';

export interface DesktopNote {
  /** In visible form, one short line. */
  title: string;
  body: string;
  isSilent: boolean;
  onClick: () => void;
}

/** What the system around the window can show. `app/desktop.ts` does it with Electron. Nothing here throws. */
export interface Desktop {
  support(): DesktopSupport;
  /** Whether the person is at a window of this app. */
  isHere(): boolean;
  /** Shows a notification. Returns what takes it back, also once it is gone already. */
  notify(note: DesktopNote): () => void;
  /** At the app's icon: how many sessions wait for the person. */
  setCount(waiting: number): void;
  /** Makes the app's icon stand out, until the person comes or `calm`. */
  call(): void;
  calm(): void;
  /** Brings the window to the front; one that was closed is opened. */
  bringForward(): void;
}

/** Characters of a session's title: a notification shows no more. */
const MAX_TITLE_CHARS = 60;

/** More would bury what else the desktop tells; the count at the icon has them all. */
const MOST_STANDING = 8;

/** The kind alone: no command and no path, because lock screens show it (NT2). */
const WORDS: Record<NoticeKind, string> = {
  needsYou: 'Waiting for your answer',
  failed: 'Stopped early: something failed',
  done: 'Done',
};

interface DeskParts {
  desktop: Desktop;
  settings: () => Settings;
  /** Unix milliseconds. */
  now: () => number;
  /** Runs a task once the step that is under way is over: between a job and what goes on after it a session rests for a moment. */
  soon: (task: () => void) => void;
  /** Tells the window; false if no page listens yet. */
  tellWindow: (event: AppEvent) => boolean;
}

/** Tells the person outside the window which sessions need them, and leads from there to the very card (NT1 to NT3). */
export class AttentionDesk {
  private readonly attention = new Attention();
  /** By session, the oldest first: what takes its notification back. */
  private readonly shown = new Map<string, () => void>();
  /** A session that the person asked for while no page was there to show it. */
  private wanted: string | null = null;
  /** Sessions that changed in this step, as they are now. */
  private readonly due = new Map<string, SessionSummary>();
  private isClosed = false;

  constructor(private readonly parts: DeskParts) {}

  support(): DesktopSupport {
    return this.parts.desktop.support();
  }

  /** Every event that the window is told; those of a stream are passed over. */
  hear(event: AppEvent): void {
    switch (event.type) {
      case 'sessions_changed':
        if (this.due.size === 0) this.parts.soon(() => this.look());
        this.due.set(event.summary.id, event.summary);
        break;
      case 'session_removed':
        this.due.delete(event.sessionId);
        this.follow(() => this.attention.gone(event.sessionId));
        break;
      case 'settled':
        this.attention.ended(event.sessionId, outcomeOf(event.reason));
        break;
      case 'job_end':
        this.attention.ended(event.sessionId, event.aborted ? 'stopped' : event.errorMessage ? 'failed' : 'done');
        break;
      default:
        break; // Changes no run state.
    }
  }

  /** The person came to a window of the app. */
  cameHere(): void {
    this.parts.desktop.calm();
    this.follow(() => this.attention.cameHere());
  }

  /** The session that was asked for before there was a page, once. */
  take(): string | null {
    const { wanted } = this;
    this.wanted = null;
    return wanted;
  }

  /** Nothing of this app stays on the desktop, and what ends with it is told nobody. */
  close(): void {
    this.isClosed = true;
    for (const deed of this.attention.close()) this.carryOut(deed);
    this.parts.desktop.setCount(0);
    this.parts.desktop.calm();
  }

  private look(): void {
    const sessions = [...this.due.values()];
    this.due.clear();
    for (const session of sessions)
      this.follow(() => this.attention.heard(session, this.parts.now(), this.parts.desktop.isHere()));
  }

  private follow(step: () => Deed[]): void {
    if (this.isClosed) return;
    const { count } = this.attention;
    for (const deed of step()) this.carryOut(deed);
    const { count: after } = this.attention;
    if (after === count) return;
    this.parts.desktop.setCount(after);
    if (after === 0) this.parts.desktop.calm();
  }

  private carryOut(deed: Deed): void {
    if (deed.do === 'tell') return this.show(deed.kind, deed.session);
    this.takeBack(deed.sessionId);
  }

  private takeBack(sessionId: string): void {
    this.shown.get(sessionId)?.();
    this.shown.delete(sessionId);
  }

  private show(kind: NoticeKind, session: SessionSummary): void {
    const { desktop } = this.parts;
    const settings = this.parts.settings();
    if (!settings[`notifications.${kind}`]) return;
    if (kind === 'needsYou') desktop.call();
    const [oldest] = this.shown.keys();
    if (this.shown.size >= MOST_STANDING && oldest !== undefined) this.takeBack(oldest);
    const takeBack = desktop.notify({
      title: oneLineTitle(session, MAX_TITLE_CHARS),
      body: WORDS[kind],
      isSilent: !settings['notifications.sound'],
      onClick: () => this.lead(session.id),
    });
    this.shown.set(session.id, takeBack);
  }

  /** Shows the session, at its card, once a page is there. */
  private lead(sessionId: string): void {
    if (!this.parts.tellWindow({ type: 'attend', sessionId })) this.wanted = sessionId;
    this.parts.desktop.bringForward();
  }
}

function outcomeOf(reason: string): 'done' | 'failed' | 'stopped' {
  return reason === 'failed' || reason === 'stopped' ? reason : 'done';
}

/** The amber of what waits, as in the window's dark theme, which is seen on light bars as well: blue, green, red. */
const AMBER = [0x5c, 0xb2, 0xe3] as const;

/** A filled circle on nothing, as Electron takes bitmaps: rows from the top, four bytes a pixel, colors multiplied by their alpha. */
export function dotBitmap(size: number): Buffer {
  const bytes = Buffer.alloc(size * size * 4);
  const middle = (size - 1) / 2;
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      // One pixel wide, the edge is soft.
      const alpha = Math.min(1, Math.max(0, size / 2 - Math.hypot(x - middle, y - middle)));
      const at = (y * size + x) * 4;
      AMBER.forEach((color, index) => bytes.writeUInt8(Math.round(color * alpha), at + index));
      bytes.writeUInt8(Math.round(255 * alpha), at + 3);
    }
  }
  return bytes;
}
