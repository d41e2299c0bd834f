/** The coach marks of the tour, in their order: drag the cut, undo that, pull out a branch (WN18). */
export const TOUR_MARKS = ['cut', 'undo', 'branch'] as const;

export type TourMark = (typeof TOUR_MARKS)[number];

export const isTourMark = (value: unknown): value is TourMark => (TOUR_MARKS as readonly unknown[]).includes(value);

/**
 * The coach mark that comes next, or null after the last. There is something to undo only where a second compaction stands on the path: the
 * one that the tour was recorded with is none of the person's.
 */
export function nextMark(seen: readonly TourMark[], compactions: number): TourMark | null {
  return TOUR_MARKS.find((mark) => !seen.includes(mark) && (mark !== 'undo' || compactions > 1)) ?? null;
}

/** What is over with a mark that was skipped: without a cut of the person's there is nothing to undo. */
export const skipped = (mark: TourMark): TourMark[] => (mark === 'cut' ? ['cut', 'undo'] : [mark]);
