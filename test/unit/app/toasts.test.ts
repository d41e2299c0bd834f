import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Client } from '../../../src/renderer/bridge';
import { createApp } from '../../../src/renderer/state/app';
import { NO_PAGE } from '../../../src/renderer/state/page';
import type { Toast } from '../../../src/renderer/state/ui-store';
import { fitsSlot } from '../../../src/renderer/ui/toast-place';
import { Countdown, toastMs } from '../../../src/renderer/ui/toast-time';
import { createMemoryStore } from '../../support/memory-store';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('GR25: an error goes after ten seconds, others sooner; what offers something has ten; an error that asks stays', () => {
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
