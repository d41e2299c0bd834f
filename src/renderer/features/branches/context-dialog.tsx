import { useCallback, useEffect, useRef, useState } from 'react';
import { useVirtualizer } from '@tanstack/react-virtual';
import type { ContextHead, ContextPart } from '@shared/ipc/tree-types';
import { openReference } from '../../actions/branches';
import { toAppError } from '../../bridge';
import { formatTokens, plural } from '../../state/format';
import { useApp, useSession, useSettings } from '../../state/hooks';
import { modelName } from '../../state/settings-store';
import { Button, cx, Dialog, EmptyState, Notice, Spinner } from '../../ui';
import styles from './branches.module.css';

const ESTIMATED_PX = 110;
const OVERSCAN = 4;
/** A longer text, or one of more lines, is folded to its first lines. */
const FOLD_CHARS = 700;
const FOLD_LINES = 8;

/** The messages that the model sees, virtualised: there can be thousands. */
function ContextParts({ parts, onGo }: { parts: readonly ContextPart[]; onGo: (entryId: string) => void }) {
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
    pins: 'Espalier: messages word for word',
    bashExecution: 'command',
    custom: 'extension',
  }),
);

interface Seen {
  head: ContextHead | null;
  parts: readonly ContextPart[];
  isDone: boolean;
  problem: string | null;
}

const NOTHING: Seen = { head: null, parts: [], isDone: false, problem: null };

/** What the model saw for an entry, or sees now (null), chunk by chunk. */
function useSeen(sessionId: string, entryId: string | null): Seen {
  const { client } = useApp();
  const [seen, setSeen] = useState(NOTHING);
  useEffect(() => {
    let isWanted = true;
    setSeen(NOTHING);
    const handle = client.bulk('session.context', { sessionId, entryId }, ({ head, parts }) => {
      if (!isWanted) return;
      setSeen((before) => ({ ...before, head: head ?? before.head, parts: [...before.parts, ...parts] }));
    });
    handle.done.then(
      () => isWanted && setSeen((before) => ({ ...before, isDone: true })),
      (cause: unknown) => isWanted && setSeen((before) => ({ ...before, problem: toAppError(cause).message })),
    );
    return () => {
      isWanted = false;
      handle.cancel();
    };
  }, [client, sessionId, entryId]);
  return seen;
}

const WIDTH_PX = 860;

interface ContextDialogProps {
  /** The reply whose request is shown; null: what the next one would hold. */
  entryId: string | null;
  onClose: () => void;
}

/** What the model saw in the request that a reply answers, or sees now: system prompt, tools, every message. */
export function ContextDialog({ entryId, onClose }: ContextDialogProps) {
  const session = useSession();
  const app = useApp();
  const { head, parts, isDone, problem } = useSeen(session.id, entryId);
  const providers = useSettings((state) => state.providers);
  const model = head?.model ? modelName(providers, head.model.provider, head.model.modelId) : null;
  const goTo = (id: string): void => {
    onClose();
    void openReference(app, session.id, id);
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={entryId === null ? 'What the model sees now' : 'What the model saw here'}
      lead={head ? leadOf(head, model) : 'Reading the session.'}
      size="large"
      width={WIDTH_PX}
      flush
    >
      <div className={styles.contextFrame}>
        <div className={styles.contextHead}>
          {problem !== null && (
            <Notice level="error" title="Couldn’t show this">
              {problem} The session is unchanged.
            </Notice>
          )}
          {head && <Head head={head} />}
          {!isDone && parts.length === 0 && problem === null && (
            <div className={styles.loading}>
              <Spinner label="Reading what the model sees" size={18} />
            </div>
          )}
          {isDone && parts.length === 0 && problem === null && (
            <EmptyState title="No messages yet">The model has seen nothing on this branch yet.</EmptyState>
          )}
        </div>
        {parts.length > 0 && <ContextParts parts={parts} onGo={goTo} />}
      </div>
    </Dialog>
  );
}

function leadOf({ messages, tokens, thinkingLevel }: ContextHead, model: string | null): string {
  const thinking = thinkingLevel === 'off' ? null : `thinking: ${thinkingLevel}`;
  return [model, thinking, plural(messages, 'message'), `${formatTokens(tokens)} tokens`].filter(Boolean).join(' · ');
}

/** What precedes the messages: the same in every request, so it is folded. */
function Head({ head }: { head: ContextHead }) {
  return (
    <>
      <details className={styles.details}>
        <summary>System prompt ({plural(head.systemPrompt.length, 'character')})</summary>
        <div className={styles.foldText} tabIndex={0} role="region" aria-label="System prompt">
          {head.systemPrompt || 'None.'}
        </div>
      </details>
      <details className={styles.details}>
        <summary>{plural(head.tools.length, 'tool')}</summary>
        <ul className={styles.foldText} tabIndex={0} aria-label="Tools">
          {head.tools.map(({ name, description }) => (
            <li key={name}>
              <b>{name}</b> {description}
            </li>
          ))}
        </ul>
      </details>
    </>
  );
}
