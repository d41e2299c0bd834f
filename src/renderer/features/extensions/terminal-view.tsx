import {
  type ClipboardEvent,
  type CSSProperties,
  type FormEvent,
  type KeyboardEvent,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { useStore } from 'zustand';
import { SquareTerminal } from 'lucide-react';
import { beginningOf } from '@shared/cut-text';
import { TERMINAL, type TerminalFrame } from '@shared/extensions/terminal';
import { visibleString } from '@shared/policy/visible-text';
import { isMac } from '../../state/keys';
import { useApp, useSession, useSettings } from '../../state/hooks';
import { Button, cx, leaveFocus, VisuallyHidden } from '../../ui';
import { pastedText, releasedKey, terminalKey } from './terminal-keys';
import { frameText, TerminalGrid } from './terminal-grid';
import { cellOf, columnsIn, fit } from './terminal-size';
import { isTyping } from './aside';
import type { ViewQuestion } from './use-views';
import styles from './terminal.module.css';

/** Milliseconds before a key counts: one that was meant for the composer plays nothing (docs/specs/safety.md C2). */
const STILL_MS = 300;
/** Milliseconds without a change after which what is shown is read out. */
const QUIET_MS = 600;
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
          {...useKeys(send, frame?.hearsRelease === true)}
        />
      </div>
      <ReadOut frame={frame} name={name} />
    </section>
  );
}

/** What a screen reader hears: the text, once it has come to rest. */
function ReadOut({ frame, name }: { frame: TerminalFrame | undefined; name: string }) {
  const [text, setText] = useState('');
  useEffect(() => {
    if (!frame) return;
    const timer = setTimeout(() => setText(frameText(frame)), QUIET_MS);
    return () => clearTimeout(timer);
  }, [frame]);
  return (
    <VisuallyHidden>
      <div role="log" aria-label={`Text of ${name}`}>
        {text.split('\n').map((line, index) => (
          <div key={`${index} ${line}`}>{visibleString(line)}</div>
        ))}
      </div>
    </VisuallyHidden>
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

function useKeys(send: (input: string) => void, hearsRelease: boolean) {
  const mac = useSettings((state) => isMac(state.platform));
  const flush = (element: HTMLTextAreaElement): void => {
    const { value } = element;
    element.value = '';
    if (value !== '') send(value);
  };
  return {
    onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>) {
      if (event.nativeEvent.isComposing || event.key === 'Dead' || event.key === 'Process') return;
      const isCopy = event.key === 'c' && event.ctrlKey && window.getSelection()?.isCollapsed === false;
      // Pasted text comes as such.
      const isPaste = event.key.toLowerCase() === 'v' && event.ctrlKey && !event.altKey;
      if (isCopy || isPaste) return event.stopPropagation();
      const input = terminalKey(withoutAltGraph(event), mac);
      if (input === null) return;
      event.preventDefault();
      event.stopPropagation();
      send(input);
    },
    onKeyUp(event: KeyboardEvent<HTMLTextAreaElement>) {
      const released = hearsRelease ? releasedKey(event) : null;
      if (released !== null) send(released);
    },
    onInput(event: FormEvent<HTMLTextAreaElement>) {
      if (!(event.nativeEvent as InputEvent).isComposing) flush(event.currentTarget);
    },
    onCompositionEnd(event: FormEvent<HTMLTextAreaElement>) {
      flush(event.currentTarget);
    },
    onPaste(event: ClipboardEvent<HTMLTextAreaElement>) {
      event.preventDefault();
      const text = event.clipboardData.getData('text/plain');
      if (text !== '') send(pastedText(text));
    },
  };
}

/** Characters that are written with AltGr are no commands. */
function withoutAltGraph(event: KeyboardEvent) {
  const { key, ctrlKey, altKey, shiftKey, metaKey } = event;
  const writes = event.getModifierState('AltGraph') && key.length === 1;
  return { key, shiftKey, metaKey, ctrlKey: ctrlKey && !writes, altKey: altKey && !writes };
}
