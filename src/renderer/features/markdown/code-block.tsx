import { memo, useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { CodeText } from './code-text';
import { CopyButton } from './copy-button';
import { Highlighter } from './highlight/highlighter';
import { resolveLanguage } from './highlight/language-names';
import type { HighlightSpan } from './highlight/protocol';
import { startHighlightWorker } from './highlight/start-worker';
import styles from './code.module.css';

const highlighter = new Highlighter(startHighlightWorker);

type Lines = readonly (readonly HighlightSpan[])[];

/** The colours of code once they are known; until then, and for unknown languages, null. */
function useHighlight(code: string, language: string | null, wanted: boolean): Lines | null {
  const [found, setFound] = useState<{ code: string; lines: Lines } | null>(null);
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

export interface CodeBlockProps {
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
