import { Fragment, memo, type ReactNode, useEffect, useMemo, useReducer, useState } from 'react';
import { Button } from '../../ui';
import { type CodeChunk, CodeChunks } from './code-chunks';
import styles from './code.module.css';
import { CopyButton } from './environment';
import { chargeFrame, hasRoom, inNextFrame, usePaid } from './frame-room';
import { Highlighter, resolveLanguage } from './highlight/highlighter';
import { HIGHLIGHT_CLASSES, type HighlightSpan } from './highlight/protocol';
import { startHighlightWorker } from './highlight/start-worker';

/** One coloured line as spans; text without a colour is a plain string. */
function renderSpans(spans: readonly HighlightSpan[]): ReactNode[] {
  return spans.map((span, index) =>
    typeof span === 'string' ? (
      span
    ) : (
      <span key={index} className={styles[HIGHLIGHT_CLASSES[span[1]] ?? 'plain']}>
        {span[0]}
      </span>
    ),
  );
}

const NS_SPAN = 4_000;

type ColouredLines = readonly (readonly HighlightSpan[])[];

/** The text of a block of code, in chunks: of code that grows the last one is drawn again, of long code some at a time. */
function CodeText({ code, lines }: { code: string; lines: ColouredLines | null }) {
  const [pages, setPages] = useState(1);
  const chunks = usePaced(code, pages);
  return (
    <>
      {chunks.made.map((chunk) => (
        <ChunkView key={chunk.first} {...chunk} colours={lines} />
      ))}
      {chunks.isFull(pages) && (
        <span className={styles.more}>
          <Button tone="link" onClick={() => setPages(pages * 2)}>
            Show more lines
          </Button>
        </span>
      )}
    </>
  );
}

/** The chunks that there was room for so far; the others come in the next frames. */
function usePaced(code: string, pages: number): CodeChunks {
  const [, goOn] = useReducer((times: number) => times + 1, 0);
  const [chunks] = useState(() => new CodeChunks());
  // What stands stays, whatever else the frame has to do.
  const least = chunks.update(code);
  while (!chunks.isWhole(pages) && (chunks.made.length < least || hasRoom())) chargeFrame(chunks.next(pages));
  const isWhole = chunks.isWhole(pages);
  // oxlint-disable-next-line react/exhaustive-deps -- once more after each drawing, until all of it is drawn
  useEffect(() => (isWhole ? undefined : inNextFrame(goOn)));
  return chunks;
}

const ChunkView = memo(function ChunkView({
  text,
  first,
  count,
  ns,
  colours,
}: CodeChunk & { colours: ColouredLines | null }) {
  const lines = useMemo(
    () => (colours && count > 0 ? colours.slice(first, first + count) : null),
    [colours, first, count],
  );
  // Colours come when the frame has room for their elements.
  const isPaid = usePaid(lines, lines ? ns + lines.reduce((sum, line) => sum + line.length, 0) * NS_SPAN : 0);
  return <span className={styles.chunk}>{lines && isPaid ? renderLines(lines) : text}</span>;
});

function renderLines(lines: ColouredLines): ReactNode[] {
  return lines.map((line, index) => <Fragment key={index}>{[...renderSpans(line), '\n']}</Fragment>);
}

const highlighter = new Highlighter(startHighlightWorker);

/** The colours of code once they are known; until then, and for unknown languages, null. */
function useHighlight(code: string, language: string | null, wanted: boolean): ColouredLines | null {
  const [found, setFound] = useState<{ code: string; lines: ColouredLines } | null>(null);
  const known = language && wanted ? highlighter.peek(code, language) : undefined;
  useEffect(() => {
    if (!language || !wanted || known) return;
    let current = true;
    void highlighter.request(code, language).then((lines) => {
      if (current && lines) setFound({ code, lines });
    });
    return () => {
      current = false;
    };
  }, [code, language, wanted, known]);
  return known ?? (found?.code === code ? found.lines : null);
}

interface CodeBlockProps {
  code: string;
  /** What stood after the fence. */
  info: string;
  /** Nothing more is coming: colour it. */
  frozen: boolean;
  /** Extra controls beside Copy. */
  actions?: ReactNode;
}

/** A block of code: its language, Copy, and colours as soon as the worker has them. Its height does not change with them. */
export const CodeBlock = memo(function CodeBlock({ code, info, frozen, actions }: CodeBlockProps) {
  const lines = useHighlight(code, resolveLanguage(info), frozen);
  const name = /^[^\s{]+/.exec(info.trim())?.[0] ?? '';
  return (
    <figure
      className={styles.block}
      aria-label={name ? `Code, ${name}` : 'Code'}
      data-bare={name === '' || undefined}
      data-language={name || undefined}
    >
      <div className={styles.bar} data-chrome>
        <span>{name}</span>
        <span className={styles.actions}>
          {actions}
          <CopyButton text={code} label="Copy code" />
        </span>
      </div>
      <pre className={styles.pre} tabIndex={0}>
        <code>
          <CodeText code={code} lines={lines} />
        </code>
      </pre>
    </figure>
  );
});
