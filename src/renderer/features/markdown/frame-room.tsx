import { type ReactNode, useEffect, useReducer, useState } from 'react';

/**
 * How much work the messages of the window may do within one frame, all together: whatever they are made of, no task grows
 * long because of them. Work is counted in estimated nanoseconds, not timed: the same text is drawn alike on every machine.
 */

/** Of the 50 ms in which a person notices nothing; React, layout and paint come on top. */
const FRAME_NS = 6_000_000;
const FRAME_MS = 16;

let left = FRAME_NS;
let advance = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
const waiting = new Set<() => void>();
/** What is drawn before all else, and for how many more frames the rest waits for it. */
let wanted: unknown;
let patience = 0;
/** About as long as its text takes to come from the database. */
const MOST_PATIENCE = 4;

/**
 * Whether more may be begun in this frame. Who begins finishes one slice, so a frame is exceeded by one of them at most.
 * @param share of the frame, up to 1: what works before React draws leaves the rest to what is seen
 */
export function hasRoom(share = 1): boolean {
  return left > FRAME_NS * (1 - share);
}

/** Counts work that was done, in estimated nanoseconds. */
export function chargeFrame(ns: number): void {
  left -= ns;
  startFrame();
}

/** Counts work that parts of what is being drawn do themselves a moment later, in the same frame: they take it from there. */
export function chargeAhead(ns: number): void {
  chargeFrame(ns);
  advance += ns;
}

/** Whether so much work of this frame was paid ahead; then it is taken. */
export function takeAdvance(ns: number): boolean {
  if (ns > advance) return false;
  advance -= ns;
  return true;
}

/** Calls back in the next frame, with those who wait as well. Returns how to take it back. */
export function inNextFrame(callback: () => void): () => void {
  waiting.add(callback);
  startFrame();
  return () => void waiting.delete(callback);
}

function startFrame(): void {
  timer ??= setTimeout(() => {
    timer = undefined;
    left = FRAME_NS;
    advance = 0;
    if (patience > 0) patience -= 1;
    const now = [...waiting];
    waiting.clear();
    for (const callback of now) callback();
    if (patience > 0) startFrame();
  }, FRAME_MS);
}

/** What somebody was led to is seen first: the frame is its own, and for a few frames the rest waits until it was drawn. */
export function drawFirst(subject: unknown): void {
  wanted = subject;
  patience = MOST_PATIENCE;
  startFrame();
}

/** Takes room for work of so many nanoseconds on `subject`, if it may be begun in this frame. */
export function takeRoom(subject: unknown, ns: number): boolean {
  if (patience > 0) {
    if (subject !== wanted) return false;
    patience = 0;
    left = FRAME_NS;
  } else if (!hasRoom()) return false;
  chargeFrame(ns);
  return true;
}

/** Whether the frame had room for work of so many nanoseconds on `subject`; asked again in each frame until it had. */
export function usePaid(subject: unknown, ns: number): boolean {
  const [, goOn] = useReducer((times: number) => times + 1, 0);
  const [paid] = useState(() => ({ isPaid: false, subject: undefined as unknown }));
  if ((!paid.isPaid || paid.subject !== subject) && takeRoom(subject, ns)) {
    paid.isPaid = true;
    paid.subject = subject;
  }
  const isWaiting = !paid.isPaid || paid.subject !== subject;
  // After each try: those before it in the frame may have taken all of the room again.
  // oxlint-disable-next-line react/exhaustive-deps -- once more after each drawing, until all of it is drawn
  useEffect(() => (isWaiting ? inNextFrame(goOn) : undefined));
  return !isWaiting;
}

/** Draws its children as soon as a frame has room for them, and keeps them; until then their place is held. */
export function Paced({ ns, height, children }: { ns: number; height: number; children: () => ReactNode }) {
  return usePaid(null, ns) ? children() : <span style={{ display: 'block', height }} />;
}
