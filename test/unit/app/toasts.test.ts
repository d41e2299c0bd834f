import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AppEvent } from '@shared/ipc/contract';
import type { Client } from '../../../src/renderer/bridge';
import { createApp } from '../../../src/renderer/state/app';
import { NO_PAGE } from '../../../src/renderer/state/page';
import { deedOf } from '../../../src/renderer/state/failures';
import { type Toast, toastsIn, withToast } from '../../../src/renderer/state/ui-store';
import { fitsSlot } from '../../../src/renderer/ui/toast-place';
import { Countdown, toastMs } from '../../../src/renderer/ui/toasts';
import { createMemoryStore } from '../../support/memory-store';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('WN9, GR25: an error goes after ten seconds, others sooner; what offers something has ten; an error that asks stays', () => {
  const action = { label: 'Undo', onSelect: () => undefined };
  expect(toastMs({ level: 'error' })).toBe(10_000);
  for (const level of ['info', 'success', 'warning'] as const) {
    expect(toastMs({ level })).toBeLessThan(10_000);
    expect(toastMs({ level, action })).toBeGreaterThanOrEqual(10_000);
  }
  expect(toastMs({ level: 'error', action })).toBe(Infinity);
  expect(toastMs({ level: 'info', durationMs: Infinity })).toBe(Infinity);
});

it('GR25: time that it is held does not count', () => {
  const onEnd = vi.fn();
  const countdown = new Countdown(10_000, onEnd);
  vi.advanceTimersByTime(60_000);
  countdown.run();
  countdown.run();
  vi.advanceTimersByTime(6_000);
  countdown.hold();
  countdown.hold();
  vi.advanceTimersByTime(60_000);
  countdown.run();
  vi.advanceTimersByTime(3_999);
  expect(onEnd).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(onEnd).toHaveBeenCalledTimes(1);
  countdown.hold();
  countdown.run();
  vi.advanceTimersByTime(60_000);
  expect(onEnd).toHaveBeenCalledTimes(1);
});

it('GR25: in the sidebar stand as many as fit there as they are drawn', () => {
  const text = 'x'.repeat(320);
  const action = { label: 'Undo' };
  expect(fitsSlot([{ text }])).toBe(true);
  expect(fitsSlot([{ text, action }])).toBe(false);
  expect(fitsSlot([{ text: text.slice(4), action }])).toBe(true);
  expect(fitsSlot([{ text: 'x\n'.repeat(100) }])).toBe(false);
  expect(fitsSlot(Array.from({ length: 3 }, () => ({ text: 'x' })))).toBe(true);
  expect(fitsSlot(Array.from({ length: 4 }, () => ({ text: 'x' })))).toBe(false);
  // One that can't be drawn is a matter of its row alone.
  expect(fitsSlot([{ text: undefined as never }])).toBe(false);
});

it('GR25: one without an end never ends', () => {
  const onEnd = vi.fn();
  new Countdown(Infinity, onEnd).run();
  vi.advanceTimersByTime(2 ** 31);
  expect(onEnd).not.toHaveBeenCalled();
});

it('GR25: told twice it is one with a count; other words, another level and each offer are another', () => {
  const client = { request: () => new Promise(() => undefined), onEvents: () => () => undefined } as unknown as Client;
  const app = createApp({ client, local: createMemoryStore(), now: () => 0, page: NO_PAGE });
  const seen = (): Partial<Toast>[] =>
    app.ui.getState().toasts.map(({ text, level, count }) => ({ text, level, count }));
  const first = app.toast({ level: 'error', text: 'No' });
  app.toast({ level: 'info', text: 'No' });
  expect(app.toast({ level: 'error', text: 'No' })).toBe(first);
  app.toast({ level: 'error', text: 'No' });
  expect(seen()).toEqual([
    { level: 'error', text: 'No', count: 3 },
    { level: 'info', text: 'No' },
  ]);
  app.dismissToast(first);
  app.toast({ level: 'error', text: 'No' });
  expect(seen()[1]).toEqual({ level: 'error', text: 'No' });
  const undone: string[] = [];
  for (const what of ['a', 'b'])
    app.toast({ level: 'info', text: 'Archived', action: { label: 'Undo', onSelect: () => void undone.push(what) } });
  for (const { action } of app.ui.getState().toasts) action?.onSelect();
  expect(undone).toEqual(['a', 'b']);
});

it('GR25: an error belongs to its session: in others it waits, what is told of the list or names its session does not', () => {
  const of = (name: string, sessionId: string) => deedOf(name, { sessionId });
  let toasts: readonly Toast[] = [];
  const tell = (toast: Omit<Toast, 'id'>): void =>
    void ({ toasts } = withToast(toasts, toast, () => `t${toasts.length}`));
  tell({ level: 'error', text: 'No', of: of('session.label', 'a') });
  tell({ level: 'error', text: 'No', of: of('session.label', 'b') });
  tell({ level: 'error', text: 'Not renamed', of: of('sessions.rename', 'a') });
  tell({ level: 'error', text: 'No session was made from “a”', of: of('session.handoff', 'a'), sessionId: null });
  tell({ level: 'error', text: 'Not summarised', sessionId: 'b' });
  const seenIn = (activeId: string | null): string[] => toastsIn(toasts, activeId).map(({ id }) => id);
  expect(seenIn('a')).toEqual(['t0', 't2', 't3']);
  expect(seenIn('b')).toEqual(['t1', 't2', 't3', 't4']);
  expect(seenIn(null)).toEqual(['t2', 't3']);
  // What is no error is told wherever one is.
  tell({ level: 'success', text: 'Exported', of: of('session.label', 'a') });
  expect(seenIn('b')).toContain('t5');
});

it('GR25: an error goes when the same request of the same session and entry is carried out, and no sooner', async () => {
  let isWell = false;
  const request = () => (isWell ? Promise.resolve() : Promise.reject(new Error('No')));
  const client = { request, onEvents: () => () => undefined } as unknown as Client;
  const app = createApp({ client, local: createMemoryStore(), now: () => 0, page: NO_PAGE });
  const seen = (): (string | number)[][] => app.ui.getState().toasts.map(({ text, count = 1 }) => [text, count]);
  const label = (sessionId: string, entryId: string, text: string) =>
    app.did('session.label', { sessionId, entryId, label: text });
  await label('s', 'a', 'too long');
  expect(seen()).toEqual([['No', 1]]);
  isWell = true;
  await label('s', 'b', 'short');
  await label('other', 'a', 'short');
  await app.ask('session.stop', { sessionId: 's' });
  expect(seen()).toEqual([['No', 1]]);
  await label('s', 'a', 'short');
  expect(seen()).toEqual([]);

  // One item of the queue is not another.
  isWell = false;
  await app.ask('queue.remove', { sessionId: 's', itemId: 'a' });
  isWell = true;
  await app.ask('queue.remove', { sessionId: 's', itemId: 'b' });
  expect(seen()).toEqual([['No', 1]]);
  await app.ask('queue.remove', { sessionId: 's', itemId: 'a' });
  expect(seen()).toEqual([]);

  isWell = false;
  // In a task of several requests as well; told of two things in the same words it goes for neither.
  await app.attempt(() => app.client.request('settings.set', { key: 'composer.enterSends', value: 1 }));
  expect(seen()).toEqual([['No', 1]]);
  await app.ask('sessions.import', { file: 'one' });
  expect(seen()).toEqual([['No', 2]]);
  isWell = true;
  await app.ask('settings.set', { key: 'composer.enterSends', value: true });
  expect(seen()).toEqual([['No', 2]]);
  app.dismissToast(app.ui.getState().toasts[0]!.id);
  isWell = false;
  await app.ask('settings.set', { key: 'composer.enterSends', value: 1 });
  await app.attempt(() => Promise.reject(new Error('Of no request')));
  isWell = true;
  await app.ask('settings.set', { key: 'composer.enterSends', value: true });
  expect(seen()).toEqual([['Of no request', 1]]);
});

/** An app whose requests are answered as the test says, and the texts of its toasts. */
function appWith(answer: (name: string) => Promise<unknown>) {
  let tell: Parameters<Client['onEvents']>[0] = () => undefined;
  const onEvents: Client['onEvents'] = (listener) => {
    tell = listener;
    return () => undefined;
  };
  const client = { request: answer, onEvents } as unknown as Client;
  const app = createApp({ client, local: createMemoryStore(), now: () => 0, page: NO_PAGE });
  void app.start();
  const texts = (): string[] => app.ui.getState().toasts.map(({ text }) => text);
  return { app, texts, tell: (event: AppEvent, batch = Number.MAX_SAFE_INTEGER) => tell([event], batch) };
}

const failing = (): Promise<never> => Promise.reject(new Error('No'));

it.each([
  ['session.bringOver', { sessionId: 's', sourceId: 'a', targetId: 'b' }, { cancelled: true }, { cancelled: false }],
  ['session.handoff', { sessionId: 's', goal: 'g' }, null, { summary: {} }],
  ['session.go', { sessionId: 's', targetId: 'a' }, { kind: 'question' }, { kind: 'done', cancelled: false }],
  ['session.go', { sessionId: 's', targetId: 'a' }, { kind: 'done', cancelled: true }, { kind: 'here' }],
  ['sessions.export', { sessionId: 's', as: 'original' }, { path: null }, { path: '/x' }],
  ['sessions.chooseWorkspace', { sessionId: 's' }, { path: null }, { path: '/x' }],
  ['sessions.chooseImport', {}, { files: [] }, { files: [{}] }],
  ['workspace.review', { sessionId: 's' }, { trusted: false }, { trusted: true }],
  ['app.openExternal', { url: 'https://a.example' }, { opened: false }, { opened: true }],
  ['endpoints.test', { endpoint: { id: 'e' } }, { ok: false }, { ok: true }],
  ['trust.trustKnown', {}, { count: 0 }, { count: 2 }],
] as const)('GR25: %s that was cancelled takes no error away, carried out it does', async (name, params, no, yes) => {
  let answer = failing as () => Promise<unknown>;
  const { app, texts } = appWith(() => answer());
  await app.ask(name, params as never);
  expect(texts()).toEqual(['No']);
  answer = () => Promise.resolve(no);
  await app.ask(name, params as never);
  expect(texts()).toEqual(['No']);
  answer = () => Promise.resolve(yes);
  await app.ask(name, params as never);
  expect(texts()).toEqual([]);
});

describe('GR25: errors of compactions', () => {
  const compaction = { reason: 'manual', tokensBefore: 9, tokensAfter: 4, compactionsOnPath: 1 } as const;
  const end = (more: object, again?: string): AppEvent => {
    const of = again === undefined ? {} : { again };
    const base = { type: 'job_end', sessionId: 's', kind: 'compaction', n: 1, aborted: false } as const;
    return { ...base, compaction: { ...compaction, ...of }, ...more };
  };

  it('go with the end of one, not when it begins, is cancelled or has nothing to do', async () => {
    const answers = new Map<string, () => Promise<unknown>>([['session.compact', failing]]);
    const { app, texts, tell } = appWith((name) => answers.get(name)?.() ?? new Promise(() => undefined));
    await app.ask('session.compact', { sessionId: 's' });
    answers.set('session.compact', () => Promise.resolve());
    await app.ask('session.compact', { sessionId: 's' });
    expect(texts()).toEqual(['No']);
    tell(end({ aborted: true }));
    tell(end({ compaction: { ...compaction, skippedReason: 'Nothing to do.' } }));
    expect(texts()[0]).toBe('No');
    tell(end({ entryId: 'c' }));
    expect(texts()).not.toContain('No');
  });

  it('of a summary that was to be written again are told apart from those of a new compaction', async () => {
    const { app, texts, tell } = appWith(() => new Promise(() => undefined));
    tell(end({ errorMessage: 'Failed' }, 'a'));
    const failed = 'Failed. The session is unchanged.';
    expect(texts()).toEqual([failed]);
    tell(end({ entryId: 'c' }));
    tell(end({ entryId: 'd' }, 'b'));
    expect(texts()).toEqual([failed]);
    tell(end({ entryId: 'e' }, 'a'));
    expect(texts()).toEqual([]);
    app.stop();
  });
});

it.each([
  ['providers.setKey', { provider: 'p', key: 'sk-secret', keep: 'plain' }, { provider: 'q' }],
  [
    'endpoints.save',
    { endpoint: { id: 'e', headers: { authorization: 'sk-secret' } }, key: { key: 'sk-secret' } },
    { endpoint: { id: 'f' } },
  ],
  ['endpoints.test', { endpoint: { id: 'e' }, key: 'sk-secret' }, { endpoint: { id: 'f' } }],
  ['app.openExternal', { url: 'https://sk-secret@x.example/a?key=sk-secret#sk-secret' }, { url: 'https://y.example/' }],
  ['settings.set', { key: 'appearance.theme', value: 'sk-secret' }, { key: 'composer.enterSends' }],
  ['approvals.edit', { approvalId: 'a', contentHash: 'h', command: 'sk-secret' }, { approvalId: 'b' }],
] as const)('GR25: the error of %s holds no key, and goes with its own kind', async (name, params, other) => {
  let answer = failing as () => Promise<unknown>;
  const { app, texts } = appWith(() => answer());
  await app.ask(name, params as never);
  expect(JSON.stringify(app.ui.getState().toasts)).not.toContain('sk-secret');
  answer = () => Promise.resolve({ ok: true, opened: true });
  await app.ask(name, { ...params, ...other } as never);
  expect(texts()).toEqual(['No']);
  await app.ask(name, params as never);
  expect(texts()).toEqual([]);
});
