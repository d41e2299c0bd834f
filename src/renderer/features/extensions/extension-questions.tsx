import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { MessageCircleQuestion } from 'lucide-react';
import { type ExtensionAnswer, type ExtensionQuestion, MAX_ANSWER_CHARS } from '@shared/extensions/ui';
import { visibleString } from '@shared/policy/visible-text';
import { plural } from '../../state/format';
import { useApp, useSession, useSummary } from '../../state/hooks';
import { putAside, takeUp, useAside, useIsSeen } from './aside';
import { shownTitle } from '../../state/sessions-store';
import { Button, Dialog, Input, TextArea, VisibleBlock } from '../../ui';
import styles from './extensions.module.css';

/** Milliseconds before an answer counts: a key that was meant for what stood there before answers nothing (docs/specs/safety.md C2). */
const STILL_MS = 500;

/** What extensions ask in the session that is shown, one after the other (EX16). */
export function ExtensionQuestions() {
  const { questions, aside } = useAside();
  const [question, ...others] = questions.filter(({ kind }) => kind !== 'view');
  const isSeen = useIsSeen(question?.id);
  if (!question || !isSeen || aside.includes(question.id)) return null;
  return <QuestionDialog key={question.id} question={question} others={others.length} />;
}

/** A question that was put aside: what is asked, and the way to it. */
export function QuestionLine() {
  const app = useApp();
  const { questions, aside } = useAside();
  const waiting = questions.filter(({ id }) => aside.includes(id));
  const [question] = waiting;
  if (!question) return null;
  const others = questions.filter(({ id }) => id !== question.id);
  const open = (): void => takeUp(app, question.id);
  return (
    <div className={styles.questionLine} role="status">
      <MessageCircleQuestion size={14} aria-hidden />
      <span className={styles.asked}>
        <b>{visibleString(question.extension.name)}</b>
        {question.kind === 'view'
          ? ' shows something that takes the keyboard'
          : ` asks: ${visibleString(question.title.split('\n')[0] ?? '')}`}
        {others.length > 0 && ` · ${others.length} more`}
      </span>
      <Button size="small" onClick={open}>
        {question.kind === 'view' ? 'Show' : 'Answer…'}
      </Button>
    </div>
  );
}

/** A question is answered once, and not before it has been seen for a moment. */
function useAnswer(question: ExtensionQuestion): {
  isReady: boolean;
  isSending: boolean;
  answer: (given: ExtensionAnswer) => void;
} {
  const app = useApp();
  const session = useSession();
  const [isReady, setReady] = useState(false);
  const [isSending, setSending] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setReady(true), STILL_MS);
    return () => clearTimeout(timer);
  }, []);
  const answer = (given: ExtensionAnswer): void => {
    if (isSending || !isReady) return;
    setSending(true);
    const told = { sessionId: session.id, questionId: question.id, answer: given };
    void app.did('extensions.answer', told).then((done) => !done && setSending(false));
  };
  return { isReady, isSending, answer };
}

function QuestionDialog({ question, others }: { question: ExtensionQuestion; others: number }) {
  const app = useApp();
  const session = useSession();
  const summary = useSummary(session.id);
  const { answer, isReady, isSending } = useAnswer(question);
  const name = visibleString(question.extension.name);
  const [first = '', ...rest] = question.title.split('\n');
  const from = `The extension ${name} asks in “${shownTitle({ title: summary?.title ?? '' })}”.`;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && answer(null)}
      title={visibleString(first) || 'A question'}
      lead={
        <>
          {from}
          {others > 0 && ` ${plural(others, 'more question')} after this one.`}
          {question.until !== undefined && <TimeLeft until={question.until} />}
        </>
      }
      width={question.kind === 'editor' ? 720 : 520}
    >
      {rest.length > 0 && (
        <div className={styles.more}>
          <VisibleBlock text={rest.join('\n')} />
        </div>
      )}
      <Body
        question={question}
        isReady={isReady}
        isSending={isSending}
        onAnswer={answer}
        later={
          <Button tone="quiet" onClick={() => putAside(app, question.id)}>
            Later
          </Button>
        }
      />
    </Dialog>
  );
}

function TimeLeft({ until }: { until: number }) {
  const app = useApp();
  const [now, setNow] = useState(() => app.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(app.now()), 500);
    return () => clearInterval(timer);
  }, [app]);
  // Not read out each second.
  return <span aria-live="off"> It ends in {Math.max(0, Math.ceil((until - now) / 1000))} s.</span>;
}

interface BodyProps {
  question: ExtensionQuestion;
  /** It stands there for long enough to be answered. */
  isReady: boolean;
  isSending: boolean;
  onAnswer: (answer: ExtensionAnswer) => void;
  later: React.ReactNode;
}

function Body({ question, ...rest }: BodyProps) {
  switch (question.kind) {
    case 'select':
      return <Choices question={question} {...rest} />;
    case 'confirm':
      return <Confirm message={question.message} {...rest} />;
    case 'input':
      return <Line question={question} {...rest} />;
    case 'editor':
      return <Editor question={question} {...rest} />;
    case 'view':
      return null;
  }
}

type Of<K extends ExtensionQuestion['kind']> = Omit<BodyProps, 'question'> & {
  question: Extract<ExtensionQuestion, { kind: K }>;
};

/** A list is worked with the arrows, by its first letters, and with Enter. */
interface ButtonsProps {
  later: ReactNode;
  children: ReactNode;
  isReady?: boolean;
  /** Absent: the question has a "no" of its own. */
  onCancel?: () => void;
}

/** What answers a question, what ends it without an answer, and what puts it off. */
function Buttons({ later, children, isReady, onCancel }: ButtonsProps) {
  return (
    <div className={styles.buttons}>
      {children}
      {onCancel && (
        <Button aria-disabled={!isReady} onClick={onCancel}>
          Cancel
        </Button>
      )}
      <span className={styles.space} />
      {later}
    </div>
  );
}

function Choices({ question, isReady, isSending, onAnswer, later }: Of<'select'>) {
  const [at, setAt] = useState(0);
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const { options } = question;
  useEffect(() => list.current?.focus(), []);
  useEffect(() => list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' }), [at]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const last = options.length - 1;
    if (event.key === 'ArrowDown') setAt(Math.min(last, at + 1));
    else if (event.key === 'ArrowUp') setAt(Math.max(0, at - 1));
    else if (event.key === 'Home') setAt(0);
    else if (event.key === 'End') setAt(last);
    else if (event.key === 'Enter' && !event.repeat) onAnswer(at);
    else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey) {
      const letter = event.key.toLowerCase();
      const from = [...options.keys()].map((index) => (at + 1 + index) % options.length);
      const found = from.find((index) => options[index]?.toLowerCase().startsWith(letter));
      if (found === undefined) return;
      setAt(found);
    } else return;
    event.preventDefault();
  };
  return (
    <>
      {options.length === 0 ? (
        <p className={styles.none}>There is nothing to choose from.</p>
      ) : (
        <div
          ref={list}
          className={styles.options}
          role="listbox"
          tabIndex={0}
          aria-label={visibleString(question.title)}
          aria-activedescendant={`${id}-${at}`}
          onKeyDown={onKeyDown}
        >
          {options.map((option, index) => (
            <div
              key={index}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === at}
              className={styles.option}
              onPointerEnter={() => setAt(index)}
              onClick={() => onAnswer(index)}
            >
              <VisibleBlock text={option} />
            </div>
          ))}
        </div>
      )}
      <Buttons later={later} isReady={isReady} onCancel={() => onAnswer(null)}>
        <Button
          tone="primary"
          aria-disabled={!isReady}
          disabled={isSending || options.length === 0}
          onClick={() => onAnswer(at)}
        >
          Choose
        </Button>
      </Buttons>
    </>
  );
}

function Confirm({ message, isReady, isSending, onAnswer, later }: Omit<BodyProps, 'question'> & { message: string }) {
  const yes = useRef<HTMLButtonElement>(null);
  useEffect(() => yes.current?.focus(), []);
  return (
    <>
      {message !== '' && (
        <div className={styles.message} tabIndex={0} role="group" aria-label="What it says">
          <VisibleBlock text={message} />
        </div>
      )}
      <Buttons later={later}>
        <Button ref={yes} tone="primary" aria-disabled={!isReady} disabled={isSending} onClick={() => onAnswer(true)}>
          Yes
        </Button>
        <Button aria-disabled={!isReady} disabled={isSending} onClick={() => onAnswer(false)}>
          No
        </Button>
      </Buttons>
    </>
  );
}

function Line({ question, isReady, isSending, onAnswer, later }: Of<'input'>) {
  const [text, setText] = useState('');
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onAnswer(text);
      }}
    >
      <Input
        ref={field}
        className={styles.input}
        dir="auto"
        aria-label={visibleString(question.title)}
        placeholder={visibleString(question.placeholder)}
        maxLength={MAX_LINE_CHARS}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Buttons later={later} isReady={isReady} onCancel={() => onAnswer(null)}>
        <Button type="submit" tone="primary" aria-disabled={!isReady} disabled={isSending}>
          OK
        </Button>
      </Buttons>
    </form>
  );
}

/** Characters of one line: a field draws it as a whole. */
const MAX_LINE_CHARS = 20_000;
/** Characters that a field draws at once; a longer text is given back as it is, or cancelled. */
const MAX_EDITED_CHARS = 100_000;

function Editor({ question, isReady, isSending, onAnswer, later }: Of<'editor'>) {
  const { prefill } = question;
  const [text, setText] = useState(prefill);
  const field = useRef<HTMLTextAreaElement>(null);
  const isLong = prefill.length > MAX_EDITED_CHARS;
  useEffect(() => field.current?.focus(), []);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.repeat) return;
    event.preventDefault();
    onAnswer(text);
  };
  return (
    <>
      <TextArea
        ref={field}
        className={styles.editor}
        aria-label={visibleString(question.title)}
        spellCheck={false}
        readOnly={isLong}
        maxLength={Math.min(MAX_EDITED_CHARS, MAX_ANSWER_CHARS)}
        value={isLong ? prefill.slice(0, MAX_EDITED_CHARS) : text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {isLong && (
        <p role="status" className={styles.none}>
          Too long to edit: its first {plural(MAX_EDITED_CHARS, 'character')} are shown. “Save” gives it back as it is.
        </p>
      )}
      <Buttons later={later} isReady={isReady} onCancel={() => onAnswer(null)}>
        <Button tone="primary" aria-disabled={!isReady} disabled={isSending} onClick={() => onAnswer(text)}>
          Save
        </Button>
      </Buttons>
    </>
  );
}
