import { useEffect, useReducer, useState, type ReactNode } from 'react';
import { chargeFrame, hasRoom, inNextFrame } from './frame-room';

/** Whether the frame had room for work of so many nanoseconds on `subject`; asked again in each frame until it had. */
export function usePaid(subject: unknown, ns: number): boolean {
  const [, goOn] = useReducer((times: number) => times + 1, 0);
  const [paid] = useState(() => ({ isPaid: false, subject: undefined as unknown }));
  if ((!paid.isPaid || paid.subject !== subject) && hasRoom()) {
    paid.isPaid = true;
    paid.subject = subject;
    chargeFrame(ns);
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
