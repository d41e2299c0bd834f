import type { ExtensionEvent, SessionEvent } from '@shared/session-state/events';
import { own } from '@shared/checks';
import type { App } from './app-type';
import { fitsField } from './draft-field';
import { plural } from './format';
import { shownTitle } from './sessions-store';
import { type Toast, withToast } from './ui-store';

type Asks = Extract<SessionEvent, { type: 'extension_asks' }>;
type Answered = Extract<SessionEvent, { type: 'extension_answered' }>;
type Said<T extends ExtensionEvent['type']> = Extract<ExtensionEvent, { type: T }>;

/** Words of one extension that wait in a session that is not shown: older ones go, or they would push out those of others. */
const MAX_OF_ONE = 3;

/** What an extension says to the person, or wants the composer to hold (EX16). */
export function hearExtension(app: App, event: ExtensionEvent | Asks | Answered): void {
  switch (event.type) {
    case 'extension_asks':
      hearQuestion(app, event);
      break;
    case 'extension_answered':
      app.terminals.end(event.questionId);
      break;
    case 'extensions_changed':
      app.ui.setState(({ extensionChanges }) => ({ extensionChanges: extensionChanges + 1 }));
      break;
    case 'extension_notice':
      tellNotice(app, event);
      break;
    case 'extension_frame':
      app.terminals.draw(event.viewId, event.frame);
      break;
    case 'extension_text':
      fillComposer(app, event);
      break;
    case 'extension_typed':
      hearEditor(app, event);
      break;
  }
}

/** A view takes the place of the composer: who is writing there goes on, and a line leads to it (EX24). */
function hearQuestion(app: App, { sessionId, question }: Asks): void {
  const title = shownTitle({ title: own(app.sessions.getState().byId, sessionId)?.title ?? '' });
  const { id, kind, extension } = question;
  const isShown = app.sessions.getState().activeId === sessionId;
  const writes = isShown && app.page.hasFocus('composer') && app.draftOf(sessionId).state.getState().text !== '';
  const what = kind === 'view' ? 'shows something that takes the keyboard' : 'asks you something';
  app.announce(`${title}: ${extension.name} ${what}.`);
  if (kind === 'view' && writes)
    app.ui.setState(({ questionsAside }) => ({
      questionsAside: [...questionsAside.filter((other) => other !== id), id],
    }));
}

/** A toast of its session, with the name of who says it. */
function tellNotice(app: App, notice: Said<'extension_notice'>): void {
  const { extension, sessionId, level, text, more, isFault } = notice;
  const named = { extensionId: extension.id, sessionId, level };
  if (more !== undefined) return tellMore(app, notice, more);
  const toast: Omit<Toast, 'id'> = { ...named, text: `${extension.name}: ${text}` };
  if (isFault) {
    const show = (): void => app.ui.setState({ settings: 'extensions', extensionToShow: extension.id });
    toast.action = { label: 'Show in Settings', onSelect: show };
  }
  app.ui.setState(({ toasts }) => {
    const told = withToast(toasts, toast, newKey).toasts;
    const own = told.filter((other) => isOf(other, notice) && other.more === undefined && !other.action);
    const old = new Set(own.slice(0, -MAX_OF_ONE));
    return { toasts: told.filter((other) => !old.has(other)) };
  });
}

/** What was held back is one toast, whose figure grows. */
function tellMore(app: App, notice: Said<'extension_notice'>, more: number): void {
  const { extension, sessionId } = notice;
  app.ui.setState(({ toasts }) => {
    const known = toasts.find((toast) => isOf(toast, notice) && toast.more !== undefined);
    const count = (known?.more ?? 0) + more;
    const text = `${extension.name}: and ${plural(count, 'more message')}.`;
    const toast: Toast = {
      id: known?.id ?? newKey(),
      level: 'info',
      text,
      more: count,
      sessionId,
      extensionId: extension.id,
    };
    return {
      toasts: known
        ? toasts.map((other) => (other === known ? toast : other))
        : withToast(toasts, toast, () => toast.id).toasts,
    };
  });
}

function isOf(toast: Toast, { extension, sessionId }: Said<'extension_notice'>): boolean {
  return toast.extensionId === extension.id && toast.sessionId === sessionId;
}

let keys = 0;
function newKey(): string {
  return `extension-${++keys}`;
}

/** At the cursor of the composer on screen; else behind what is there. */
function pasted(app: App, sessionId: string, before: string, text: string): string {
  const isShown = app.sessions.getState().activeId === sessionId;
  const at = (isShown ? app.page.composerCaret() : null) ?? before.length;
  return before.slice(0, at) + text + before.slice(at);
}

/** What is written in an editor of an extension is the composer's text; what it does not know of is put beside the field (EX24). */
function hearEditor(app: App, { sessionId, text, does }: Said<'extension_typed'>): void {
  const { typed } = app.terminals;
  const draft = app.draftOf(sessionId);
  const { text: before } = draft.state.getState();
  if (does === 'hold') {
    if (before.trim() !== '' && before !== typed.get(sessionId)) draft.keepAside(before);
    typed.set(sessionId, text);
    // What no field could hold is told by its own editor, until it is sent.
    if (text !== before && fitsField(text)) draft.set({ text, problem: null });
    return;
  }
  // It is empty now, unless it is told otherwise.
  if (does !== 'escape') typed.set(sessionId, '');
  app.terminals.press(sessionId, { does, text });
}

/** What the person had written is one press away (CM1). */
function fillComposer(app: App, { extension, sessionId, text, how }: Said<'extension_text'>): void {
  const draft = app.draftOf(sessionId);
  const { text: before } = draft.state.getState();
  const after = how === 'paste' ? pasted(app, sessionId, before, text) : text;
  if (after === before) return;
  draft.set({ text: after, problem: null });
  if (how === 'paste' || before.trim() === '') return;
  const undo = (): void => {
    // What was written since stays, beside the field if need be.
    const now = draft.state.getState().text;
    draft.set({ text: before });
    if (now !== after) draft.keepAside(now);
  };
  const isBeside = !fitsField(after);
  app.toast({
    ...{ level: 'info', sessionId, extensionId: extension.id, action: { label: 'Undo', onSelect: undo } },
    text: isBeside
      ? `${extension.name}: a text too long for the field stands beside it, in place of what you had written.`
      : `${extension.name} put another text in place of what you had written.`,
  });
}
