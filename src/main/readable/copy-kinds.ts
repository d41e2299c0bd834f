import type { Passage } from './passage';

/** What is asked of a copy for reading (SF26). */
export interface ReadableAsked {
  form: 'markdown' | 'html';
  /** All branches, or the path to an entry; null: to HEAD. */
  of: 'tree' | { leafId: string | null };
  title: string;
}

/** What stands above a copy. */
export interface CopyHead {
  title: string;
  folder: string;
  /** Today, as the person's computer writes it. */
  date: string;
  isTree: boolean;
}

/** Where a passage of a tree stands: `level` 1 at the top, one more in each branch. `isStart`: a branch begins with it. */
export interface Standing {
  level: number;
  isStart: boolean;
  /** First words of the turn, for the graph; null: it goes on with the turn above. */
  turn: string | null;
  /** The model is told it word for word or as a summary: it is on the path. */
  isOnPath: boolean;
}

/** How the passages of a copy are written. */
export interface CopyForm {
  head(head: CopyHead): string;
  passage(passage: Passage, standing: Standing): string;
  end(): string;
}
