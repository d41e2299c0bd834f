import { memo, useId, useMemo, useState, useSyncExternalStore } from 'react';
import type { ReactNode } from 'react';
import {
  FilePenLine,
  FileText,
  FolderOpen,
  FoldVertical,
  History,
  Pin,
  PinOff,
  Search,
  SquareTerminal,
  UnfoldVertical,
  Wrench,
} from 'lucide-react';
import type { LiveTool } from '@shared/types';
import type { ToolCallBlock, ToolResultMessage } from '@shared/session/records/entry';
import { ActionButton } from '../../parts/action-button';
import { Button, Visible } from '../../ui';
import { Drawn } from '../extensions/drawn';
import { isInlineImage, MissingPicture, Picture } from '../markdown/picture';
import { CommandOutput, LiveTail } from './command-output';
import { useTranscript } from './context';
import { DiffView } from './diff-view';
import { Fold } from './fold';
import { isBrief } from './message-text';
import { OutputText } from './terminal';
import { Aside } from './tool-aside';
import { isWholeInHead, viewTool, type OpenStatus, type ToolView } from './tool-state';
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
  /** The command that the person put in its place, while it has no result; null: none. */
  ran?: string | null;
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
  ran = null,
  at = 1,
  count = 1,
}: ToolCardProps) {
  const { approvals, renderApproval, renderWhole, busy, prunedIds, pinnedIds } = useTranscript();
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
    () => viewTool({ name, arguments: args }, result, status, { why: unmade, ran }),
    [name, args, result, status, unmade, ran],
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
  const [isCallOpen, setCallOpen] = useState(false);
  const callId = useId();
  const body = bodyOf(view, call, resultId, watched === 'printing');
  const aside = <Aside view={view} running={running} isPruned={isPruned} isPinned={isPinned} />;
  const hasMore = status !== 'writing' && !isWholeInHead(view);
  const whole = renderWhole(view.whole, WHOLE_CALL);
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
      data-result={resultId}
      data-pruned={isPruned || undefined}
      aria-busy={view.status === 'running' || undefined}
    >
      {body ? (
        <Fold
          key="result"
          of={view.diff ? undefined : resultId}
          label={label}
          aside={
            <>
              {hasMore && (
                <WholeCallButton isOpen={isCallOpen} controls={callId} onPress={() => setCallOpen(!isCallOpen)} />
              )}
              {resultId !== undefined && !view.diff && <PinOutput id={resultId} isPinned={isPinned} />}
              {aside}
            </>
          }
          below={hasMore && isCallOpen && <div id={callId}>{whole}</div>}
          startsOpen={(watched !== 'no' && !body.isSilent) || body.startsOpen}
        >
          {body.render}
        </Fold>
      ) : hasMore ? (
        <Fold key="call" label={label} aside={aside} kept={{ isOpen: isCallOpen, setOpen: setCallOpen }}>
          {() => whole}
        </Fold>
      ) : (
        <div className={styles.foldHead}>
          <span className={styles.foldLabel}>{label}</span>
          <span className={styles.aside}>{aside}</span>
        </div>
      )}
      {!result && isPrinting && <LiveTail text={running.tail} />}
      {!writing && <Drawn of="call" name={call.name} id={call.id} />}
      {result && !loading && <Drawn of="result" name={call.name} id={call.id} />}
      {view.edited !== null && (
        <div className={styles.edited}>
          You changed it. The agent asked for:{' '}
          {isBrief(view.edited) && !view.edited.includes('\n') ? (
            <code>
              <Visible text={view.edited} place="command" />
            </code>
          ) : (
            renderWhole(view.edited, { label: 'What the agent asked for', isCall: true })
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

const WHOLE_CALL = { label: 'The whole call', isCall: true };

interface Body {
  startsOpen: boolean;
  /** It says no more than that there was nothing. */
  isSilent: boolean;
  render: () => ReactNode;
}

function bodyOf(
  view: ToolView,
  { name }: ToolCardProps['call'],
  resultId: string | undefined,
  isWatched: boolean,
): Body | null {
  if (view.diff) {
    const { diff, target } = view;
    const startsOpen = view.status !== 'interrupted';
    return { startsOpen, isSilent: false, render: () => <DiffView lines={diff} path={target} /> };
  }
  const output = view.output;
  if (!output || output.texts.length + output.images.length + output.missing === 0) return null;
  return {
    startsOpen: output.images.length + output.missing > 0,
    isSilent: name === 'bash' && output.texts.every((text) => text === NO_OUTPUT),
    render: () => <ToolOutput view={view} name={name} resultId={resultId} isWatched={isWatched} />,
  };
}

/** Opens what the head has only a line of, where below it stands what came of the call. */
function WholeCallButton({ isOpen, controls, onPress }: { isOpen: boolean; controls: string; onPress: () => void }) {
  const label = isOpen ? 'Hide the whole call' : 'Show the whole call';
  return (
    // No tooltip of its own: a reply can have dozens of these.
    <Button
      tone="quiet"
      aria-label={label}
      title={label}
      className={styles.wholeButton}
      aria-expanded={isOpen}
      aria-controls={isOpen ? controls : undefined}
      onClick={onPress}
    >
      {isOpen ? <FoldVertical size={13} aria-hidden /> : <UnfoldVertical size={13} aria-hidden />}
    </Button>
  );
}

/** In the head, where it lies on nothing that is read (TS13). */
function PinOutput({ id, isPinned }: { id: string; isPinned: boolean }) {
  const { session } = useTranscript();
  const label = isPinned ? 'Unpin this output' : 'Pin this output';
  return (
    <ActionButton
      id="entry.pin"
      target={{ sessionId: session.id, id }}
      tone="quiet"
      aria-label={label}
      title={label}
      className={styles.pinOutput}
    >
      {isPinned ? <PinOff size={13} aria-hidden /> : <Pin size={13} aria-hidden />}
    </ActionButton>
  );
}

interface ToolOutputProps {
  view: ToolView;
  name: string;
  resultId: string | undefined;
  isWatched: boolean;
}

function ToolOutput({ view, name, resultId, isWatched }: ToolOutputProps) {
  const { session } = useTranscript();
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
    </>
  );
}
