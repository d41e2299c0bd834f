import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it, vi } from 'vitest';
import { APP_ID } from '../../../src/main/pages';
import { electronDesktop } from '../../../src/main/app/desktop';
import { dotBitmap } from '../../../src/main/attention/attention-desk';

/** Electron as a recorded stand-in: what would reach the system is written down. */
const electron = vi.hoisted(() => {
  const calls: unknown[][] = [];
  const notes: { options: unknown; listeners: Map<string, (...args: unknown[]) => void> }[] = [];
  const state = { isSupported: true, throws: false, isFocused: false, hasBadge: false };
  class Notification {
    static isSupported = (): boolean => state.isSupported;
    readonly listeners = new Map<string, (...args: unknown[]) => void>();
    constructor(readonly options: unknown) {
      if (state.throws) throw new Error('no bus');
      notes.push(this);
    }
    once(name: string, listener: (...args: unknown[]) => void): void {
      this.listeners.set(name, listener);
    }
    show = (): void => void calls.push(['show']);
    close = (): void => void calls.push(['close']);
  }
  const app = {
    dock: {
      setBadge: (text: string) => void calls.push(['setBadge', text]),
      bounce: (kind: string) => (calls.push(['bounce', kind]), 7),
      cancelBounce: (id: number) => void calls.push(['cancelBounce', id]),
    },
    badgeCount: 0,
    setBadgeCount: (count: number) => (calls.push(['setBadgeCount', count]), state.hasBadge),
    focus: (options: unknown) => void calls.push(['focus', options]),
    on: () => undefined,
  };
  const BrowserWindow = { getFocusedWindow: () => (state.isFocused ? {} : null) };
  const nativeImage = { createFromBitmap: (_bytes: Buffer, size: unknown) => ({ size }) };
  return { calls, notes, state, module: { app, BrowserWindow, nativeImage, Notification } };
});
vi.mock('electron', () => electron.module);

const { calls, notes, state } = electron;
const warned: string[] = [];
const window = {
  isDestroyed: () => false,
  setOverlayIcon: (image: unknown, words: string) => void calls.push(['setOverlayIcon', image === null, words]),
  flashFrame: (on: boolean) => void calls.push(['flashFrame', on]),
};

function desktopOn(platform: string, open: typeof window | null = window) {
  const around = {
    window: () => open as never,
    showWindow: () => void calls.push(['showWindow']),
    log: { warn: (message: string) => void warned.push(message) },
  };
  const made = electronDesktop(around, platform);
  calls.length = 0;
  return made;
}

beforeEach(() => {
  Object.assign(state, { isSupported: true, throws: false, isFocused: false, hasBadge: false });
  calls.length = notes.length = warned.length = 0;
});

it('NT3: on macOS the icon bounces until the person comes, and has the count', () => {
  const desktop = desktopOn('darwin');
  desktop.call();
  desktop.call();
  desktop.setCount(2);
  desktop.calm();
  desktop.calm();
  desktop.setCount(0);
  desktop.bringForward();
  expect(calls).toEqual([
    ...[
      ['bounce', 'critical'],
      ['setBadge', '2'],
      ['cancelBounce', 7],
      ['setBadge', ''],
    ],
    ...[['showWindow'], ['focus', { steal: true }]],
  ]);
  expect(desktop.support()).toEqual({ notifications: true, badge: true });
});

it('NT3: on Windows the frame flashes, with a mark over the icon; without a window nothing is done', () => {
  const desktop = desktopOn('win32');
  desktop.call();
  desktop.setCount(1);
  desktop.setCount(2);
  desktop.setCount(0);
  desktop.calm();
  expect(calls).toEqual([
    ['flashFrame', true],
    ['setOverlayIcon', false, '1 session needs you'],
    ['setOverlayIcon', false, '2 sessions need you'],
    ['setOverlayIcon', true, ''],
    ['flashFrame', false],
  ]);
  const closed = desktopOn('win32', null);
  closed.call();
  closed.setCount(3);
  expect([calls, warned]).toEqual([[], []]);
});

it('NT3: on Linux the count is asked for where the desktop has one', () => {
  const desktop = desktopOn('linux');
  desktop.call();
  desktop.setCount(2);
  desktop.bringForward();
  expect(calls).toEqual([['setBadgeCount', 2], ['showWindow']]);
  expect(desktop.support()).toEqual({ notifications: true, badge: false });
  state.hasBadge = true;
  state.isSupported = false;
  expect(desktopOn('linux').support()).toEqual({ notifications: false, badge: true });
});

const NOTE = { title: 'Title', body: 'Done', isSilent: true };

it('NT2, NT4: a notification has a title and a body, no buttons; a click leads on once, and it is taken back once', () => {
  let clicks = 0;
  const takeBack = desktopOn('linux').notify({ ...NOTE, onClick: () => void clicks++ });
  expect(notes[0]!.options).toEqual({ title: 'Title', body: 'Done', silent: true });
  expect(calls).toEqual([['show']]);
  notes[0]!.listeners.get('click')!();
  takeBack();
  takeBack();
  expect([clicks, calls]).toEqual([1, [['show'], ['close']]]);
});

it('NT3: what the system refuses is a line in the log and no more', () => {
  const desktop = desktopOn('linux');
  desktop.notify({ ...NOTE, onClick: () => undefined });
  notes[0]!.listeners.get('failed')!({}, 'no server');
  expect(warned).toEqual(['A notification failed: no server']);
  state.throws = true;
  expect(() => desktop.notify({ ...NOTE, onClick: () => undefined })()).not.toThrow();
  expect(warned.at(-1)).toBe('A notification failed: Error: no bus');
  state.isSupported = false;
  desktop.notify({ ...NOTE, onClick: () => undefined })();
  expect(notes).toHaveLength(1);
  electron.module.Notification.isSupported = () => {
    throw new Error('no bus');
  };
  expect(desktop.support()).toEqual({ notifications: false, badge: false });
  electron.module.Notification.isSupported = () => state.isSupported;
});

it('NT2: the person is here while any window of the app has the focus', () => {
  const desktop = desktopOn('linux');
  expect(desktop.isHere()).toBe(false);
  state.isFocused = true;
  expect(desktop.isHere()).toBe(true);
});

it('NT3: Windows knows the app by the name that its installer writes', () => {
  const config = readFileSync(join(import.meta.dirname, '../../../electron-builder.yml'), 'utf8');
  expect(config).toContain(`appId: ${APP_ID}\n`);
});

it('NT3: the mark over the icon is round, solid in its middle and clear at its corners', () => {
  const bytes = dotBitmap(16);
  const alphaAt = (x: number, y: number): number => bytes[(y * 16 + x) * 4 + 3]!;
  expect([bytes.length, alphaAt(0, 0), alphaAt(15, 15), alphaAt(8, 8)]).toEqual([1024, 0, 0, 255]);
  expect([...bytes.subarray((8 * 16 + 8) * 4, (8 * 16 + 8) * 4 + 3)]).toEqual([0x5c, 0xb2, 0xe3]);
  // Colors are multiplied by their alpha: none is brighter than that.
  for (let at = 0; at < bytes.length; at += 4)
    expect(Math.max(...bytes.subarray(at, at + 3))).toBeLessThanOrEqual(bytes[at + 3]!);
});
