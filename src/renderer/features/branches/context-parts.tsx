import { useCallback, useRef, useState } from 'react';
import { useVirtualizer } from '@tanstack/react-virtual';
import type { ContextPart } from '@shared/ipc/tree-types';
import { formatTokens } from '../../state/format';
import { Button, cx } from '../../ui';
import styles from './branches.module.css';

const ESTIMATED_PX = 110;
const OVERSCAN = 4;
/** A longer text, or one of more lines, is folded to its first lines. */
const FOLD_CHARS = 700;
const FOLD_LINES = 8;

/** The messages that the model sees, virtualised: there can be thousands. */
export function ContextParts({ parts, onGo }: { parts: readonly ContextPart[]; onGo: (entryId: string) => void }) {
  const scroller = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const virtualizer = useVirtualizer({
    count: parts.length,
    getScrollElement: () => scroller.current,
    estimateSize: useCallback(() => ESTIMATED_PX, []),
    overscan: OVERSCAN,
  });
  const toggle = (index: number): void => {
    const next = new Set(open);
    if (!next.delete(index)) next.add(index);
    setOpen(next);
  };
  return (
    <div ref={scroller} className={styles.context} tabIndex={0} role="region" aria-label="Messages">
      <ol className={styles.sizer} style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ key, index, start }) => {
          const part = parts[index];
          return (
            part && (
              <li
                key={key}
                ref={virtualizer.measureElement}
                data-index={index}
                className={styles.part}
                style={{ transform: `translateY(${start}px)` }}
                aria-posinset={index + 1}
                aria-setsize={parts.length}
              >
                <Part part={part} isOpen={open.has(index)} onToggle={() => toggle(index)} onGo={onGo} />
              </li>
            )
          );
        })}
      </ol>
    </div>
  );
}

interface PartProps {
  part: ContextPart;
  isOpen: boolean;
  onToggle: () => void;
  onGo: (entryId: string) => void;
}

function Part({ part, isOpen, onToggle, onGo }: PartProps) {
  const { role, text, tokens, entryId } = part;
  const isLong = text.length > FOLD_CHARS || text.split('\n', FOLD_LINES + 1).length > FOLD_LINES;
  // A folded text is cut besides: the lines that are not shown would be laid out all the same.
  const shown = isLong && !isOpen ? text.slice(0, FOLD_CHARS) : text;
  return (
    <>
      <div className={styles.partHead}>
        <b>{ROLES.get(role) ?? role}</b>
        <span>{formatTokens(tokens)} tokens</span>
        <span className={styles.space} />
        {isLong && (
          <Button tone="link" aria-expanded={isOpen} onClick={onToggle}>
            {isOpen ? 'Show less' : 'Show all'}
          </Button>
        )}
        <Button tone="link" onClick={() => onGo(entryId)}>
          Go to message
        </Button>
      </div>
      <div className={cx(styles.partText, isLong && !isOpen && styles.folded)}>{shown || '(nothing)'}</div>
    </>
  );
}

const ROLES = new Map(
  Object.entries({
    user: 'you',
    assistant: 'assistant',
    toolResult: 'tool result',
    compactionSummary: 'Espalier: summary',
    branchSummary: 'Espalier: summary of another branch',
    bashExecution: 'command',
    custom: 'extension',
  }),
);
