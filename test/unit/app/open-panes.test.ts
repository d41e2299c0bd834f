import { describe, expect, it } from 'vitest';
import {
  doesGraphFloat,
  isGraphOpen,
  isGraphShown,
  readLayout,
  searchWidth,
} from '../../../src/renderer/state/ui-store';

describe('WN22: the graph opens by itself only beside the transcript', () => {
  it.each([
    ['as it comes, in the smallest window with room', {}, 1200, true],
    ['in a smaller one', {}, 1199, false],
    ['beside a wide list of sessions', { sidebarWidth: 300 }, 1200, false],
    ['beside that list put away', { sidebarWidth: 300, sidebarCollapsed: true }, 1200, true],
    ['widened further than the window has room', { graphWidth: 600 }, 1280, false],
    ['so wide in a window that has it', { graphWidth: 600 }, 1440, true],
  ])('%s', (_, stored, width, isOpen) => {
    const layout = readLayout(stored);
    expect(isGraphOpen(layout, width)).toBe(isOpen);
    expect(
      isGraphOpen(layout, width) && doesGraphFloat({ layout, sidebarInNarrow: false, searchOpen: false }, width),
    ).toBe(false);
  });

  it('asked for, also over it', () => {
    const layout = readLayout({ graphOpen: true, graphWidth: 600 });
    expect(isGraphOpen(layout, 960)).toBe(true);
    expect(doesGraphFloat({ layout, sidebarInNarrow: false, searchOpen: false }, 960)).toBe(true);
  });

  it('GR8: in the whole window it stays, however narrow that becomes', () => {
    expect(isGraphOpen(readLayout({ graphFull: true }), 960)).toBe(true);
    expect(isGraphOpen(readLayout({ graphFull: true, graphOpen: false }), 1280)).toBe(false);
  });

  it('gives way to the search where both leave the transcript less than 560 px, and comes back', () => {
    const layout = readLayout({ graphOpen: true });
    const shown = (width: number, searchOpen: boolean, over = {}): boolean =>
      isGraphShown({ layout: { ...layout, ...over }, sidebarInNarrow: false, searchOpen }, width);
    expect([shown(1280, true), shown(1280, false)]).toEqual([false, true]);
    expect([shown(1920, true), shown(1920, true, { graphFull: true })]).toEqual([true, false]);
    expect([shown(960, true), shown(960, false)]).toEqual([false, true]);
  });

  it('the search leaves the transcript 560 px wherever that is possible', () => {
    for (let width = 900; width < 2_000; width++) expect(width - searchWidth(width) - 1).toBeGreaterThanOrEqual(560);
    expect([640, 960, 1280].map(searchWidth)).toEqual([268, 399, 520]);
  });
});
