import { memo, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { ReactNode } from 'react';
import { FilePenLine, FileText, FolderOpen, History, Pin, Search, SquareTerminal, Wrench } from 'lucide-react';
import type { LiveTool } from '@shared/types';
import type { ToolCallBlock, ToolResultMessage } from '@shared/session/entry';
import { ActionButton } from '../../parts/action-button';
import { Spinner, Visible } from '../../ui';
import { isInlineImage, MissingPicture, Picture } from '../markdown';
import { CommandOutput, LiveTail } from './command-output';
import { useTranscript } from './context';
import { DiffView } from './diff-view';
import { formatDuration } from './duration';
import { Fold } from './fold';
import { isBrief } from './message-text';
import { OutputText } from './terminal';
import { viewTool, type OpenStatus, type ToolStatus, type ToolView } from './tool-state';
import styles from './transcript.module.css';

/** By name: a model may call a tool `constructor`. */
const ICONS = new Map<string, typeof Wrench>(
  Object.entries({
    read: FileText,
    write: FilePenLine,
    edit: FilePenLine,
    bash: SquareTerminal,
    grep: Search,
    find: Search,
    ls: FolderOpen,
    recall: History,
  }),
);

export interface ToolCardProps {
  call: Pick<ToolCallBlock, 'id' | 'name' | 'arguments'>;
  result: ToolResultMessage | null;
  /** The entry that holds the result. */
  resultId?: string;
  /** The result exists but is not in memory yet. */
  loading?: boolean;
  /** The call is still being written by the model. */
  writing?: boolean;
  /** The newest reply of a session at work: an open call runs or waits, it is not interrupted. */
  current: boolean;
  /** Why a call without its result can't have begun; null: it may have. */
  unmade?: string | null;
  /** Its place among the calls of its reply, from 1. */
  at?: number;
  count?: number;
}

/** A tool call with its result: what was done, how it went, how long it took; the output folded. */
export const ToolCard = memo(function ToolCard({
  call,
  result,
  resultId,
  loading,
  writing,
  current,
  unmade = null,
  at = 1,
  count = 1,
}: ToolCardProps) {
  const { approvals, renderApproval, busy, prunedIds, pinnedIds } = useTranscript();
  const isPruned = resultId !== undefined && prunedIds.has(resultId);
  const isPinned = resultId !== undefined && pinnedIds.has(resultId);
  const running = useLiveTool(call.id);
  // Ids are the model's: one that was used before must not bring a question to an older card.
  const asked = result ? -1 : approvals.findIndex((approval) => approval.toolCallId === call.id);
  const request = approvals[asked];
  const { name, arguments: args } = call;
  // While the person is asked, nothing of the reply runs: not even a call that is allowed already.
  const isHeld = running === null || approvals.length > 0;
  let status: OpenStatus = unmade === null ? 'interrupted' : 'notRun';
  if (loading) status = 'loading';
  else if (writing) status = 'writing';
  else if (request) status = 'waiting';
  else if (running ?? (current && busy)) status = isHeld ? 'queued' : 'running';
  const view = useMemo(
    () => viewTool({ name, arguments: args }, result, status, unmade),
    [name, args, result, status, unmade],
  );
  // Output that was watched stays open when the command ends, as tall as it was: nothing jumps.
  const [watched, setWatched] = useState<'no' | 'running' | 'printing'>('no');
  const isPrinting = running !== null && running.tail !== '';
  if (running && watched !== 'printing' && (isPrinting || watched === 'no'))
    setWatched(isPrinting ? 'printing' : 'running');
  const Icon = ICONS.get(call.name) ?? Wrench;
  const label = (
    <>
      <Icon size={14} className={styles.toolIcon} aria-hidden />
      <span className={styles.verb}>{view.verb}</span>
      <code className={styles.target} title={view.target}>
        {view.target}
      </code>
    </>
  );
  const body = bodyOf(view, call, resultId, watched === 'printing');
  if (request) {
    return (
      <div className={styles.tool} data-status="waiting" data-later={asked > 0 || undefined}>
        {renderApproval(request, { isActive: asked === 0, at, count })}
      </div>
    );
  }
  return (
    <div
      className={styles.tool}
      data-status={view.status}
      data-pruned={isPruned || undefined}
      aria-busy={view.status === 'running' || undefined}
    >
      {body ? (
        <Fold
          label={label}
          aside={<Aside view={view} running={running} isPruned={isPruned} isPinned={isPinned} />}
          startsOpen={(watched !== 'no' && !body.isSilent) || body.startsOpen}
        >
          {body.render}
        </Fold>
      ) : (
        <div className={styles.foldHead}>
          <span className={styles.foldLabel}>{label}</span>
          <span className={styles.aside}>
            <Aside view={view} running={running} isPruned={isPruned} isPinned={isPinned} />
          </span>
        </div>
      )}
      {!result && isPrinting && <LiveTail text={running.tail} />}
      {view.edited !== null && (
        <div className={styles.edited}>
          You changed it. The agent asked for:{' '}
          {isBrief(view.edited) ? (
            <code>
              <Visible text={view.edited} place="command" />
            </code>
          ) : (
            <OutputText text={view.edited} label="What the agent asked for" />
          )}
        </div>
      )}
    </div>
  );
});

/** The running state of one call; only its own card repaints when output arrives. */
function useLiveTool(callId: string): LiveTool | null {
  const { live } = useTranscript().session;
  return useSyncExternalStore(
    live.subscribe,
    () => live.getState().tools.find((tool) => tool.toolCallId === callId) ?? null,
  );
}

/** What the model is told of a command that printed nothing. */
const NO_OUTPUT = '(no output)';

interface Body {
  startsOpen: boolean;
  /** It says no more than that there was nothing. */
  isSilent: boolean;
  render: () => ReactNode;
}

function bodyOf(
  view: ToolView,
  { name, arguments: args }: ToolCardProps['call'],
  resultId: string | undefined,
  isWatched: boolean,
): Body | null {
  if (view.diff) {
    const { diff, target } = view;
    const startsOpen = view.status !== 'interrupted';
    return { startsOpen, isSilent: false, render: () => <DiffView lines={diff} path={target} /> };
  }
  const output = view.output;
  if (!output || output.texts.length + output.images.length + output.missing === 0) return targetOf(view, args);
  return {
    startsOpen: output.images.length + output.missing > 0,
    isSilent: name === 'bash' && output.texts.every((text) => text === NO_OUTPUT),
    render: () => <ToolOutput view={view} name={name} resultId={resultId} isWatched={isWatched} />,
  };
}

/** Characters that the head of a card has room for in a narrow window. */
const HEAD_CHARS = 40;

/** Of a call that left nothing else to read: what it would have done, where the head has only its beginning. */
function targetOf({ status, target }: ToolView, args: unknown): Body | null {
  const isOver = status === 'interrupted' || status === 'notRun' || status === 'declined';
  const { command, path } = (args ?? {}) as { command?: unknown; path?: unknown };
  const whole = [command, path].find((one) => typeof one === 'string') ?? target;
  if (!isOver || (whole.length <= HEAD_CHARS && !whole.includes('\n'))) return null;
  return { startsOpen: false, isSilent: true, render: () => <OutputText text={whole} label="The whole call" /> };
}

interface ToolOutputProps {
  view: ToolView;
  name: string;
  resultId: string | undefined;
  isWatched: boolean;
}

function ToolOutput({ view, name, resultId, isWatched }: ToolOutputProps) {
  const { session, pinnedIds } = useTranscript();
  const isCommand = name === 'bash';
  const full = view.fullOutputPath && resultId && (
    <ActionButton id="entry.output" target={{ sessionId: session.id, id: resultId }} tone="link" />
  );
  return (
    <>
      {view.output?.texts.map((text, index) =>
        isCommand ? (
          <CommandOutput
            key={index}
            text={text}
            label={`Output of ${name}`}
            isWatched={isWatched}
            full={index === 0 && full}
          />
        ) : (
          <OutputText key={index} text={text} label={`Output of ${name}`} />
        ),
      )}
      {view.output?.images.map((image, index) => {
        const src = `data:${image.mimeType};base64,${image.data}`;
        return (
          isInlineImage(src) && (
            <Picture key={index} className={styles.picture} src={src} alt={view.target} fromWorkspace />
          )
        );
      })}
      {Array.from({ length: view.output?.missing ?? 0 }, (_, index) => (
        <div key={`missing ${index}`} className={styles.missing}>
          <MissingPicture />
        </div>
      ))}
      {full && !(isCommand && view.output?.texts.length) && <div className={styles.more}>{full}</div>}
      {resultId !== undefined && (
        <ActionButton
          id="entry.pin"
          target={{ sessionId: session.id, id: resultId }}
          size="small"
          className={styles.pinOutput}
        >
          {pinnedIds.has(resultId) ? 'Unpin this output' : 'Pin this output'}
        </ActionButton>
      )}
    </>
  );
}

interface AsideProps {
  view: ToolView;
  running: LiveTool | null;
  isPruned: boolean;
  isPinned: boolean;
}

function Aside({ view, running, isPruned, isPinned }: AsideProps) {
  return (
    <>
      {isPinned && (
        <span className={styles.pinned} title="The model gets this output word for word.">
          <Pin size={11} aria-hidden /> pinned
        </span>
      )}
      {isPruned && (
        <span title="A note stands in its place. The whole output is still here.">hidden from the model</span>
      )}
      {view.changes && (
        <span>
          <span className={styles.plus}>+{view.changes.added}</span>{' '}
          <span className={styles.minus}>−{view.changes.removed}</span>
        </span>
      )}
      {view.allowed && <span>{view.allowed}</span>}
      {view.note && <span className={isFailure(view) ? styles.minus : undefined}>{view.note}</span>}
      {view.durationMs !== null && <span>{formatDuration(view.durationMs)}</span>}
      <StatusMark status={view.status} running={running} />
    </>
  );
}

/** What the person stopped is no failure. */
function isFailure({ status }: ToolView): boolean {
  return status === 'ran' || status === 'failed';
}

function StatusMark({ status, running }: { status: ToolStatus; running: LiveTool | null }) {
  switch (status) {
    case 'writing':
      return <Spinner label="Being written" size={12} />;
    case 'running':
      return (
        <>
          {running && running.startedAt !== null && <Elapsed since={running.startedAt} />}
          <Spinner label="Running" size={12} />
        </>
      );
    case 'queued':
      return <span>waits</span>;
    case 'waiting':
      return (
        <span className={styles.waiting}>
          <span className={styles.ring} aria-hidden /> waits for you
        </span>
      );
    case 'interrupted':
      return <span>interrupted, may have run</span>;
    default:
      return null;
  }
}

function Elapsed({ since }: { since: number }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return <span>{formatDuration(Math.max(0, now - since)).replace(/\.\d s/, ' s')}</span>;
}
