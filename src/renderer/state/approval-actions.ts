import type { App } from './app';
import type { OpenSession } from './open-session';
import { arrive } from './references';

/** Frames in which a row that was brought into view is drawn. */
const MAX_FRAMES = 60;

/** The reply whose calls are being made. */
export function newestReply(session: OpenSession): string | undefined {
  return session.view.getState().rows.findLast(({ kind }) => kind === 'assistant')?.id;
}

/** Whether the session that is shown asks something. */
export function hasQuestion(app: App): boolean {
  return questionOf(app) !== undefined;
}

/** Brings the question that waits into view and moves the keyboard to its card: to none of its answers. */
export function showQuestion(app: App): void {
  const { activeId } = app.sessions.getState();
  const id = questionOf(app);
  if (activeId === null || id === undefined) return;
  const card = (): HTMLElement | null => document.querySelector(`[data-approval="${CSS.escape(id)}"]`);
  const reply = newestReply(app.openSession(activeId));
  if (!card() && reply !== undefined) arrive(app, activeId, reply);
  const show = (framesLeft: number): void => {
    const found = card();
    if (!found) {
      if (framesLeft > 0) requestAnimationFrame(() => show(framesLeft - 1));
      return;
    }
    found.scrollIntoView({ block: 'start' });
    found.focus({ preventScroll: true });
  };
  show(MAX_FRAMES);
}

function questionOf(app: App): string | undefined {
  const { activeId } = app.sessions.getState();
  return activeId === null ? undefined : app.openSession(activeId).live.getState().approvals[0]?.id;
}
