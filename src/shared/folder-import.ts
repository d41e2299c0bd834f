/** The import of all sessions in a folder, as main tells it to the window (IM1–IM6). */

/** The sessions of one folder. */
export interface ImportGroup {
  id: string;
  /** Where they were made; empty: their files do not say. */
  folder: string;
  files: number;
  bytes: number;
  /** Of them, by id and length, in Espalier already. */
  here: number;
  /** And those of which there is more than in Espalier. */
  grown: number;
  /** The folder does not exist on this computer. */
  isMissing: boolean;
}

/** What there is to import. */
export interface ImportOffer {
  /** The folder that was looked at. */
  place: string;
  /** It is pi's own. */
  isPi: boolean;
  groups: ImportGroup[];
  /** Files that are no sessions, or can't be read. */
  unfit: number;
  /** False: there are more files than were looked at. */
  isWhole: boolean;
}

/** How far it is. */
interface ImportProgress {
  files: number;
  ofFiles: number;
  bytes: number;
  ofBytes: number;
}

/**
 * What became of one file. `grown`: a session that was here has the rest of it now; `second`: it became a session beside the one that has its
 * id; `here`: all of it was here.
 */
export const IMPORT_OUTCOMES = ['skipped', 'second', 'grown', 'imported', 'here'] as const;
export type ImportOutcome = (typeof IMPORT_OUTCOMES)[number];

export interface ImportItem {
  /** The name of the file. */
  name: string;
  outcome: ImportOutcome;
  /** The session that has it now, with its title. */
  sessionId?: string;
  title?: string;
  /** Something of it could not be read; the rest is there. */
  isDamaged?: true;
  /** Why it was skipped, what could not be read of it, what was changed: sentences for the person. */
  notes: string[];
}

export interface ImportSummary {
  counts: Record<ImportOutcome, number>;
  /** Of those that were imported, how many have lines that could not be read. */
  damaged: number;
  /** Folders of imported sessions that do not exist on this computer; the first of them. */
  missing: string[];
  /** Files that nothing was done with, because it was stopped; why, in words, where the person did not stop it. */
  left: number;
  why: string;
}

export type ImportState =
  | { phase: 'none'; /** Why the last look found nothing. */ problem: string }
  | { phase: 'looking'; place: string }
  | { phase: 'offered'; offer: ImportOffer }
  | { phase: 'running'; progress: ImportProgress; isStopping: boolean }
  | { phase: 'done'; summary: ImportSummary; items: number };

/** Items of a report that are told at once. */
export const IMPORT_PAGE = 200;
