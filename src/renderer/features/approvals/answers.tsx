import { type ReactNode, type RefObject, useState } from 'react';
import type { ApprovalDecision, ApprovalView } from '@shared/policy/approval';
import { visibleString } from '@shared/policy/visible-text';
import { toAppError } from '../../bridge';
import { useKeys } from '../../parts/action-button';
import { useApp } from '../../state/hooks';
import { Button, Kbd, VisuallyHidden } from '../../ui';
import styles from './approvals.module.css';
import type { CardAction, CardButton } from './card-words';
import { noteAnswer, noteRefused } from './keyboard';

interface AnswersProps {
  main: readonly CardButton[];
  quiet: readonly CardButton[];
  note: string;
  isReady: boolean;
  /** Nothing lies over the card. */
  isClear: boolean;
  /** The end of the text that was not on screen yet; null: both were. */
  unseen: 'start' | 'end' | null;
  /** Main asks about the same call in a window of its own: no answer counts here, and this brings that to the front. */
  onShowQuestion: (() => void) | null;
  /** A press came too early. */
  missed: boolean;
  decline: RefObject<HTMLButtonElement | null>;
  actions: RefObject<HTMLDivElement | null>;
  onAct: (action: CardAction) => void;
}

const UNSEEN = {
  start: 'Scroll up and read it from its start to allow it.',
  end: 'Read it to its end to allow it.',
};

const MISSED = {
  clear: 'The card had just changed or moved. Look again, then answer.',
  covered: 'Something lies over this card, such as the graph. Close it, then answer.',
};

/** The answers that main offers, and Decline. */
export function Answers({
  main,
  quiet,
  note,
  isReady,
  isClear,
  unseen,
  onShowQuestion,
  missed,
  decline,
  actions,
  onAct,
}: AnswersProps) {
  const isOff = ({ action }: CardButton): boolean =>
    !isReady || onShowQuestion !== null || (action.kind === 'answer' && unseen !== null);
  const answer = (button: CardButton, isQuiet = false): ReactNode => (
    <Button
      key={button.key}
      tone={isQuiet ? 'link' : button.isPrimary && !isOff(button) ? 'primary' : 'default'}
      data-quiet={isQuiet || undefined}
      aria-keyshortcuts={button.key}
      aria-disabled={isOff(button) || undefined}
      onClick={() => onAct(button.action)}
    >
      <span aria-hidden className={styles.key}>
        <Kbd>{button.key}</Kbd>
      </span>
      <span className={styles.answer}>{button.label}</span>
      {button.heard && <VisuallyHidden>{button.heard}</VisuallyHidden>}
    </Button>
  );
  const toCard = useKeys('session.question');
  return (
    <>
      <div ref={actions} className={styles.actions}>
        {main.slice(0, -1).map((button) => answer(button))}
        {/* In one piece, so that Decline never wraps alone. */}
        <div className={styles.last}>
          {main.slice(-1).map((button) => answer(button))}
          <Button
            ref={decline}
            className={styles.decline}
            aria-keyshortcuts="Escape"
            aria-disabled={!isReady || onShowQuestion !== null || undefined}
            onClick={() => onAct({ kind: 'answer', decision: 'deny' })}
          >
            <span className={styles.answer}>Decline</span>{' '}
            <span aria-hidden className={styles.key}>
              <Kbd>Esc</Kbd>
            </span>
          </Button>
        </div>
      </div>
      <p className={styles.note}>
        {onShowQuestion ? (
          <AskedBeside onShow={onShowQuestion} />
        ) : (
          <span className={styles.said}>
            <span role={missed ? 'status' : undefined}>
              {missed
                ? MISSED[isClear ? 'clear' : 'covered']
                : [unseen && UNSEEN[unseen], note].filter(Boolean).join(' ')}
            </span>{' '}
            <span className={styles.toKeys}>
              <Kbd>{toCard}</Kbd> to use keys
            </span>
          </span>
        )}
        {quiet.map((button) => answer(button, true))}
      </p>
      <VisuallyHidden>{isReady || onShowQuestion ? '' : 'You can answer in a moment.'}</VisuallyHidden>
    </>
  );
}

/** In the place of what stands below the answers. */
function AskedBeside({ onShow }: { onShow: () => void }) {
  return (
    <span className={styles.said}>
      <span role="status">Espalier is asking about this in a separate window.</span>{' '}
      <Button tone="link" data-quiet onClick={onShow}>
        Show that window
      </Button>
    </span>
  );
}

/** Sends an answer, or another command, with the hash of what is shown; `problem`: why it was refused. */
export function useAnswer(request: ApprovalView) {
  const { id: approvalId, contentHash } = request;
  const app = useApp();
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  async function attempt(task: () => Promise<void>, done?: () => void): Promise<void> {
    noteAnswer(request);
    setSending(true);
    setProblem(null);
    try {
      await task();
      done?.();
    } catch (cause) {
      noteRefused();
      setProblem(visibleString(toAppError(cause).message));
      setSending(false);
    }
  }
  const send = {
    answer: (decision: ApprovalDecision, why?: string) =>
      void attempt(() => app.client.request('approvals.answer', { approvalId, contentHash, decision, why })),
    edit: (command: string, done: () => void) =>
      void attempt(
        () => app.client.request('approvals.edit', { approvalId, contentHash, command }),
        () => {
          setSending(false);
          done();
        },
      ),
    showQuestion: () => void app.ask('approvals.showQuestion', {}),
  };
  return { send, isSending, problem };
}
