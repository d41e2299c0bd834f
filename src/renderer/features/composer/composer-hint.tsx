import { useSyncExternalStore } from 'react';
import type { JobKind } from '@shared/compaction/summary-job';

interface HintState {
  running: boolean;
  job: JobKind | null;
  /** Its summary waits for the person. */
  inReview: boolean;
  enterSends: boolean;
  empty: boolean;
  /** The draft is for a new branch, or another version of a message. */
  branch: 'branch' | 'edit' | null;
  /** Another branch is read: what is written goes to HEAD all the same (GR24). */
  isReading: boolean;
}

/** What the keys do now: Escape is a card's, and not the composer's, while the focus is in one that can be answered. */
export function ComposerHint(state: HintState) {
  const place = useSyncExternalStore(onFocus, escapePlace);
  return <span>{hintOf(state, place)}</span>;
}

/** Whose Escape is: an open question's, a form's in it, which says so itself, or nobody else's. */
type EscapePlace = 'card' | 'form' | null;

function hintOf(
  { running, job, inReview, enterSends, empty, branch, isReading }: HintState,
  place: EscapePlace,
): string {
  const enter = enterSends ? 'Enter' : 'Ctrl+Enter';
  if (empty && place) return place === 'card' ? 'Esc declines' : '';
  if (branch) {
    if (empty) return 'Esc goes back to HEAD';
    const what = branch === 'edit' ? 'version' : 'branch';
    return running
      ? `${enter} prepares the ${what}`
      : `${enter} sends ${branch === 'edit' ? 'it as' : 'to'} the new ${what}`;
  }
  if (empty && isReading) return 'Esc goes back';
  const toHead = isReading ? ' to HEAD' : '';
  if (job) {
    const what = job === 'compaction' ? 'compaction' : 'summary';
    if (empty) return inReview ? '' : `Esc cancels the ${what}`;
    return `${enter} sends${toHead} when it finishes`;
  }
  if (running) return empty ? 'Esc stops' : `${enter} steers${isReading ? ' HEAD' : ''}, Alt+Enter queues`;
  return empty ? '' : `${enter} sends${toHead}`;
}

function escapePlace(): EscapePlace {
  const focused = document.activeElement;
  // Only the first of several questions can be answered: in another one Escape goes on to the window.
  if (!focused?.closest('[data-approval]') || focused.closest('[data-later]')) return null;
  return focused.closest('[data-card-form]') ? 'form' : 'card';
}

function onFocus(tell: () => void): () => void {
  document.addEventListener('focusin', tell);
  document.addEventListener('focusout', tell);
  return () => {
    document.removeEventListener('focusin', tell);
    document.removeEventListener('focusout', tell);
  };
}
