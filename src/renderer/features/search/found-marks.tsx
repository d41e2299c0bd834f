import { useEffect, useRef } from 'react';
import { useStore } from 'zustand';
import type { Asked } from '@shared/search/types';
import { readQuery } from '@shared/search/words';
import { useApp, useSession } from '../../state/hooks';
import { followHit } from './follow-hit';
import { unmarkWords } from './mark-words';

/** Frames in which the transcript of a session that was just opened is drawn. */
const MOST_FRAMES = 600;

/** What is marked in the transcript. */
interface Marking {
  asked: Asked;
  /** The message at which the person is; null: none. */
  entryId: string | null;
  spot: number;
  steps: number;
  isWalk: boolean;
}

const NO_MARKING = { asked: null, entryId: null, spot: 0, steps: 0, isWalk: false };

/** Marks in the transcript what was found, and leads to the place at which the person is (SE1, SE5). Draws nothing itself. */
export function FoundMarks() {
  const app = useApp();
  const { id: sessionId } = useSession();
  const find = useStore(app.find.state);
  const { asked, shown } = useStore(app.search.state);
  const isFinding = find.sessionId === sessionId;
  let marking: Marking | null = null;
  if (isFinding && find.answer) {
    const entryId = find.answer.path[find.at]?.entryId ?? null;
    marking = { asked: find.asked, entryId, spot: find.spot, steps: find.steps, isWalk: find.isWalk };
  } else if (!isFinding && shown?.sessionId === sessionId) marking = { asked, ...shown };
  useArrivals(isFinding ? marking : null);
  useMarks(marking);
  return null;
}

/** Find brings the message of each step into view. */
function useArrivals(marking: Marking | null): void {
  const app = useApp();
  const { id: sessionId } = useSession();
  const entryId = marking?.entryId ?? null;
  const steps = marking?.steps ?? 0;
  useEffect(() => {
    if (steps > 0 && entryId !== null) app.ui.setState({ arrival: { sessionId, entryId, isTold: true } });
    // A message that is shown already stays: the place within it is what is led to.
  }, [app, sessionId, entryId, steps]);
}

function useMarks(marking: Marking | null): void {
  const { asked, entryId, spot, steps, isWalk } = marking ?? NO_MARKING;
  const before = useRef<number | null>(null);
  const isMarking = asked !== null && readQuery(asked.query, asked) !== null;
  // Not between two questions, or with each step: all marks would flicker.
  useEffect(() => (isMarking ? unmarkWords : undefined), [isMarking]);
  useEffect(() => {
    const query = asked && readQuery(asked.query, asked);
    if (!query) return;
    const isStep = steps !== before.current;
    before.current = steps;
    let frame = 0;
    let end: (() => void) | undefined;
    let left = MOST_FRAMES;
    const begin = (): void => {
      const transcript = document.querySelector<HTMLElement>('[data-transcript]');
      if (transcript) end = followHit(transcript, { query, entryId, spot, isStep, isWalk });
      else if (left-- > 0) frame = requestAnimationFrame(begin);
    };
    begin();
    return () => {
      cancelAnimationFrame(frame);
      end?.();
    };
  }, [asked, entryId, spot, steps, isWalk]);
}
