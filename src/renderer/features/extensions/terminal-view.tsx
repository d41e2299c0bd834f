import { type CSSProperties, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { SquareTerminal } from 'lucide-react';
import { beginningOf } from '@shared/cut-text';
import { TERMINAL } from '@shared/extensions/terminal';
import { visibleString } from '@shared/policy/visible-text';
import { useApp, useSession } from '../../state/hooks';
import { Button, cx, leaveFocus } from '../../ui';
import { ReadOut } from './read-out';
import { TerminalGrid } from './terminal-grid';
import { cellOf, columnsIn, fit } from './terminal-size';
import { isTyping } from './aside';
import { useTerminalKeys } from './use-terminal-keys';
import type { ViewQuestion } from './use-views';
import styles from './terminal.module.css';

/** Milliseconds before a key counts: one that was meant for the composer plays nothing (docs/specs/safety.md C2). */
const STILL_MS = 300;
/** Of the window's height, for a view in the place of the composer, and pixels that it leaves at least; as its style has it. */
const INLINE_PART = 0.58;
const BESIDE = 300;

/** A terminal in which an extension draws and hears the keyboard (EX24), over the transcript or in the place of the composer. */
export function TerminalView({ view, isOverlay }: { view: ViewQuestion; isOverlay: boolean }) {
  const app = useApp();
  const session = useSession();
  const frame = useStore(app.terminals.frames, (frames) => frames[view.id]);
  const name = visibleString(view.extension.name);
  const [isClosing, setClosing] = useState(false);
  const { room, field, send, hasFocus, setFocus } = useTerminal(view, isOverlay);
  const rows = frame?.rows ?? 0;
  // What is drawn last is at the end, as in a terminal.
  useLayoutEffect(() => room.current?.scrollTo({ top: room.current.scrollHeight }), [room, rows]);
  const close = (): void => {
    setClosing(true);
    const told = { sessionId: session.id, questionId: view.id, answer: null };
    void app.did('extensions.answer', told).then((done) => {
      if (!done) return setClosing(false);
      app.toast({
        level: 'info',
        sessionId: session.id,
        extensionId: view.extension.id,
        text: `${view.extension.name}: closed by you, without a result.`,
      });
    });
  };
  return (
    <section
      ref={leaveFocus}
      className={cx(styles.view, isOverlay ? styles.overlay : styles.inline, hasFocus && styles.focused)}
      aria-label={`Terminal view of the extension ${name}`}
      data-pane="terminal"
      data-view={isOverlay ? 'overlay' : 'inline'}
      onPointerDown={(event) => {
        if ((event.target as HTMLElement).closest('button')) return;
        // Where text is being selected the keyboard can wait.
        setTimeout(() => window.getSelection()?.isCollapsed !== false && field.current?.focus({ preventScroll: true }));
      }}
    >
      <header className={styles.head}>
        <SquareTerminal size={13} aria-hidden />
        <span className={styles.name}>{name}</span>
        <span className={styles.hint}>{hasFocus ? 'F6 leaves it' : 'Click to type in it'}</span>
        <Button size="small" aria-label={`Close the view of ${name}`} disabled={isClosing} onClick={close}>
          Close
        </Button>
      </header>
      <div className={styles.room} ref={room}>
        {frame ? <TerminalGrid frame={frame} /> : <p className={styles.none}>{name} has drawn nothing yet.</p>}
        <textarea
          ref={field}
          data-terminal
          className={styles.keys}
          style={{ '--at': frame?.cursor?.at ?? 0, '--row': frame?.cursor?.row ?? 0 } as CSSProperties}
          aria-label={`${name}: keys go to the extension. F6 leaves it.`}
          autoCapitalize="off"
          autoCorrect="off"
          spellCheck={false}
          onFocus={() => setFocus(true)}
          onBlur={() => setFocus(false)}
          {...useTerminalKeys(send, frame?.hearsRelease === true)}
        />
      </div>
      <ReadOut frame={frame} name={name} />
    </section>
  );
}

/** The size of a view is told, its keys are sent, and it has the keyboard when it comes. */
function useTerminal(view: ViewQuestion, isOverlay: boolean) {
  const app = useApp();
  const session = useSession();
  const room = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const openedAt = useRef(performance.now());
  const [hasFocus, setFocus] = useState(false);
  const ids = { sessionId: session.id, viewId: view.id };
  useLayoutEffect(() => {
    if (!isTyping()) field.current?.focus({ preventScroll: true });
  }, []);
  useEffect(() => {
    const element = room.current;
    if (!element) return;
    let told = '';
    const tell = (): void => {
      element.scrollTo({ top: element.scrollHeight });
      const size = sizeIn(element, isOverlay);
      const text = JSON.stringify(size);
      if (!size || text === told) return;
      told = text;
      app.client
        .request('extensions.resize', { sessionId: session.id, viewId: view.id, ...size })
        .catch(() => undefined);
    };
    tell();
    const observer = new ResizeObserver(tell);
    observer.observe(element);
    window.addEventListener('resize', tell);
    return () => {
      observer.disconnect();
      window.removeEventListener('resize', tell);
    };
  }, [app, session, view.id, isOverlay]);
  const send = (input: string): void => {
    if (performance.now() - openedAt.current < STILL_MS) return;
    app.client
      .request('extensions.type', { ...ids, input: beginningOf(input, TERMINAL.maxInput) })
      .catch(() => undefined);
  };
  return { room, field, send, hasFocus, setFocus };
}

function sizeIn(room: HTMLElement, isOverlay: boolean): { columns: number; rows: number } | null {
  const columns = columnsIn(room);
  if (columns === null) return null;
  const high = isOverlay ? room.clientHeight : Math.min(innerHeight * INLINE_PART, innerHeight - BESIDE);
  return { columns, rows: fit(high / cellOf(room).height, TERMINAL.minRows, TERMINAL.maxRows) };
}
