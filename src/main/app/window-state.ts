import { readRegular, readRegularSync, UnfitFile } from '../own-files/read-regular';
import { writeOwnFile } from '../own-files/write-own';

export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}
export interface WindowState extends Rectangle {
  maximized: boolean;
}

export const SMALLEST_WINDOW = { width: 720, height: 520 };
/** Of a file with five numbers. */
const MAX_BYTES = 64 * 1024;
const FIRST_WINDOW = { width: 1280, height: 800 };

/**
 * Where the window opens: as it was left, moved and shrunk onto a display that exists now; centred on the first
 * display when nothing (or nonsense) is stored.
 */
export function placeWindow(stored: unknown, displays: readonly Rectangle[]): WindowState {
  const first = displays[0] ?? { x: 0, y: 0, ...FIRST_WINDOW };
  const state = readState(stored);
  if (!state) {
    const width = Math.min(FIRST_WINDOW.width, first.width);
    const height = Math.min(FIRST_WINDOW.height, first.height);
    return {
      width,
      height,
      x: first.x + Math.floor((first.width - width) / 2),
      y: first.y + Math.floor((first.height - height) / 2),
      maximized: false,
    };
  }
  const home = displays.find((display) => overlaps(display, state)) ?? first;
  const width = Math.min(Math.max(state.width, SMALLEST_WINDOW.width), home.width);
  const height = Math.min(Math.max(state.height, SMALLEST_WINDOW.height), home.height);
  return {
    width,
    height,
    x: clamp(state.x, home.x, home.x + home.width - width),
    y: clamp(state.y, home.y, home.y + home.height - height),
    maximized: state.maximized,
  };
}

/** The stored state, or undefined if there is none that can be read. A lost window place is no reason for a message. */
export function loadWindowState(file: string): unknown {
  try {
    return JSON.parse(readRegularSync(file, MAX_BYTES) ?? 'null');
  } catch {
    return undefined;
  }
}

/** Rejects where the file can't be read: what can't be read is not replaced (docs/specs/safety.md A5). */
export async function saveWindowState(file: string, state: WindowState): Promise<void> {
  await readRegular(file, MAX_BYTES).catch((error: unknown) => {
    if (!(error instanceof UnfitFile)) throw error;
  });
  await writeOwnFile(file, JSON.stringify(state), { givesWay: true });
}

function readState(stored: unknown): WindowState | undefined {
  if (typeof stored !== 'object' || stored === null) return undefined;
  const { x, y, width, height, maximized } = stored as Record<string, unknown>;
  if (![x, y, width, height].every((value) => typeof value === 'number' && Number.isFinite(value))) return undefined;
  return { x, y, width, height, maximized: maximized === true } as WindowState;
}

function overlaps(a: Rectangle, b: Rectangle): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

function clamp(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(value, Math.max(low, high)));
}
