import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useReducer,
  useRef,
  useState,
  type KeyboardEvent,
  type RefObject,
} from 'react';
import type { ApprovalView } from '@shared/policy/approval';
import { stakesOf } from '@shared/policy/stakes';
import { useNoteInView } from '../../parts/off-screen';
import { Button, Chip, cx, leaveFocus, Visible } from '../../ui';
import { useLive, useSession, useSettings, useSummary } from '../../state/hooks';
import type { QuestionPlace } from '../transcript/context';
import { Answers, useAnswer } from './answers';
import { ApprovalBody, ReadingNote } from './approval-body';
import { Asked, NotesList, StakesList } from './card-notes';
import { canEdit, EditForm, WhyForm } from './approval-forms';
import { buttonsOf, type CardAction, cutMiddle, isCut, noteOf, regionName, titleOf } from './card-words';
import { bringInSight, bringStart, CardText, readOn, useRestHeight } from './card-text';
import { mayTakeFocus, noteGone } from './keyboard';
import { bodyModeOf, type Source, sourceOf } from './source';
import { useGuard, useUnseen } from './guard';
import { useReading } from './paced-text';
import styles from './approvals.module.css';

interface ApprovalCardProps extends QuestionPlace {
  request: ApprovalView;
}

/**
 * What the agent wants to do, exactly and in visible form, and the answers that main offers (docs/specs/safety.md C1, C2). The answer
 * carries the hash of what is shown, so that nothing else can be approved by it. Only the first of several questions can be answered.
 */
export function ApprovalCard(props: ApprovalCardProps) {
  // An edited command is another question: nothing of the card before it counts.
  return <Card key={props.request.contentHash} {...props} />;
}

function Card({ request, isActive, at, count }: ApprovalCardProps) {
  const home = useSettings((state) => state.home);
  const workspace = useSummary(request.sessionId)?.workspace;
  const { subject } = request;
  const card = useRef<HTMLElement>(null);
  const head = useRef<HTMLElement>(null);
  const start = useRef<HTMLDivElement>(null);
  const end = useRef<HTMLDivElement>(null);
  const decline = useRef<HTMLButtonElement>(null);
  const actions = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [missed, setMissed] = useState(false);
  const [isTooLong, setTooLong] = useState(false);
  const [form, setForm] = useState<'edit' | 'why' | null>(null);
  const source = sourceOfRequest(request, home);
  const reading = useReading(source);
  const stakes = useMemo(() => (reading ? stakesOf(subject, reading) : null), [subject, reading]);
  // What has not been read yet is taken for risky.
  const isRisky = !stakes || stakes.risks.length + stakes.warnings.length > 0;
  const mode = reading ? bodyModeOf(reading.rows, isOpen) : null;
  const [pending, onPending] = useReducer((count: number, change: 1 | -1) => count + change, 0);
  const isWhole = mode !== null && mode !== 'first' && pending === 0;
  const { main, quiet } = buttonsOf(request, isRisky, stakes?.notes.length !== 0);
  const answers = [...main, ...quiet].map((button) => button.label).join('\n');
  const isAskedBeside = useLive(useSession(), (live) => live.askedBeside === request.id);
  const guard = useGuard(card, isActive, `${answers}\n${noteOf(request)}\n${isAskedBeside}`);
  const unseen = useUnseen(request, start, end, head, guard.isClear && mode !== null, guard.isClear && isWhole);
  const { send, isSending, problem } = useAnswer(request);
  const onShowQuestion = isAskedBeside ? send.showQuestion : null;
  useFirstFocus(decline, request.sessionId, isActive);
  useLayoutEffect(() => {
    const element = card.current;
    const leave = leaveFocus(element);
    return () => {
      noteGone(element);
      leave?.();
    };
  }, []);
  useNoteInView(request.id, card);
  useRestHeight(card);

  function act(action: CardAction): void {
    if (onShowQuestion) return onShowQuestion();
    if (isSending) return;
    if (!guard.check()) return setMissed(true);
    setMissed(false);
    if (action.kind === 'edit' && subject.kind === 'command' && !canEdit(subject.command)) return setTooLong(true);
    if (action.kind !== 'answer') return setForm(action.kind);
    if (action.decision === 'deny' || (!unseen && reading)) return send.answer(action.decision);
    if (unseen === 'start') bringStart(start.current, head.current);
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || event.nativeEvent.isComposing || form) return;
    const button = [...main, ...quiet].find(({ key }) => key === event.key);
    const presses = event.key === 'Enter' || event.key === ' ';
    // A key that is held down was pressed for something else.
    if (event.repeat && (button || presses)) return event.preventDefault();
    // The card kept the focus when it was scrolled away: nobody answers what they do not see.
    if (
      isActive &&
      (button || presses || event.key === 'Escape') &&
      bringInSight(card.current, head.current, actions.current)
    ) {
      event.preventDefault();
      return event.stopPropagation();
    }
    if (button && isActive) act(button.action);
    else if (event.key === 'Escape' && isActive && !event.repeat) act({ kind: 'answer', decision: 'deny' });
    else if (event.shiftKey || !readOn(card.current, event.target, event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  function showAll(): void {
    setOpen(true);
    // The button goes with the press: who reads by keys reads on.
    card.current?.querySelector<HTMLElement>('[role="region"]')?.focus({ preventScroll: true });
  }

  const close = useCallback(() => {
    // The field had the focus: the card keeps it.
    if (card.current?.contains(document.activeElement)) card.current.focus({ preventScroll: true });
    setForm(null);
  }, []);
  const title = titleOf(request, home, workspace);
  return (
    <section
      ref={card}
      className={styles.card}
      aria-label={`Approval: ${request.title}`}
      data-approval={request.id}
      data-risky={isRisky || undefined}
      data-unseen={unseen ?? undefined}
      data-asked-beside={isAskedBeside || undefined}
      data-ready={(guard.isReady && !isAskedBeside && !unseen && reading !== null) || undefined}
      tabIndex={-1}
      onKeyDown={onKeyDown}
    >
      <header ref={head} className={styles.head}>
        <span className={styles.dot} aria-hidden />
        <h3 className={styles.title}>
          {title.ask}{' '}
          <code>{title.path === undefined ? cutMiddle(title.words) : <Visible text={cutMiddle(title.path)} />}</code>?
        </h3>
        {subject.kind === 'diff' && (
          <span className={styles.figures}>
            <span className={styles.plus}>+{subject.added.toLocaleString('en')}</span>{' '}
            <span className={styles.minus}>−{subject.removed.toLocaleString('en')}</span>
          </span>
        )}
        {subject.kind === 'diff' && subject.created && <Chip tone="leaf">new file</Chip>}
        {count > 1 && (
          <span className={styles.place}>
            call {at} of {count}
          </span>
        )}
      </header>
      {form === 'edit' && subject.kind === 'command' ? (
        <EditForm
          command={subject.command}
          isSending={isSending}
          onCancel={close}
          onSubmit={(next) => send.edit(next, close)}
        />
      ) : (
        <CardText
          label={regionName(request)}
          isBusy={!reading || pending > 0}
          onStart={() => bringStart(start.current, head.current)}
        >
          <div ref={start} className={styles.start} aria-hidden />
          {title.path !== undefined && (
            <p className={cx(styles.wholeName, !isCut(title.path) && styles.onlyLow)}>
              {subject.kind === 'command' ? 'In' : 'Whole path'}: <Visible text={title.path} />
            </p>
          )}
          {reading && mode ? (
            <ApprovalBody {...{ source, reading, mode, onPending }} onShowAll={showAll} />
          ) : (
            <ReadingNote characters={source.text.length} />
          )}
          {isActive && unseen && isWhole && (
            <EndButton onRead={() => decline.current?.focus({ preventScroll: true })} />
          )}
          <div ref={end} className={styles.end} aria-hidden />
        </CardText>
      )}
      {subject.kind === 'command' && subject.edited && !form && (
        <Asked asked={subject.edited.asked} ran={subject.command} />
      )}
      {form !== 'edit' && stakes && <StakesList stakes={stakes} />}
      {form !== 'edit' && stakes && <NotesList notes={stakes.notes} />}
      {form === 'why' && (
        <WhyForm isSending={isSending} onCancel={close} onSubmit={(why) => send.answer('deny', why)} />
      )}
      {!form &&
        (isActive ? (
          <Answers
            main={main}
            quiet={quiet}
            note={noteOf(request)}
            isReady={guard.isReady && !isSending}
            isClear={guard.isClear}
            unseen={reading === null ? 'end' : unseen}
            onShowQuestion={onShowQuestion}
            missed={missed}
            decline={decline}
            actions={actions}
            onAct={act}
          />
        ) : (
          <p className={styles.later}>Answer the first question first.</p>
        ))}
      {isTooLong && !form && (
        <p className={styles.problem} role="alert">
          This command has too much text to be edited here. Decline it and say what to do instead.
        </p>
      )}
      {problem && (
        <p className={styles.problem} role="alert">
          {problem}
        </p>
      )}
    </section>
  );
}

/** One source for one question, however often its card is made: what was read of it stays. */
const sources = new WeakMap<ApprovalView, Source>();

function sourceOfRequest(request: ApprovalView, home: string): Source {
  const known = sources.get(request);
  if (known && (!known.places || known.places.home === home)) return known;
  const source = sourceOf(request.subject, home);
  sources.set(request, source);
  return source;
}

/** Takes the focus once, when the card comes to be answered, and only from where nobody writes. */
function useFirstFocus(decline: RefObject<HTMLButtonElement | null>, sessionId: string, isActive: boolean): void {
  useEffect(() => {
    if (isActive && mayTakeFocus(sessionId)) decline.current?.focus({ preventScroll: true });
  }, [decline, sessionId, isActive]);
}

/**
 * Stands at the end of a text that was not read to its end: who moves there by Tab or with a reading cursor brings the end into view,
 * which is what counts.
 */
function EndButton({ onRead }: { onRead: () => void }) {
  return (
    <Button
      tone="link"
      className={styles.endButton}
      onFocus={(event) => event.currentTarget.scrollIntoView({ block: 'end' })}
      onClick={onRead}
    >
      End of the text
    </Button>
  );
}
