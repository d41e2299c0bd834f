import type { TourMark } from '@shared/tour';

/** What each coach mark says: what to do, and why. */
export const MARK_WORDS: Readonly<Record<TourMark, { title: string; text: string }>> = {
  cut: {
    title: 'Drag this line down',
    text: 'Below it, the model sees every word; above it, a summary. The window is getting full: drag the line to make room, then press Compact.',
  },
  undo: {
    title: 'Now undo it',
    text: 'The model sees a summary of everything above this line. Nothing was deleted: Undo brings every word back.',
  },
  branch: {
    title: 'Pull out a branch',
    text: 'Drag the + of a turn onto an empty space. Your next message goes on from there, and this branch stays as it is.',
  },
};
