import type { App } from './app-type';
import type { AppEvent } from '@shared/ipc/contract';

/** What of the events is said to a screen reader, of any session. */
export function createAnnouncer(
  { announce, ui }: Pick<App, 'announce' | 'ui'>,
  titleOf: (sessionId: string) => string,
): (event: AppEvent) => void {
  /** The question that was announced last. */
  let asked = { id: '', words: '' };
  return (event) => {
    switch (event.type) {
      case 'approval_requested':
        asked = { id: event.request.id, words: `${titleOf(event.sessionId)} is waiting for your approval.` };
        return announce(asked.words);
      case 'approval_resolved':
        // Nobody who reads on comes to a question that is answered.
        if (event.approvalId === asked.id && ui.getState().announcement === asked.words) announce('');
        return;
      case 'settled':
        // What failed was told by its failure.
        if (event.reason === 'failed') return;
        return announce(`${titleOf(event.sessionId)}: ${event.reason === 'stopped' ? 'stopped.' : 'answer finished.'}`);
      case 'job_review':
        return announce(`${titleOf(event.sessionId)}: the summary is ready for review.`);
      case 'failure':
        if (event.failure) announce(`${titleOf(event.sessionId)}: ${event.failure.title}`);
        return;
      default:
        return; // Is seen, or told by who shows it.
    }
  };
}
