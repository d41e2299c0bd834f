import { type MouseEvent, useId, useMemo, useRef, useState } from 'react';
import { stayInPlace } from '../../parts/hold-end';
import { plural } from '../../state/format';
import { Button } from '../../ui';
import { Markdown } from '../markdown/markdown';
import { affordable } from '../markdown/text-cost';
import { useTranscript } from './context';
import styles from './prompt.module.css';
import { useKeptPlace } from './reading-place';

/** A prompt of more lines is folded (TS12). */
const MAX_LINES = 40;
/** Lines that are shown of it. */
const SHOWN_LINES = 12;
/** Lines can be long: no more of them than about a screen. */
const SHOWN_CHARS = 1_200;
const SHOWN_NS = 6_000_000;

interface FoldedPrompt {
  lines: number;
  /** Its first lines. */
  beginning: string;
}

/** How a prompt is folded; null: it is short. O(length), in one pass. */
export function foldPrompt(text: string): FoldedPrompt | null {
  const whole = text.trimEnd();
  let lines = 1;
  let shown = whole.length;
  for (let at = whole.indexOf('\n'); at >= 0; at = whole.indexOf('\n', at + 1)) {
    if (lines === SHOWN_LINES) shown = at;
    lines += 1;
  }
  return lines > MAX_LINES ? { lines, beginning: beginningOf(whole.slice(0, shown)) } : null;
}

/** Whole lines where the first one is not too long itself. */
function beginningOf(text: string): string {
  const end = affordable(text.slice(0, SHOWN_CHARS), 0, SHOWN_NS);
  if (end === text.length) return text;
  const line = text.lastIndexOf('\n', end);
  return line > 0 ? text.slice(0, line) : `${text.slice(0, end)} …`;
}

/** Prompts that are remembered as opened while the app runs. */
const MAX_KEPT = 1_000;

const opened = new Set<string>();

const keyOf = (sessionId: string, entryId: string): string => `${sessionId}\n${entryId}`;

/** A row that left the list comes back as the person left it. */
export function isPromptOpen(sessionId: string, entryId: string): boolean {
  return opened.has(keyOf(sessionId, entryId));
}

export function keepPromptOpen(sessionId: string, entryId: string, isOpen: boolean): void {
  const key = keyOf(sessionId, entryId);
  opened.delete(key);
  if (isOpen) opened.add(key);
  const oldest = opened.size > MAX_KEPT ? opened.values().next().value : undefined;
  if (oldest !== undefined) opened.delete(oldest);
}

/** What stays of a prompt's button when it is folded again, from the edge of the list. Pixels. */
const EDGE_PX = 40;

/** The words of a prompt; of a long one the first lines, until the person opens it (TS12). */
export function PromptText({ text, id }: { text: string; id: string }) {
  const { session } = useTranscript();
  const folded = useMemo(() => foldPrompt(text), [text]);
  const [isOpen, setOpen] = useState(() => isPromptOpen(session.id, id));
  const [minHeight, setMinHeight] = useState<number>();
  const wordsId = useId();
  const words = useRef<HTMLDivElement>(null);
  const keep = useKeptPlace({ edgePx: EDGE_PX, exceptAtEnd: true });
  if (!folded) return <Markdown text={text} cacheKey={id} breaks />;

  function toggle({ currentTarget: button }: MouseEvent<HTMLButtonElement>): void {
    // What is opened is drawn a frame's share at a time: until then it is as tall as it was.
    setMinHeight(isOpen ? undefined : words.current?.offsetHeight);
    if (isOpen) keep(button);
    else stayInPlace(button);
    keepPromptOpen(session.id, id, !isOpen);
    setOpen(!isOpen);
  }

  return (
    <>
      <div ref={words} id={wordsId} style={{ minHeight }}>
        {isOpen ? (
          <Markdown key="all" text={text} cacheKey={id} breaks />
        ) : (
          <Markdown key="beginning" text={folded.beginning} cacheKey={`${id}:beginning`} breaks />
        )}
      </div>
      <Button
        tone="link"
        className={styles.toggle}
        aria-expanded={isOpen}
        aria-controls={wordsId}
        data-rest={isOpen ? undefined : ''}
        onClick={toggle}
      >
        {isOpen ? 'Show less' : `Show all ${plural(folded.lines, 'line')}`}
      </Button>
    </>
  );
}
