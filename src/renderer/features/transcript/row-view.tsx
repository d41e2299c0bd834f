import { memo, useSyncExternalStore } from 'react';
import {
  type BashExecutionMessage,
  type BranchSummaryEntry,
  type CompactionEntry,
  isOpaque,
  type SessionEntry,
  type ToolResultMessage,
} from '@shared/session/records/entry';
import { usePaid } from '../markdown/frame-room';
import { AssistantRow } from './assistant-row';
import { useEntry, useTranscript } from './context';
import type { Memory, TranscriptItem } from '../../state/group-rows';
import { BranchSummaryMarker } from './marker';
import { CompactedHere, CutCard, UndoneMarker } from './compaction-marker';
import { ChangesRow, CustomRow, OpaqueRow, PruneRow, ReferenceRow, SharedRow } from './marker-rows';
import { fieldOf, isUnknownEntry, messageOf, partsOf, textField } from './message-text';
import { ToolCard } from './tool-card';
import { PendingUser, UserRow } from './user-row';
import { PinMark, RowTop } from './row-top';
import { RowBoundary, UnknownParts, UnknownRow } from './unknown-rows';
import styles from './transcript.module.css';
import type { Row } from '@shared/session-state/state';
import { NO_ANSWER } from '@shared/silence';

/** A row apart from its text, roughly: what React and the layout need for its frame, its buttons and its folds. */
const NS_ROW = 1_200_000;

const NO_RESULTS: ReadonlyMap<string, Row> = new Map();

/** One item of the list, except the tail. What is wrong with it stays in it. */
export const RowView = memo(function RowView({ item }: { item: TranscriptItem }) {
  const { session } = useTranscript();
  const { live } = session;
  const entry = useEntry('row' in item ? item.row.id : undefined);
  const reply = useSyncExternalStore(live.subscribe, () => (item.kind === 'live' ? live.getState().reply : null));
  const source = (): unknown[] => {
    if (item.kind === 'row') return [item.row, ...item.results.values()].map((row) => session.entry(row.id) ?? row);
    if (item.kind === 'cut') return [item.row, ...item.earlier].map((row) => session.entry(row.id) ?? row);
    if ('rows' in item) return item.rows.map((row) => session.entry(row.id) ?? row);
    return [item.kind === 'pending' ? item.pending : item.kind === 'shared' ? item : reply];
  };
  return (
    <RowBoundary inputs={[item, entry, reply]} source={source}>
      <RowBody item={item} entry={entry} />
    </RowBoundary>
  );
});

const RowBody = memo(function RowBody({ item, entry }: { item: TranscriptItem; entry: SessionEntry | undefined }) {
  const { heightOf } = useTranscript();
  // Where many come at once, with a jump or with their bodies, each frame draws some. What streamed here stays as it becomes a row.
  const isWanted = item.kind === 'live' || item.kind === 'pending' || ('row' in item && entry !== undefined);
  const isPaid = usePaid(isWanted && item.key, isWanted ? NS_ROW : 0);
  if ('rows' in item)
    return (
      <>
        {item.top && <RowTop row={item.top} />}
        {item.kind === 'changes' && <ChangesRow rows={item.rows} />}
      </>
    );
  if (item.kind === 'pending') return <PendingUser {...item.pending} />;
  // Stored and streaming replies are one element type in one place: React keeps what is drawn when the one becomes the other.
  if (item.kind === 'live')
    return <AssistantRow entry={undefined} row={null} head={item.head} results={NO_RESULTS} attempts={item.attempts} />;
  if (item.kind === 'tail') return null;
  if (item.kind === 'shared') return <SharedRow promptId={item.promptId} />;
  if (!entry || !isPaid) return <Skeleton height={heightOf(item)} />;
  if (item.kind === 'cut') return <CutCard entry={entry as CompactionEntry} row={item.row} earlier={item.earlier} />;
  return (
    <>
      <PinMark row={item.row} />
      <RowContent item={item} entry={entry} />
    </>
  );
});

type RowItem = Extract<TranscriptItem, { kind: 'row' }>;

function RowContent({ item, entry }: { item: RowItem; entry: SessionEntry }) {
  if (isOpaque(entry))
    return (
      <>
        <RowTop row={item.row} />
        <OpaqueRow entry={entry} />
      </>
    );
  const { row, memory, head, results, attempts, isAfterSilence } = item;
  if (row.kind === 'assistant') return <AssistantRow {...{ entry, row, memory, head, results, attempts }} />;
  return (
    <>
      {isAfterSilence && <div className={styles.quiet}>{NO_ANSWER}</div>}
      {item.row.kind !== 'user' && <RowTop row={item.row} />}
      <StoredRow entry={entry} row={item.row} memory={item.memory} />
    </>
  );
}

function StoredRow({ entry, row, memory }: { entry: SessionEntry; row: Row; memory: Memory | null }) {
  const message = messageOf(entry);
  if (row.kind === 'user') return <UserRow entry={entry} row={row} memory={memory} />;
  if (row.kind === 'compaction') return <CompactedHere entry={entry as CompactionEntry} row={row} />;
  if (row.kind === 'undone') return <UndoneMarker entry={entry as CompactionEntry} />;
  if (row.kind === 'prune') return <PruneRow entry={entry} />;
  if (row.kind === 'reference') return <ReferenceRow entry={entry} />;
  if (row.kind === 'branchSummary' && entry.type === 'branch_summary')
    return <BranchSummaryMarker entry={entry as BranchSummaryEntry} tokens={row.tokens} />;
  if (message?.role === 'bashExecution')
    return <CommandRow message={message as unknown as BashExecutionMessage} id={row.id} />;
  if (message?.role === 'toolResult')
    return <OrphanResult message={message as unknown as ToolResultMessage} id={row.id} />;
  if (isUnknownEntry(entry)) return <UnknownRow what="Entry" type={entry.type} source={entry} />;
  const { texts, unknown } = partsOf(message ? message.content : fieldOf(entry, 'content'));
  const text = texts.join('\n\n');
  // A row says so by itself (`silent`), but for those of an index that an earlier Espalier made.
  if (fieldOf(entry, 'display') === false) return null;
  if (message && row.kind === 'unknown' && text === '')
    return <UnknownRow what="Message" type={message.role} source={entry} />;
  return (
    <>
      {text !== '' && (
        <CustomRow
          entry={entry}
          row={row}
          kind={textField(message ?? entry, 'customType') ?? message?.role ?? entry.type}
          text={text}
        />
      )}
      <UnknownParts parts={unknown} />
    </>
  );
}

/** A command that the person ran: the same card as the agent's. */
function CommandRow({ message, id }: { message: BashExecutionMessage; id: string }) {
  const result: ToolResultMessage = {
    role: 'toolResult',
    toolCallId: id,
    toolName: 'bash',
    content: message.output === '' ? [] : [{ type: 'text', text: message.output }],
    details: {
      ending: message.cancelled ? 'stopped' : undefined,
      exitCode: message.exitCode,
      fullOutputPath: message.fullOutputPath,
      truncated: message.truncated,
    },
    isError: message.cancelled === true || (typeof message.exitCode === 'number' && message.exitCode !== 0),
    timestamp: message.timestamp,
  };
  return (
    <>
      <ToolCard
        call={{ id, name: 'bash', arguments: { command: message.command } }}
        result={result}
        resultId={id}
        current={false}
      />
      {message.excludeFromContext && <div className={styles.quiet}>The model does not see this command.</div>}
    </>
  );
}

/** A result whose call is not on the path. */
function OrphanResult({ message, id }: { message: ToolResultMessage; id: string }) {
  return (
    <ToolCard
      call={{ id: message.toolCallId, name: message.toolName, arguments: {} }}
      result={message}
      resultId={id}
      current={false}
    />
  );
}

/** Holds the place of a row whose body is on its way. */
function Skeleton({ height }: { height: number }) {
  return (
    <div className={styles.skeleton} style={{ height }} aria-label="Loading">
      <i />
      <i />
      {height > 90 && <i />}
    </div>
  );
}
