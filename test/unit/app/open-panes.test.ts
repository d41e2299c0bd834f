import { describe, expect, it } from 'vitest';
import { doesGraphFloat, isGraphOpen, readLayout } from '../../../src/renderer/state/ui-store';

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
});
