import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Arrival, BranchDialog, ComparedTurns, Visited } from './branch-state';
import { type Deed, isSameDeed, makesUpFor, sessionOf } from './failures';
import type { ImportState } from '@shared/folder-import';
import type { UndoPreview } from '@shared/compaction/summary-job';
import type { TourMark } from '@shared/tour';
import type { Bootstrap, ModelRef, Notice, WorkspaceStatus } from '@shared/types';

/** What the window shows beside sessions: panes, dialogs, toasts, notices. */

export type SettingsPane =
  | 'providers'
  | 'tools'
  | 'extensions'
  | 'mcp'
  | 'context'
  | 'instructions'
  | 'appearance'
  | 'notifications'
  | 'shortcuts'
  | 'data'
  | 'about';

export interface Toast {
  id: string;
  level: 'info' | 'success' | 'warning' | 'error';
  text: string;
  action?: { label: string; onSelect: () => void };
  /** Milliseconds on screen; left out, as long as its level asks for. */
  durationMs?: number;
  /** How often it was told while it stood; left out, once. */
  count?: number;
  /** What was done, or failed: done after all, its error goes. */
  of?: Deed | undefined;
  /** The session that an error belongs to; left out, that of `of`; null: it says itself which one it is about. */
  sessionId?: string | null | undefined;
  /** What an extension said: it is seen in the session in which it was said. */
  extensionId?: string;
  /** It stands for so many that are not told. */
  more?: number;
}

export interface Layout {
  sidebarWidth: number;
  sidebarCollapsed: boolean;
  graphWidth: number;
  /** Null: the person has not said; open where there is room (`isGraphOpen`). */
  graphOpen: boolean | null;
  /** The graph takes the whole window, the sessions aside. */
  graphFull: boolean;
  /** Then the transcript stands beside it. */
  graphSplit: boolean;
  /** As wide as this, in pixels; null: the person has not said (`splitWidth`). */
  splitWidth: number | null;
  /** And the list of branches at its left. */
  graphDrawer: boolean;
  /** The outline in the place of the graph. */
  graphOutline: boolean;
  /** The canvas beside the transcript too, in the place of the rail. */
  graphCanvas: boolean;
}

/** A question about a compaction of the shown session. */
export type CompactionQuestion =
  | { kind: 'undo'; sessionId: string; entryId: string; retries: boolean; preview: UndoPreview }
  | { kind: 'edit' | 'again'; sessionId: string; entryId: string };

export interface ReviewState {
  /** Start of the compaction that it belongs to. */
  startedAt: number;
  text: string;
  isOpen: boolean;
}

/** What was chosen in a Compact sheet that was closed: it holds while the session stands where it stood. */
export interface SheetChoices {
  leafId: string | null;
  /** The first message that is kept; null: as proposed. */
  cutAt: string | null;
  instructions: string;
  model: ModelRef | null;
}

export interface UiState {
  layout: Layout;
  palette: boolean;
  help: boolean;
  /** The list of deleted sessions. */
  deletedOpen: boolean;
  /** The import of all sessions of a folder, and how far it is. */
  importOpen: boolean;
  imports: ImportState;
  settings: SettingsPane | null;
  /** The model whose window the person went to set, until Settings shows the form of its endpoint. */
  windowToSet: ModelRef | null;
  /** The person went to paste a key, until Settings shows the field for it. */
  keyToPaste: boolean;
  modelPicker: boolean;
  meter: boolean;
  compactionQuestion: CompactionQuestion | null;
  /** The result whose whole output is shown. */
  output: { sessionId: string; entryId: string } | null;
  /** The session whose Compact sheet is open. */
  compactSheet: string | null;
  /** What the person made of summaries that wait for review, by session. */
  reviews: Readonly<Record<string, ReviewState | undefined>>;
  /** By session. */
  sheets: Readonly<Record<string, SheetChoices | undefined>>;
  /** Summaries that were changed and not saved, by session; of each the last (SH3). */
  edits: Readonly<Record<string, { entryId: string; text: string } | undefined>>;
  branchDialog: BranchDialog | null;
  /** Two turns side by side, beside the graph. */
  compared: ComparedTurns | null;
  arrival: Arrival | null;
  /** Sessions in which this window asked for a summary: how it ended is told where it was asked for. */
  askedSummaries: readonly string[];
  /** Coach marks of the tour that are never shown again. */
  tourSeen: readonly TourMark[];
  /** Where the person was, by session. */
  visited: Readonly<Record<string, Visited | undefined>>;
  /** The person opened the list in a window that has no room for it. */
  sidebarInNarrow: boolean;
  /** The search of all sessions stands in the place of their list. */
  searchOpen: boolean;
  /** The session whose title is being edited, and where. */
  renaming: { sessionId: string; place: 'list' | 'bar' } | null;
  /** What main last said of the shown session's folder. */
  folder: { sessionId: string; status: WorkspaceStatus } | null;
  /** How often the person's trust in folders has changed since the start. */
  trustChanges: number;
  /** How often an MCP server was told to be another one, or to do something else. */
  mcpChanges: number;
  /** How often the shown session's folder was to be looked at again for another reason. */
  folderLooks: number;
  toasts: readonly Toast[];
  notices: readonly (Notice & { id: string })[];
  /** Questions of extensions that the person put aside: a line over the composer leads to them. */
  questionsAside: readonly string[];
  /** The extension that Settings is to show first. */
  extensionToShow: string | null;
  /** How often what Settings lists of extensions has changed. */
  extensionChanges: number;
  /** Read by screen readers, politely. */
  announcement: string;
  storage: { state: 'ok' | 'full'; detail: string };
  /** The window's own copy can't be written; main's journals hold everything. */
  localProblem: string | null;
  /** The session that is shown as plain text, because drawing it failed. */
  safeSession: string | null;
  /** The session that ended the window the last time: the person chooses what to do with it. */
  afterBlank: Bootstrap['afterBlank'];
  /** Main could not be reached at start. */
  startProblem: string | null;
}

/** Pixels. `roomFrom`: the window is wide enough to show the list beside the session. */
export const SIDEBAR = { min: 180, max: 420, initial: 232, roomFrom: 640 } as const;

/** Pixels. `roomFrom`: the window is wide enough to show the graph unasked. */
export const GRAPH_PANE = { min: 300, max: 900, initial: 396, roomFrom: 1200 } as const;

/** Pixels. */
const SEARCH = { min: 320, max: 520 } as const;
/** Pixels of the bar between two panes. */
const BAR = 1;

/** Pixels that the transcript has beside the graph. */
const MIN_TRANSCRIPT = 560;

const FIRST_LAYOUT: Layout = {
  sidebarWidth: SIDEBAR.initial,
  sidebarCollapsed: false,
  graphWidth: GRAPH_PANE.initial,
  graphOpen: null,
  graphFull: false,
  graphSplit: false,
  splitWidth: null,
  graphDrawer: true,
  graphOutline: false,
  graphCanvas: false,
};

export function createUiStore(): StoreApi<UiState> {
  return createStore<UiState>(() => ({
    layout: FIRST_LAYOUT,
    palette: false,
    help: false,
    deletedOpen: false,
    importOpen: false,
    imports: { phase: 'none', problem: '' },
    settings: null,
    windowToSet: null,
    keyToPaste: false,
    modelPicker: false,
    meter: false,
    compactionQuestion: null,
    output: null,
    compactSheet: null,
    reviews: {},
    sheets: {},
    edits: {},
    branchDialog: null,
    compared: null,
    arrival: null,
    askedSummaries: [],
    tourSeen: [],
    visited: {},
    sidebarInNarrow: false,
    searchOpen: false,
    renaming: null,
    folder: null,
    trustChanges: 0,
    mcpChanges: 0,
    folderLooks: 0,
    toasts: [],
    notices: [],
    questionsAside: [],
    extensionToShow: null,
    extensionChanges: 0,
    announcement: '',
    storage: { state: 'ok', detail: '' },
    localProblem: null,
    safeSession: null,
    afterBlank: null,
    startProblem: null,
  }));
}

/** A layout read from storage, with every value brought within its bounds; anything else is the initial layout. */
export function readLayout(stored: unknown): Layout {
  const { sidebarWidth, graphWidth, graphOpen, splitWidth: beside, ...flags } = (stored ?? {}) as Partial<Layout>;
  return {
    sidebarWidth: readWidth(sidebarWidth, SIDEBAR),
    sidebarCollapsed: flags.sidebarCollapsed === true,
    graphWidth: readWidth(graphWidth, GRAPH_PANE),
    graphOpen: typeof graphOpen === 'boolean' ? graphOpen : null,
    graphFull: flags.graphFull === true,
    graphSplit: flags.graphSplit === true,
    splitWidth: typeof beside === 'number' && beside > 0 && beside < Infinity ? Math.round(beside) : null,
    graphDrawer: flags.graphDrawer !== false,
    graphOutline: flags.graphOutline === true,
    graphCanvas: flags.graphCanvas === true,
  };
}

function readWidth(stored: unknown, { min, max, initial }: { min: number; max: number; initial: number }): number {
  const width = typeof stored === 'number' && Number.isFinite(stored) ? stored : initial;
  return Math.min(max, Math.max(min, Math.round(width)));
}

/** Whether the list of sessions is shown: as the person said, and in a narrow window only while they want it there. */
export function isSidebarOpen(
  { layout, sidebarInNarrow }: Pick<UiState, 'layout' | 'sidebarInNarrow'>,
  windowWidth: number,
): boolean {
  return windowWidth < SIDEBAR.roomFrom ? sidebarInNarrow : !layout.sidebarCollapsed;
}

/** Whether the graph lies over the transcript, which would be too narrow beside it (WN22). */
export function doesGraphFloat(
  ui: Pick<UiState, 'layout' | 'sidebarInNarrow' | 'searchOpen'>,
  windowWidth: number,
): boolean {
  const { sidebarWidth, graphWidth } = ui.layout;
  const list = isSidebarOpen(ui, windowWidth) ? sidebarWidth : 0;
  return windowWidth - (ui.searchOpen ? searchWidth(windowWidth) : list) - graphWidth < MIN_TRANSCRIPT;
}

/** Pixels of the search: as drawn where there is room, else what the transcript leaves, 42 % at most; all where there is none for two. */
export function searchWidth(windowWidth: number): number {
  if (windowWidth < SIDEBAR.roomFrom) return windowWidth - 1;
  const left = windowWidth - MIN_TRANSCRIPT - BAR;
  return Math.floor(Math.min(SEARCH.max, windowWidth * 0.42, Math.max(SEARCH.min, left)));
}

/** Whether the graph leaves the transcript no place: in the whole window, unless they share it. */
export function hidesTranscript({ graphFull, graphSplit }: Layout): boolean {
  return graphFull && !graphSplit;
}

/** Pixels that the transcript and the canvas beside it have at least in split view, where the window has them. */
const SPLIT = { min: 320, canvas: 320 } as const;

/** How narrow and how wide the transcript may be beside the canvas. Pixels. */
export function splitBounds(windowWidth: number): { min: number; max: number } {
  const min = Math.min(SPLIT.min, Math.floor(windowWidth / 2));
  return { min, max: Math.max(min, windowWidth - SPLIT.canvas) };
}

/** Pixels of the transcript beside the canvas in split view (GR8): as the person said, else as drawn. */
export function splitWidth({ splitWidth: wanted }: Pick<Layout, 'splitWidth'>, windowWidth: number): number {
  const { min, max } = splitBounds(windowWidth);
  const drawn = Math.round(Math.max(windowWidth * 0.406, Math.min(MIN_TRANSCRIPT, windowWidth / 2)));
  return wanted === null ? drawn : Math.min(max, Math.max(min, wanted));
}

/** Whether the graph is shown in a window of this width in pixels; unasked never over the transcript, but in the whole window it was asked for. */
export function isGraphOpen(layout: Layout, windowWidth: number): boolean {
  if (layout.graphOpen !== null) return layout.graphOpen;
  if (layout.graphFull) return true;
  return (
    windowWidth >= GRAPH_PANE.roomFrom &&
    !doesGraphFloat({ layout, sidebarInNarrow: false, searchOpen: false }, windowWidth)
  );
}

/**
 * Whether the graph is seen: the search of all sessions takes its room where both would leave the transcript too narrow, and gives it back
 * as it closes (WN22).
 */
export function isGraphShown(
  ui: Pick<UiState, 'layout' | 'sidebarInNarrow' | 'searchOpen'>,
  windowWidth: number,
): boolean {
  const givesWay = ui.searchOpen && (ui.layout.graphFull || doesGraphFloat(ui, windowWidth));
  return isGraphOpen(ui.layout, windowWidth) && !givesWay;
}

const MAX_TOASTS = 6;

/** The toasts with one more; one that stands there in the same words is told once more in its place. */
export function withToast(
  toasts: readonly Toast[],
  toast: Omit<Toast, 'id'>,
  newId: () => string,
): { id: string; toasts: Toast[] } {
  // Two undos with the same words are of two things.
  const same = toasts.find(
    (old) =>
      old.text === toast.text &&
      old.level === toast.level &&
      !old.action &&
      !toast.action &&
      placeOf(old) === placeOf(toast),
  );
  if (!same) {
    const id = newId();
    return { id, toasts: [...toasts, { ...toast, id }].slice(-MAX_TOASTS) };
  }
  const again = { ...toast, id: same.id, count: (same.count ?? 1) + 1, of: both(same, toast) };
  return { id: same.id, toasts: toasts.map((old) => (old === same ? again : old)) };
}

/** Where a toast belongs: an error and what an extension said to its session, all else nowhere. */
function placeOf({ level, sessionId, of, extensionId }: Omit<Toast, 'id'>): string | null {
  if ((level !== 'error' && extensionId === undefined) || sessionId === null) return null;
  return sessionId ?? (of && sessionOf(of)) ?? null;
}

/** The toasts that are seen while a session is shown (GR25): errors and extensions' words of others wait until theirs is. */
export function toastsIn(toasts: readonly Toast[], activeId: string | null): readonly Toast[] {
  const seen = toasts.filter((toast) => [null, activeId].includes(placeOf(toast)));
  return seen.length < toasts.length ? seen : toasts;
}

/** The toasts without the errors of what is done after all (GR25). */
export function withoutErrorsOf(toasts: readonly Toast[], done: Deed): readonly Toast[] {
  const left = toasts.filter(({ level, of }) => level !== 'error' || !of || !makesUpFor(done, of));
  return left.length < toasts.length ? left : toasts;
}

/** Of two errors in the same words that are of two things neither goes for the other. */
function both({ of }: Pick<Toast, 'of'>, other: Pick<Toast, 'of'>): Deed | undefined {
  return of && other.of && isSameDeed(of, other.of) ? other.of : undefined;
}
