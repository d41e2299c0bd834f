import { randomUUID } from 'node:crypto';
import type { TerminalFrame } from '@shared/extensions/terminal';
import { checkFrame } from './check-frame';
import type { OpenedView, TerminalSize } from './extension-ui';

/** Frames of one view that are told at once, and besides per second: its process sends fewer. */
const BURST = 30;
const PER_SECOND = 40;
/** What a key brings about comes by then. Milliseconds. */
const KEY_MS = 5_000;

interface Open {
  view: OpenedView;
  owner: string;
  left: number;
  filledAt: number;
  /** When the person last pressed a key in it. */
  typedAt: number;
}

/** The terminal views of the extensions of one session, by the ids that the window knows them by (EX24). */
export class SessionViews {
  private readonly views = new Map<string, Open>();

  constructor(private readonly tell: (viewId: string, frame: TerminalFrame) => void) {}

  open(owner: string, view: OpenedView): string {
    const id = randomUUID();
    this.views.set(id, { view, owner, left: BURST, filledAt: Date.now(), typedAt: -Infinity });
    return id;
  }

  close(viewId: string): void {
    this.views.delete(viewId);
  }

  /** Of a view that is over nothing is taken. */
  take(viewId: string, what: { input: string } | TerminalSize): void {
    const open = this.views.get(viewId);
    if (open && 'input' in what) open.typedAt = Date.now();
    open?.view.take(what);
  }

  /** The person pressed a key in it a moment ago: one key does one thing. */
  tookKey(viewId: string): boolean {
    const open = this.views.get(viewId);
    if (!open || Date.now() - open.typedAt > KEY_MS) return false;
    open.typedAt = -Infinity;
    return true;
  }

  draw(owner: string, key: string, given: unknown): void {
    const found = [...this.views].find(([, open]) => open.owner === owner && open.view.key === key);
    if (!found) return;
    const [id, open] = found;
    if (!mayDraw(open)) return;
    const frame = checkFrame(given);
    if (frame) this.tell(id, frame);
  }
}

function mayDraw(open: Open): boolean {
  const now = Date.now();
  open.left = Math.min(BURST, open.left + ((now - open.filledAt) / 1000) * PER_SECOND);
  open.filledAt = now;
  if (open.left < 1) return false;
  open.left -= 1;
  return true;
}
