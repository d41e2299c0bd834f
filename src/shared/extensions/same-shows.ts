import type { ExtensionShows, ExtensionStatus, ExtensionWidget } from './ui';

/**
 * What is shown now, with the very parts of before where they say the same: it comes whole with each change, and only what is another part
 * is drawn again. O(what is shown).
 */
export function withSameParts(before: ExtensionShows, now: ExtensionShows): ExtensionShows {
  return {
    ...now,
    statuses: sameItems(before.statuses, now.statuses, isSameStatus),
    widgets: sameItems(before.widgets, now.widgets, isSameWidget),
    draws: samePart(before.draws, now.draws),
    indicator: samePart(before.indicator, now.indicator),
    editor: samePart(before.editor, now.editor),
  };
}

/** Of small plain parts. */
function samePart<T>(before: T, now: T): T {
  return JSON.stringify(before) === JSON.stringify(now) ? before : now;
}

function sameItems<T>(before: readonly T[], now: readonly T[], isSame: (a: T, b: T) => boolean): readonly T[] {
  const items = now.map((item, at) => {
    const known = before[at];
    return known !== undefined && isSame(known, item) ? known : item;
  });
  return items.length === before.length && items.every((item, at) => item === before[at]) ? before : items;
}

function isSameStatus(a: ExtensionStatus, b: ExtensionStatus): boolean {
  return a.text === b.text && isSamePlace(a, b);
}

/** A frame is another one each time that it comes. */
function isSameWidget(a: ExtensionWidget, b: ExtensionWidget): boolean {
  return (
    a.frame === b.frame &&
    a.more === b.more &&
    a.placement === b.placement &&
    a.lines.length === b.lines.length &&
    a.lines.every((line, at) => line === b.lines[at]) &&
    isSamePlace(a, b)
  );
}

function isSamePlace(a: ExtensionStatus | ExtensionWidget, b: ExtensionStatus | ExtensionWidget): boolean {
  return a.key === b.key && a.extension.id === b.extension.id && a.extension.name === b.extension.name;
}
