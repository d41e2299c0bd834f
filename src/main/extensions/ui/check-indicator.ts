import { isRecord } from '@shared/checks';
import type { ExtensionIndicator } from '@shared/extensions/ui';
import { BOUNDS } from './bounds';
import { colouredLine } from './clean-text';

/** Milliseconds between two frames: as pi's own spinner has it, and what flickers. */
const USUAL_MS = 80;
const FASTEST_MS = 50;
const SLOWEST_MS = 10_000;

/** What an extension gives in the place of the spinner (EX16); null: our own. */
export function checkIndicator(given: unknown): ExtensionIndicator | null {
  if (!isRecord(given) || !Array.isArray(given.frames)) return null;
  const { frames, intervalMs } = given;
  const everyMs = typeof intervalMs === 'number' && intervalMs > 0 ? intervalMs : USUAL_MS;
  return {
    frames: frames.slice(0, BOUNDS.indicatorFrames).map((frame) => colouredLine(frame, BOUNDS.indicatorFrame)),
    everyMs: Math.min(SLOWEST_MS, Math.max(FASTEST_MS, everyMs)),
  };
}
