import { memo, useEffect, useId, useState, useSyncExternalStore } from 'react';
import type { ReactNode } from 'react';
import { BROKEN_OFF, REPLY_CUT_OFF } from '@shared/policy/call-outcome';
import type { ApprovalView } from '@shared/policy/approval';
import type { AssistantMessage, SessionEntry, ToolResultMessage } from '@shared/session/records/entry';
import { own } from '@shared/checks';
import { isFailedStop } from '@shared/session/messages/sanitizer';
import { visibleString } from '@shared/policy/visible-text';
import { useLive, useSettings } from '../../state/hooks';
import { modelName } from '../../state/settings-store';
import { ActionButton } from '../../parts/action-button';
import { Button, Notice } from '../../ui';
import { Markdown, MarkdownStream } from '../markdown/markdown';
import { plural } from '../../state/format';
import { useEntry, useTranscript } from './context';
import { Fold } from './fold';
import { AttemptsButton, AttemptTops, EarlierAttempts } from './attempts';
import type { Attempt, Memory } from '../../state/group-rows';
import {
  cutName,
  fieldOf,
  isBrief,
  messageOf,
  type Part,
  partsOfLive,
  partsOfMessage,
  saysNothing,
  textField,
  withOrphans,
} from './message-text';
import { RowTop, useIsPinned } from './row-top';
import { RowActions } from './row-actions';
import { MoreUnknown, RowBoundary, UnknownRow } from './unknown-rows';
import { OutputText } from './terminal';
import { ToolCard } from './tool-card';
import { Working } from './working';
import styles from './transcript.module.css';
import type { Row } from '@shared/session-state/state';

export interface AssistantRowProps {
  /** Absent while the reply streams: then its blocks come from the live store. */
  entry: SessionEntry | undefined;
  row: Row | null;
  memory?: Memory | null;
  head: boolean;
  results: ReadonlyMap<string, Row>;
  /** What it was tried before, oldest first. */
  attempts?: readonly Attempt[];
  /** It is such an attempt itself: nothing is done with it from here. */
  isEarlier?: boolean;
}

/**
 * A reply. The same component shows it while it streams and once it is stored, so that the switch repaints nothing but the
 * last blocks.
 */
export const AssistantRow = memo(function AssistantRow({
  entry,
  row,
  memory,
  head,
  results,
  attempts = NO_ATTEMPTS,
  isEarlier = false,
}: AssistantRowProps) {
  const { session, busy, lastRowId, newestReplyId, approvals } = useTranscript();
  const { live } = session;
  const providers = useSettings((state) => state.providers);
  const reply = useSyncExternalStore(live.subscribe, () => (entry ? null : live.getState().reply));
  const message = entry ? (messageOf(entry) as AssistantMessage | null) : null;
  const parts = message ? withOrphans(partsOfMessage(message), results) : partsOfLive(reply);
  const isPinned = useIsPinned(row);
  const attemptsId = useId();
  const streaming = !entry;
  const from = message ?? reply;
  // Calls of a reply that failed or was stopped are never made.
  const isCutOff = message !== null && isFailedStop(message.stopReason);
  const isNewest = row !== null && row.id === newestReplyId;
  const neverBegan = useSyncExternalStore(live.subscribe, () => {
    const { interrupted, neverBegan: ids } = live.getState();
    return interrupted && isNewest ? ids : NO_CALLS;
  });
  const edits = useSyncExternalStore(live.subscribe, () => (isNewest ? live.getState().edits : NO_EDITS));
  const unmade = (callId = ''): string | null => {
    if (isCutOff) return REPLY_CUT_OFF;
    return neverBegan.includes(callId) ? BROKEN_OFF : null;
  };
  const isLast = streaming || row?.id === lastRowId;
  const copied = (): string =>
    parts
      .filter((part) => part.kind === 'text')
      .map((part) => part.text)
      .join('\n\n');
  const calls = parts.flatMap((part, index) => (part.kind === 'toolCall' ? [index] : []));
  const put = callsPutTogether(parts, calls, approvals);
  const [firstPut] = put;
  const partAt = (index: number): ReactNode => {
    const part = parts[index];
    return (
      part && (
        <PartView
          key={index}
          part={part}
          streaming={streaming && index === parts.length - 1}
          cacheKey={`${entry?.id ?? 'live'}:${index}`}
          resultRow={part.toolCallId ? results.get(part.toolCallId) : undefined}
          current={busy && (streaming || isNewest)}
          unmade={unmade(part.toolCallId)}
          editId={own(edits, part.toolCallId ?? '')}
          at={calls.indexOf(index) + 1}
          count={calls.length}
        />
      )
    );
  };
  const tops = (
    <>
      {attempts.length > 0 && <AttemptsButton attempts={attempts} controls={attemptsId} />}
      <AttemptTops attempts={attempts} />
      {row && <RowTop row={row} />}
    </>
  );
  return (
    <div className={styles.reply}>
      {head && (
        <div className={styles.who} data-chrome>
          Assistant{' '}
          <span className={styles.whoNote}>
            {memory === 'summarised'
              ? 'summarised, not sent'
              : cutName(modelName(providers, textField(from, 'provider') ?? '', textField(from, 'model') ?? ''))}
          </span>
          {isPinned && <span className={styles.whoNote}>pinned</span>}
          {tops}
        </div>
      )}
      {!head && tops}
      {attempts.length > 0 && <EarlierAttempts id={attemptsId} attempts={attempts} draw={drawAttempt} />}
      {row && !isEarlier && <RowActions row={row} text={copied} endId={endOf(row, results)} />}
      {streaming && parts.length === 0 && <Working words="Waiting for the first word" />}
      {parts.map((_part, index) =>
        put.has(index)
          ? index === firstPut && (
              <ManyCalls key={index} count={put.size}>
                {(most) => [...put].slice(0, most).map((at) => partAt(at))}
              </ManyCalls>
            )
          : partAt(index),
      )}
      {message && row && <Ending {...{ message, id: row.id, isLast, isEarlier, isEmpty: saysNothing(parts) }} />}
    </div>
  );
});

const drawAttempt = (attempt: Attempt, entry: SessionEntry): ReactNode => (
  <AssistantRow entry={entry} {...attempt} head={false} isEarlier />
);

/** Calls of one reply that each have a card; of more the earlier ones stand behind one line. */
const MANY_CALLS = 50;
/** Cards that stay below that line, and those that one press shows. */
const NEWEST_CALLS = 20;
const PAGE_CALLS = 50;

/** The places of calls that stand behind one line. One that waits for an answer never does. */
function callsPutTogether(
  parts: readonly Part[],
  calls: readonly number[],
  approvals: readonly ApprovalView[],
): ReadonlySet<number> {
  if (calls.length <= MANY_CALLS) return NONE;
  const asked = new Set(approvals.map((approval) => approval.toolCallId));
  return new Set(calls.slice(0, -NEWEST_CALLS).filter((index) => !asked.has(parts[index]?.toolCallId ?? '')));
}

const NONE: ReadonlySet<number> = new Set();
const NO_ATTEMPTS: readonly Attempt[] = [];
const NO_CALLS: readonly string[] = [];
const NO_EDITS: Readonly<Record<string, string>> = {};

function ManyCalls({ count, children }: { count: number; children: (most: number) => ReactNode }) {
  const [most, setMost] = useState(PAGE_CALLS);
  return (
    <Fold className={styles.note} label={plural(count, 'earlier tool call')}>
      {() => (
        <>
          {children(most)}
          {most < count && (
            <div className={styles.more}>
              <Button tone="link" onClick={() => setMost(most + PAGE_CALLS)}>
                Show {Math.min(PAGE_CALLS, count - most)} more of {(count - most).toLocaleString('en')}
              </Button>
            </div>
          )}
        </>
      )}
    </Fold>
  );
}

interface PartViewProps {
  part: Part;
  streaming: boolean;
  cacheKey: string;
  resultRow: Row | undefined;
  current: boolean;
  /** Why a call can't have begun; null: it may have. */
  unmade: string | null;
  /** The entry of the command that the person put in its place, while it has no result. */
  editId: string | undefined;
  /** Of a call: its place among those of the reply, from 1. */
  at: number;
  count: number;
}

/** A part that can't be drawn leaves the others of its reply on screen. */
function PartView(props: PartViewProps): ReactNode {
  const { part, resultRow, editId, streaming } = props;
  const result = useEntry(resultRow?.id);
  const edit = useEntry(editId);
  const { session } = useTranscript();
  // Of a reply with many calls the list asks for the newest results only, and for what no row shows not at all.
  useEffect(() => {
    if (resultRow && !result) void session.loadEntries([resultRow.id]);
    if (editId !== undefined && !edit) void session.loadEntries([editId]);
  }, [resultRow, result, editId, edit, session]);
  return (
    <RowBoundary inputs={[part.text, part.args, result, streaming]} source={() => [part, ...(result ? [result] : [])]}>
      <PartBody {...props} result={result} edit={edit} />
    </RowBoundary>
  );
}

function PartBody({
  part,
  streaming,
  cacheKey,
  resultRow,
  current,
  unmade,
  at,
  count,
  result,
  edit,
}: PartViewProps & { result: SessionEntry | undefined; edit: SessionEntry | undefined }): ReactNode {
  if (part.kind === 'text') {
    if (part.text.trim() === '' && !streaming) return null;
    return (
      <div className={styles.read}>
        <MarkdownStream text={part.text} cacheKey={cacheKey} streaming={streaming} />
      </div>
    );
  }
  if (part.source) return <UnknownRow what="Part" type={part.source.type} source={part.source} />;
  if (part.more) return <MoreUnknown parts={part.more} />;
  if (part.kind === 'thinking') return <Thinking text={part.text} streaming={streaming} cacheKey={cacheKey} />;
  const stored = (result ? messageOf(result) : null) as ToolResultMessage | null;
  return (
    <ToolCard
      call={{ id: part.toolCallId ?? '', name: part.toolName ?? stored?.toolName ?? '', arguments: part.args ?? {} }}
      result={stored}
      resultId={resultRow?.id}
      loading={resultRow !== undefined && !stored}
      writing={streaming}
      current={current}
      unmade={unmade}
      ran={edit ? textField(fieldOf(edit, 'data'), 'command') : null}
      at={at}
      count={count}
    />
  );
}

const Thinking = memo(function Thinking({
  text,
  streaming,
  cacheKey,
}: {
  text: string;
  streaming: boolean;
  cacheKey: string;
}) {
  const given = useLive(useTranscript().session, (live) => live.extensionShows.thinkingLabel);
  const label = given === null ? (streaming ? 'Thinking…' : 'Thought') : visibleString(given);
  if (text.trim() === '') return streaming ? <div className={styles.thinkingHead}>{label}</div> : null;
  return (
    <Fold className={styles.thinking} label={label}>
      {() => (
        <div className={styles.thinkingText}>
          <MarkdownStream text={text} cacheKey={cacheKey} streaming={streaming} />
        </div>
      )}
    </Fold>
  );
});

/** The last of a reply and the results of its calls: what follows it must not part them. */
function endOf(row: Row, results: ReadonlyMap<string, Row>): string {
  let last = row;
  for (const result of results.values()) if (result.seq > last.seq) last = result;
  return last.id;
}

interface EndingProps {
  message: AssistantMessage;
  /** Of its entry. */
  id: string;
  isLast: boolean;
  /** Its head says how it ended. */
  isEarlier: boolean;
  /** Nothing can be read of it. */
  isEmpty: boolean;
}

/** How a reply ended, if it did not simply end. */
function Ending({ message, id, isLast, isEarlier, isEmpty }: EndingProps) {
  const { session, busy, explainsFailure } = useTranscript();
  const retry = isLast && !busy && <ActionButton id="turn.retry" target={session} size="small" />;
  switch (message.stopReason) {
    case 'error':
      if (isLast && explainsFailure) return <div className={styles.quiet}>The model’s answer failed.</div>;
      // The session went on after it: no alarm, but what happened stays to be read.
      if (!isLast) {
        const label = isEarlier ? 'Why it failed' : 'The model’s answer failed';
        return <Fold label={label}>{() => <ProviderText message={message} />}</Fold>;
      }
      return (
        <Notice level="error" title="The model’s answer failed" actions={retry || undefined} className={styles.failure}>
          <ProviderText message={message} />
        </Notice>
      );
    case 'aborted':
      if (isEarlier) return null;
      return <div className={styles.quiet}>Stopped{retry && <> · {retry}</>}</div>;
    case 'length':
      return <div className={styles.quiet}>Cut off: the answer reached the model’s output limit.</div>;
    default:
      if (!isEmpty) return null;
      return (
        <div className={styles.quiet}>
          The model answered with nothing.
          {isLast && !busy && (
            // The turn is over for the session: another answer is a version of this one.
            <ActionButton id="entry.again" target={{ sessionId: session.id, id }} size="small">
              Retry
            </ActionButton>
          )}
        </div>
      );
  }
}

function ProviderText({ message }: { message: AssistantMessage }) {
  const text = message.errorMessage ?? 'The provider gave no reason.';
  if (!isBrief(text)) return <OutputText text={text} label="The provider’s reason" />;
  return <code className={styles.providerText}>{text}</code>;
}

/** A text that never streams, such as a summary. */
export function SummaryText({ text, cacheKey }: { text: string; cacheKey: string }) {
  return (
    <div className={styles.summary}>
      <Markdown text={text} cacheKey={cacheKey} />
    </div>
  );
}
