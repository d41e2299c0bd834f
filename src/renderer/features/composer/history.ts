import type { SessionEntry } from '@shared/session/records/entry';
import { toComposer } from '@shared/session/records/message-text';
import { fitsField } from '../../state/draft-field';
import type { OpenSession } from '../../state/open-session';

/** Prompts that ↑ goes back through. */
const MAX_HISTORY = 50;

export interface History {
  /** ↑ acts in an empty field, or while walking the history. */
  canGoBack(text: string): boolean;
  canGoForward(text: string): boolean;
  back(show: (text: string) => void): Promise<void>;
  forward(show: (text: string) => void): Promise<void>;
  /** Typing ends the walk. */
  leave(): void;
}

/** The earlier prompts of a session, newest first. They are read from the session itself, so they survive restarts. */
export function createHistory(session: OpenSession): History {
  let walk: { at: number; shown: string } | null = null;
  const inField = (): string => session.draft.state.getState().text;
  const walking = (text: string): boolean => walk?.shown === text;

  async function show(at: number, put: (text: string) => void): Promise<void> {
    const before = inField();
    const acts = session.draft.acts();
    const prompts = await readPrompts(session);
    // What was done while they were read stays, also if the field looks as it did: it was typed and sent.
    if (inField() !== before || session.draft.acts() !== acts) return;
    const text = at < 0 ? '' : prompts[at];
    if (text === undefined) return;
    walk = at < 0 ? null : { at, shown: text };
    put(text);
  }

  return {
    canGoBack: (text) => text === '' || walking(text),
    canGoForward: walking,
    back: (put) => show((walking(inField()) ? (walk?.at ?? -1) : -1) + 1, put),
    forward: (put) => show((walk?.at ?? 0) - 1, put),
    leave: () => {
      walk = null;
    },
  };
}

async function readPrompts(session: OpenSession): Promise<string[]> {
  const { rows } = session.view.getState();
  const ids: string[] = [];
  for (let at = rows.length - 1; at >= 0 && ids.length < MAX_HISTORY; at--) {
    const row = rows[at];
    if (row?.kind === 'user') ids.push(row.id);
  }
  await session.loadEntries(ids);
  const texts = ids.map((id) => promptText(session.entry(id))).filter((text) => text !== '' && fitsField(text));
  return texts.filter((text, at) => text !== texts[at - 1]);
}

/** The text of a user message; empty for anything else. */
function promptText(entry: SessionEntry | undefined): string {
  const { role } = (entry as { message?: { role?: unknown } } | undefined)?.message ?? {};
  return role === 'user' ? toComposer(entry).text : '';
}
