import { useId, useMemo, useRef, useState, type MouseEvent } from 'react';
import { stayInPlace } from '../../parts/hold-end';
import { plural } from '../../state/format';
import { Button } from '../../ui';
import { Markdown } from '../markdown';
import { useTranscript } from './context';
import { foldPrompt } from './fold-prompt';
import { isPromptOpen, keepPromptOpen } from './open-prompts';
import { useKeptPlace } from './use-kept-place';
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
