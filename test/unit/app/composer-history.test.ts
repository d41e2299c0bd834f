import { describe, expect, it } from 'vitest';
import { createHistory } from '../../../src/renderer/features/composer/history';
import type { Client } from '../../../src/renderer/bridge';
import { createDraftStore } from '../../../src/renderer/state/draft-store';
import { createOpenSession, type OpenSession } from '../../../src/renderer/state/open-session';
import type { Row } from '../../../src/shared/session-state/state';
import { createMemoryStore } from '../../support/memory-store';

const file = '<attachment name="long.txt">\nof a file\n</attachment>';
const PROMPTS: Record<string, string[]> = { first: ['First'], long: ['x'.repeat(50_001)], last: ['Last', file] };

/** A session whose prompts come when the test says so. */
function openBench(): { session: OpenSession; arrive: () => void; put: (text: string) => void } {
  let arrive = (): void => undefined;
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  const lines = Object.entries(PROMPTS).map(([id, texts], seq) => {
    const content = texts.map((text) => ({ type: 'text', text }));
    return {
      seq,
      id,
      line: JSON.stringify({ type: 'message', id, parentId: null, message: { role: 'user', content } }),
    };
  });
  const client = { request: () => arrived.then(() => ({ lines })) } as unknown as Client;
  const local = createMemoryStore();
  const draft = createDraftStore('session', local);
  const session = createOpenSession('session', { client, local, draft, newId: () => 'new' });
  session.view.setState({ rows: lines.map(({ id, seq }) => ({ id, seq, kind: 'user' }) as Row) });
  return { session, arrive, put: (text) => session.draft.set({ text }) };
}

describe('CM1: ↑ recalls earlier messages', () => {
  it('the words of each, without its files; one that the field does not take is left out (CM7)', async () => {
    const { session, arrive, put } = openBench();
    const history = createHistory(session);
    arrive();
    const seen: string[] = [];
    for (const step of ['back', 'back', 'back', 'forward', 'forward'] as const) {
      await history[step](put);
      seen.push(session.draft.state.getState().text);
    }
    expect(seen).toEqual(['Last', 'First', 'First', 'Last', '']);
  });

  it('CM6: never over what was typed while they were read', async () => {
    const { session, arrive, put } = openBench();
    const history = createHistory(session);
    const back = history.back(put);
    session.draft.set({ text: 'typed' });
    arrive();
    await back;
    expect(session.draft.state.getState().text).toBe('typed');
  });

  it('CM6: never into a field that was typed in, and emptied by sending, while they were read', async () => {
    const { session, arrive, put } = openBench();
    const back = createHistory(session).back(put);
    session.draft.set({ text: 'typed' });
    session.draft.take('00000001');
    arrive();
    await back;
    expect(session.draft.state.getState().text).toBe('');
  });
});
