import { expect, it } from 'vitest';
import { copyTranscript } from '../../../src/renderer/actions/texts';
import type { App } from '../../../src/renderer/state/app-type';
import type { Row, RowKind } from '../../../src/shared/session-state/state';

/** Copies a path of these rows, each of which says its id. */
async function copied(rows: readonly Row[], seenFrom: string | null): Promise<string | undefined> {
  const texts: string[] = [];
  const session = {
    loadOlder: () => Promise.resolve(),
    loadEntries: () => Promise.resolve(),
    view: { getState: () => ({ rows, rowsBefore: 0 }) },
    live: { getState: () => ({ seenFrom }) },
    entry: (id: string) => ({ type: 'message', message: { content: [{ type: 'text', text: id }] } }),
  };
  const page = { copy: (text: string) => Promise.resolve(texts.push(text) > 0) };
  await copyTranscript({ openSession: () => session, page } as unknown as App, 's');
  return texts[0];
}

const row = (kind: RowKind, id: string, more: Partial<Row> = {}): Row => ({
  ...{ id, parentId: null, seq: 0, kind, time: 0, tokens: 1 },
  ...more,
});

it('WN23, TS6: of a reply that was asked for again the last is copied, and what is drawn is copied', async () => {
  const failed = row('assistant', 'failed', { failed: true });
  const again = row('assistant', 'again');
  expect(await copied([row('user', 'asked'), failed, again], null)).toBe('**You**\n\nasked\n\n**Assistant**\n\nagain');
  // A compaction that made room for it changes nothing about that; at the cut they are two replies.
  expect(await copied([failed, row('compaction', 'c'), again], null)).toBe('**Assistant**\n\nagain');
  const both = '**Assistant**\n\nfailed\n\n**Assistant**\n\nagain';
  expect(await copied([failed, again, row('compaction', 'c')], 'again')).toBe(both);
});
