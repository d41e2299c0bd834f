import { useId, useLayoutEffect, useMemo, useRef, useState, type MouseEvent } from 'react';
import { announceMove, stayInPlace } from '../../parts/hold-end';
import { plural } from '../../state/format';
import { Button } from '../../ui';
import { Markdown } from '../markdown';
import { useTranscript } from './context';
import { foldPrompt } from './fold-prompt';
import { isPromptOpen, keepPromptOpen } from './open-prompts';
import styles from './prompt.module.css';

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
  const keep = useKeptPlace();
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
      <Button tone="link" className={styles.toggle} aria-expanded={isOpen} aria-controls={wordsId} onClick={toggle}>
        {isOpen ? 'Show less' : `Show all ${plural(folded.lines, 'line')}`}
      </Button>
    </>
  );
}

/** Keeps an element where it is on screen over the next commit, which makes what is above it shorter: what is read below it stays. */
function useKeptPlace(): (element: HTMLElement) => void {
  const kept = useRef<{ element: HTMLElement; top: number }>(undefined);
  useLayoutEffect(() => {
    const { element, top } = kept.current ?? {};
    kept.current = undefined;
    const scroller = element?.closest('[data-transcript]');
    if (!element || !scroller || top === undefined) return;
    // The list itself keeps the end where somebody reads there.
    if (scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop <= 1) return;
    const bounds = scroller.getBoundingClientRect();
    const wanted = Math.min(bounds.bottom - EDGE_PX, Math.max(bounds.top + EDGE_PX, top));
    announceMove(element);
    scroller.scrollTop += element.getBoundingClientRect().top - wanted;
  });
  return (element) => (kept.current = { element, top: element.getBoundingClientRect().top });
}
