import { useRef } from 'react';
import type { SessionEntry } from '@shared/session/entry';
import { toComposer } from '@shared/session/user-message';
import { fitsField } from '../../state/field-limit';
import type { OpenSession } from '../../state/open-session';

/** Prompts that ↑ goes back through. */
const MAX_HISTORY = 50;

interface History {
  /** ↑ acts in an empty field, or while walking the history. */
  canGoBack(text: string): boolean;
  canGoForward(text: string): boolean;
  back(show: (text: string) => void): void;
  forward(show: (text: string) => void): void;
  /** Typing ends the walk. */
  leave(): void;
}

/** The earlier prompts of this session, newest first. They are read from the session itself, so they survive restarts. */
export function useHistory(session: OpenSession, current: string): History {
  const walk = useRef<{ at: number; shown: string } | null>(null);
  const walking = (text: string): boolean => walk.current !== null && walk.current.shown === text;

  async function show(at: number, put: (text: string) => void): Promise<void> {
    const { text: before } = session.draft.state.getState();
    const prompts = await readPrompts(session);
    // What was typed while they were read stays.
    if (session.draft.state.getState().text !== before) return;
    const text = at < 0 ? '' : prompts[at];
    if (text === undefined) return;
    walk.current = at < 0 ? null : { at, shown: text };
    put(text);
  }

  return {
    canGoBack: (text) => text === '' || walking(text),
    canGoForward: walking,
    back: (put) => void show((walking(current) ? (walk.current?.at ?? -1) : -1) + 1, put),
    forward: (put) => void show((walk.current?.at ?? 0) - 1, put),
    leave: () => {
      walk.current = null;
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
