import { describe, expect, it, vi } from 'vitest';
import fc from 'fast-check';
import { LateStore } from '../../../src/renderer/db/local-store';
import { fitsField, MAX_FIELD_CHARS } from '../../../src/renderer/state/draft-field';
import { createDraftStore, type DraftStore, type Message } from '../../../src/renderer/state/draft-store';
import type { Draft, LocalStore } from '../../../src/renderer/state/local-store';
import { createMemoryStore } from '../../support/memory-store';

const ID = 'session';
const LONG_TEXT = 'x'.repeat(MAX_FIELD_CHARS + 1);
const file = (id: string) => ({ id, kind: 'text' as const, name: `${id}.txt`, mimeType: 'text/plain', data: id });
const draftOf = (text: string, ids: string[] = []): Draft => ({ text, attachments: ids.map(file) });
const messageOf = (text: string, ids: string[] = []): Message => ({ ...draftOf(text, ids), itemId: '00000001' });
const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/** A draft whose stored one comes when the test says so. */
function openDraft(): { draft: DraftStore; arrive: (stored: Draft | null) => Promise<void>; local: LocalStore } {
  let answer: (stored: Draft | null) => void = () => undefined;
  const local = createMemoryStore();
  const { getDraft } = local;
  local.getDraft = () => new Promise((resolve) => (answer = resolve));
  const draft = createDraftStore(ID, local);
  local.getDraft = getDraft;
  return { draft, local, arrive: (stored) => (answer(stored), settle()) };
}

function held({ state }: DraftStore): { text: string; files: string[]; aside: string[] } {
  const { text, attachments, aside } = state.getState();
  return { text, files: attachments.map(({ id }) => id), aside };
}

describe('CM6: a stored draft that comes late', () => {
  it('fills a field that nobody wrote in', async () => {
    const { draft, arrive } = openDraft();
    draft.set({ attachments: [file('new')] });
    await arrive(draftOf('stored', ['old']));
    expect(held(draft)).toEqual({ text: 'stored', files: ['old', 'new'], aside: [] });
  });

  it('waits beside what was typed before it came, here and in the database', async () => {
    const { draft, arrive, local } = openDraft();
    draft.set({ text: 'typed' });
    await arrive(draftOf('stored', ['old']));
    expect(held(draft)).toEqual({ text: 'typed', files: ['old'], aside: ['stored'] });
    expect(await local.getDraft(ID)).toEqual({ ...draftOf('typed', ['old']), aside: ['stored'] });
  });

  it('waits also where what was typed is sent or deleted already', async () => {
    const sent = openDraft();
    sent.draft.set({ text: 'typed' });
    expect(sent.draft.take('00000001').text).toBe('typed');
    await sent.arrive(draftOf('stored'));
    const deleted = openDraft();
    deleted.draft.set({ text: 't' });
    deleted.draft.set({ text: '' });
    await deleted.arrive(draftOf('stored'));
    for (const { draft } of [sent, deleted]) expect(held(draft)).toEqual({ text: '', files: [], aside: ['stored'] });
  });

  it('is told although its database opens only after the window went on without', async () => {
    const database = createMemoryStore();
    await database.putDraft(ID, draftOf('stored'));
    const store = new LateStore();
    store.fallBack();
    const draft = createDraftStore(ID, store);
    draft.set({ text: 'typed' });
    void draft.flush();
    await settle();
    await store.arrive(database);
    await settle();
    expect(held(draft)).toEqual({ text: 'typed', files: [], aside: ['stored'] });
    expect(await database.getDraft(ID)).toEqual({ ...draftOf('typed'), aside: ['stored'] });
  });

  it('can be anything', async () => {
    const { draft, arrive } = openDraft();
    await arrive({ text: 7, attachments: 'none', aside: [null, 'kept'] } as never);
    expect(held(draft)).toEqual({ text: '', files: [], aside: ['kept'] });
  });

  it('has its sound files attached, and of the others it is told that they are gone', async () => {
    const { draft, arrive } = openDraft();
    const picture = { ...file('picture'), kind: 'image', mimeType: 'image/png', data: 'AAAA' };
    const junk = [
      undefined,
      7,
      { ...file('no data'), data: undefined },
      { ...file('wrong kind'), kind: 'video' },
      { ...file('wrong name'), name: 7 },
      { ...picture, id: 'wrong type', mimeType: 'text/html' },
      { ...picture, id: 'empty', data: '' },
      { ...file('giant'), data: 'x'.repeat(30_000_001) },
      file('sound'),
    ];
    await arrive({ text: 'stored', attachments: [picture, file('sound'), ...junk] } as never);
    expect(held(draft)).toEqual({ text: 'stored', files: ['picture', 'sound'], aside: [] });
    expect(draft.state.getState().problem).toContain('9 attached files of this draft could not be read back');
  });
});

it('CM5: files that come back beside as many others are kept, and it is said that they are too many', async () => {
  const { draft, arrive } = openDraft();
  await arrive(null);
  const ids = (name: string): string[] => Array.from({ length: 20 }, (_, at) => `${name}${at}`);
  draft.set(draftOf('now', ids('now')));
  draft.giveBack(messageOf('before', ids('before')), null);
  expect(held(draft).files).toHaveLength(40);
  expect(draft.state.getState().problem).toBe('A message can have at most 20 files. Remove some before you send it.');
});

describe('CM7: the field is bounded', () => {
  it('a stored draft, one put there and a message that comes back wait beside it if they are too long', async () => {
    const { draft, arrive } = openDraft();
    await arrive(draftOf(LONG_TEXT, ['old']));
    expect(held(draft)).toEqual({ text: '', files: ['old'], aside: [LONG_TEXT] });
    draft.set({ text: `${LONG_TEXT}2` });
    expect(held(draft)).toMatchObject({ text: '', aside: [LONG_TEXT, `${LONG_TEXT}2`] });
    draft.set({ text: 'typed since' });
    draft.giveBack(messageOf('y'.repeat(MAX_FIELD_CHARS), ['sent']), 'Refused.');
    expect(held(draft)).toMatchObject({ text: 'typed since', files: ['sent', 'old'] });
    expect(held(draft).aside.at(-1)).toBe('y'.repeat(MAX_FIELD_CHARS));
    draft.discardAside(LONG_TEXT);
    draft.discardAside(`${LONG_TEXT}2`);
    draft.useAside('y'.repeat(MAX_FIELD_CHARS));
    expect(held(draft)).toMatchObject({ text: 'typed since', aside: ['y'.repeat(MAX_FIELD_CHARS)] });
    draft.set({ text: '' });
    draft.useAside('y'.repeat(MAX_FIELD_CHARS));
    expect(held(draft)).toMatchObject({ text: 'y'.repeat(MAX_FIELD_CHARS), aside: [] });
  });

  it('whatever happens, it holds no more than that, and each text is in it, beside it or sent', async () => {
    const text = fc
      .tuple(fc.nat(1e6), fc.constantFrom(1, 20_000, MAX_FIELD_CHARS - 8, MAX_FIELD_CHARS + 1))
      .map(([n, size]) => `<${n}>`.padEnd(size, '.'));
    const step = fc.oneof(
      fc.record({ type: fc.constant('arrive' as const), text }),
      fc.record({ type: fc.constant('giveBack' as const), text }),
      fc.record({ type: fc.constant('use' as const), text: fc.constant('') }),
    );
    await fc.assert(
      fc.asyncProperty(text, fc.array(step, { maxLength: 6 }), async (typed, steps) => {
        const { draft, arrive } = openDraft();
        const all = new Set([typed]);
        let isThere = false;
        draft.set({ text: typed });
        for (const { type, text: given } of steps) {
          if (type === 'use') draft.useAside(held(draft).aside[0] ?? '');
          else if (type === 'giveBack') draft.giveBack(messageOf(given), 'Refused.');
          else if (isThere) continue;
          else await arrive(draftOf(given));
          if (type === 'arrive') isThere = true;
          if (given) all.add(given);
          const { text: inField, aside } = held(draft);
          expect(fitsField(inField)).toBe(true);
          for (const one of all) expect([inField, ...aside].some((place) => place.includes(one))).toBe(true);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('WN6, CM1: what a crash loses', () => {
  it('a draft is written while its writer types on', async () => {
    vi.useFakeTimers();
    try {
      const local = createMemoryStore();
      const draft = createDraftStore(ID, local);
      for (let key = 1; key <= 8; key += 1) {
        draft.set({ text: 'x'.repeat(key) });
        await vi.advanceTimersByTimeAsync(250);
      }
      expect((await local.getDraft(ID))?.text.length).toBeGreaterThanOrEqual(7);
    } finally {
      vi.useRealTimers();
    }
  });

  it('a message on its way stays a draft of the database until it arrived', async () => {
    const { draft, arrive, local } = openDraft();
    await arrive(null);
    draft.set({ text: 'asked', attachments: [file('a')] });
    const message = draft.take('00000001');
    await draft.flush();
    const sent = [{ itemId: '00000001', text: 'asked', fileIds: ['a'] }];
    expect(await local.getDraft(ID)).toEqual({ ...draftOf('', ['a']), sent });
    draft.set({ text: 'next' });
    await draft.flush();
    expect(await local.getDraft(ID)).toEqual({ ...draftOf('next', ['a']), sent });
    draft.arrived(message);
    await draft.flush();
    expect(await local.getDraft(ID)).toEqual(draftOf('next'));
    expect(held(draft)).toEqual({ text: 'next', files: [], aside: [] });
  });
});

describe('CM1: a message that was on its way when an earlier window ended', () => {
  const IDS = ['0000000a', '0000000b'] as const;
  const stored: Draft = {
    ...draftOf('next', ['x', 'y', 'own']),
    sent: [
      { itemId: IDS[0], text: 'saved', fileIds: ['x'] },
      { itemId: IDS[1], text: 'asked', fileIds: ['y'] },
    ],
  };

  it.each([true, false])('is a draft again only if main has not saved it (asked first: %s)', async (isAskedFirst) => {
    const { draft, arrive, local } = openDraft();
    const find = (ids: readonly string[]): Promise<Set<string>> => Promise.resolve(new Set(ids.slice(0, 1)));
    if (isAskedFirst) await draft.settle(find);
    await arrive(stored);
    if (!isAskedFirst) {
      expect(held(draft)).toEqual({ text: 'next', files: ['own'], aside: [] });
      await draft.settle(find);
    }
    expect(held(draft)).toEqual({ text: 'next', files: ['y', 'own'], aside: ['asked'] });
    await draft.flush();
    expect(await local.getDraft(ID)).toEqual({ ...draftOf('next', ['y', 'own']), aside: ['asked'] });
  });

  it('goes into a field that is empty, and stays stored until main has answered', async () => {
    const { draft, arrive, local } = openDraft();
    await arrive({ ...stored, text: '' });
    await draft.settle(() => Promise.reject(new Error('gone')));
    draft.set({ attachments: [] });
    await draft.flush();
    expect(await local.getDraft(ID)).toEqual({ ...draftOf('', ['x', 'y']), sent: stored.sent });
    await draft.settle((ids) => Promise.resolve(new Set(ids.slice(0, 1))));
    expect(held(draft)).toEqual({ text: 'asked', files: ['y'], aside: [] });
  });

  it('can be anything', async () => {
    const { draft, arrive } = openDraft();
    const junk = [null, 7, { itemId: 'not one', text: 'x', fileIds: [] }, { itemId: IDS[0], text: 7, fileIds: [] }];
    await arrive({ ...draftOf('kept', ['x']), sent: junk } as never);
    await draft.settle(() => Promise.reject(new Error('is asked')));
    expect(held(draft)).toEqual({ text: 'kept', files: ['x'], aside: [] });
  });
});

it('JN49: a deleted session has no draft in the database, whatever still ends; an undo gives it back', async () => {
  const { draft, arrive, local } = openDraft();
  await arrive(null);
  draft.set({ text: 'sent' });
  const message = draft.take('00000001');
  draft.set({ text: 'typed' });
  draft.remove();
  await draft.flush();
  expect(await local.getDraft(ID)).toBeNull();
  draft.arrived(message);
  await draft.flush();
  expect(await local.getDraft(ID)).toBeNull();
  draft.bringBack();
  await draft.flush();
  expect(await local.getDraft(ID)).toEqual(draftOf('typed'));
});
