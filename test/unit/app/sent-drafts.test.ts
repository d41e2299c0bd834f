/** CM6: what an earlier window sent is offered again only if main has it nowhere. */
import { expect, it, vi } from 'vitest';
import type { Client } from '../../../src/renderer/bridge';
import { createDraftStore } from '../../../src/renderer/state/draft-store';
import { createOpenSession, type OpenSession } from '../../../src/renderer/state/open-session';
import type { SessionEvent } from '../../../src/shared/session-state/events';
import { NO_SESSION } from '../../../src/shared/session-state/state';
import { createMemoryStore } from '../../support/memory-store';

const ID = 'session';
const SENT = { itemId: '0000000a', text: 'asked', fileIds: [] };

async function openWith(request: (name: string) => Promise<unknown>) {
  const local = createMemoryStore();
  await local.putDraft(ID, { text: '', attachments: [], sent: [SENT] });
  const draft = createDraftStore(ID, local);
  const client = { request } as unknown as Client;
  const session: OpenSession = createOpenSession(ID, { client, local, draft, newId: () => 'new' });
  return { session, offered: () => draft.state.getState().text };
}

it('a message that came into the queue while the snapshot was on its way is not offered', async () => {
  let answer: (snapshot: unknown) => void = () => undefined;
  const { session, offered } = await openWith((name) =>
    name === 'session.open' ? new Promise((resolve) => (answer = resolve)) : Promise.resolve({ lines: [] }),
  );
  const opened = session.refresh();
  const items = [{ id: SENT.itemId, text: SENT.text }];
  session.apply({ type: 'queue_changed', items, sessionId: ID, n: 2 } as unknown as SessionEvent);
  answer({ ...NO_SESSION, lines: [], n: 1 });
  await opened;
  await vi.waitFor(() => expect(session.live.getState().queue).toHaveLength(1));
  await new Promise((resolve) => setTimeout(resolve));
  expect(offered()).toBe('');
});

it('main is asked again where it gave no answer', async () => {
  vi.useFakeTimers();
  try {
    let failures = 1;
    const { session, offered } = await openWith(async (name) => {
      if (name === 'session.open') return { ...NO_SESSION, lines: [], n: 1 };
      if (failures-- > 0) throw new Error('busy');
      return { lines: [] };
    });
    await session.refresh();
    expect(offered()).toBe('');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(offered()).toBe(SENT.text);
  } finally {
    vi.useRealTimers();
  }
});
