import { useMemo } from 'react';
import { ChevronsUpDown, Ellipsis } from 'lucide-react';
import type { Row } from '@shared/session-state/state';
import type { CompactionEntry } from '@shared/session/records/entry';
import { firstLineOf } from '@shared/excerpt';
import { MIN_SUMMARY_TOKENS } from '@shared/compaction/plan';
import { hasPart, PREFIX_PARTS, SUMMARY_PARTS } from '@shared/compaction/summary-shape';
import { estimateText } from '@shared/session/records/estimate';
import { stripTagBlocks } from '@shared/session/records/own-marks';
import { openReference } from '../../actions/branches';
import { act, menuItems } from '../../actions/menus';
import { arrive } from '../../actions/reading';
import { ActionButton } from '../../parts/action-button';
import { asSentence, formatTokens, plural } from '../../state/format';
import { useApp, useLive } from '../../state/hooks';
import { Button, DropdownMenu, IconButton, leaveFocus } from '../../ui';
import { CutMark, useTourMark } from '../tour/coach-mark';
import { useEntry, useTranscript } from './context';
import cutStyles from './cut.module.css';
import { SummaryText } from './assistant-row';
import { Fold } from './fold';
import { Files, Instructions, listOf, Marker, useModelName, useSummaryCost } from './marker';
import { fieldOf, numberField, shortName, textField } from './message-text';
import { formatDuration, useMoment } from './moment';
import styles from './transcript.module.css';

/** Where the cut line is taken hold of: dragged down, or pressed, it asks what the Compact sheet asks (TS8). */
function CutGrip({ isSeen }: { isSeen: boolean }) {
  const app = useApp();
  const { session, busy, isRead, dragCut } = useTranscript();
  if (busy || isRead) return null;
  return (
    <button
      ref={leaveFocus}
      type="button"
      className={cutStyles.grip}
      data-seen={isSeen || undefined}
      data-cut-grip
      aria-label="Drag the cut line"
      title="Drag it down to summarise more"
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.preventDefault();
        dragCut({ pointerId: event.pointerId, y: event.clientY });
      }}
      // By key: the sheet has the line as a slider. A press that did not move is no drag.
      onClick={() => act(app, 'session.compactSheet', session)}
    >
      <ChevronsUpDown size={11} aria-hidden /> Drag
    </button>
  );
}

/** The compaction in force, at the line behind which the model sees the messages themselves (TS7). */
export function CutCard({ entry, row, earlier }: { entry: CompactionEntry; row: Row; earlier: readonly Row[] }) {
  const { session, isRead } = useTranscript();
  const repeated = useLive(session, (live) => (isRead ? 0 : live.repeated.length));
  const when = useMoment(row.time);
  const facts = factsOf(entry);
  const count = numberField(facts, 'entriesSummarized');
  const model = useModelName(textField(facts, 'model'));
  const before = numberField(entry, 'tokensBefore');
  const after = numberField(facts, 'tokensAfter');
  const read = listOf(entry.details, 'readFiles');
  const modified = listOf(entry.details, 'modifiedFiles');
  const cost = useSummaryCost(facts);
  const isEdited = textField(facts, 'replaces') !== null && numberField(facts, 'calls') === 0;
  const tokens = useMemo(() => estimateText(entry.summary), [entry.summary]);
  // An extension's has its own form, and what the person wrote is theirs.
  const isModels = entry.fromHook !== true && !isEdited && (numberField(facts, 'calls') ?? 0) > 0;
  const lacksParts = useMemo(
    () => isModels && !hasPart(entry.summary, SUMMARY_PARTS) && !hasPart(entry.summary, PREFIX_PARTS),
    [isModels, entry.summary],
  );
  return (
    <Marker
      tone="amber"
      title={`${isRead ? 'On this branch the' : 'The'} model’s memory of everything above is this summary${repeated > 0 ? `, and ${plural(repeated, 'message')} word for word` : ''}`}
      facts={[
        <>
          {count !== null && `${plural(count, 'message')} → `}
          <b>~{formatTokens(tokens)} tokens</b>
        </>,
        before !== null && (
          <b>
            {formatTokens(before)}
            {after !== null && ` → ${formatTokens(after)}`}
          </b>
        ),
        read.length + modified.length > 0 && plural(new Set([...read, ...modified]).size, 'file'),
        isEdited ? 'edited' : entry.fromHook === true ? 'by an extension' : model,
        !isEdited && cost,
        when,
      ]}
      actions={<CutActions entryId={entry.id} />}
      short={shortOf(entry)}
      summary={stripTagBlocks(entry.summary)}
      cacheKey={entry.id}
      grip={<CutEnd />}
      after={
        <>
          {before !== null && after !== null && after > before + MIN_SUMMARY_TOKENS && (
            <p className={styles.markerNote}>
              This compaction made the context larger. Undo it, or shorten the summary or make it again.
            </p>
          )}
          {lacksParts && (
            <p className={styles.markerNote}>
              This summary has none of the usual parts (Goal, Progress, Next steps). If it misses what matters, undo it
              or make it again.
            </p>
          )}
          {earlier.length > 0 && <History rows={earlier} />}
        </>
      }
    >
      <How facts={facts} isEdited={isEdited} />
      <Instructions text={textField(facts, 'instructions')} />
      <Files title="Changed" paths={modified} />
      <Files title="Read" paths={read} />
    </Marker>
  );
}

/** The compactions that the one in force was made from, the latest first: only its summary is what the model has (TS7, JB11). */
function History({ rows }: { rows: readonly Row[] }) {
  return (
    <Fold className={styles.markerFold} label={plural(rows.length, 'earlier compaction')}>
      {() => (
        <>
          <p className={styles.markerNote}>
            Each summary of a summary loses some detail. What you pin stays word for word, Undo brings the original
            messages back, a new session starts fresh.
          </p>
          <ol className={styles.history}>
            {rows.toReversed().map((row) => (
              <li key={row.id}>
                <Earlier row={row} />
              </li>
            ))}
          </ol>
        </>
      )}
    </Fold>
  );
}

function Earlier({ row }: { row: Row }) {
  const { session, busy, isRead } = useTranscript();
  const entry = useEntry(row.id) as CompactionEntry | undefined;
  const title = useTitle(entry, row);
  const short = entry ? shortOf(entry) : null;
  const undo = !busy && !isRead && (
    <ActionButton id="compaction.undo" target={{ sessionId: session.id, id: row.id }} size="small" />
  );
  return (
    <Fold label={short === null ? title : `${title}: ${short}`} aside={undo} of={row.id}>
      {() => entry && <SummaryText text={stripTagBlocks(entry.summary)} cacheKey={row.id} />}
    </Fold>
  );
}

/** What was compacted and when, in a line. */
function useTitle(entry: CompactionEntry | undefined, row: Row): string {
  const facts = entry && factsOf(entry);
  const count = numberField(facts, 'entriesSummarized');
  const why = UNASKED.get(textField(facts, 'reason') ?? '');
  const when = useMoment(row.time);
  const what = `Compacted${count === null ? '' : ` ${plural(count, 'message')}`}`;
  return [what, when && `at ${when}`, why && `(${why})`].filter(Boolean).join(' ');
}

/** The grip at the line; in the tour it is seen at once, with the mark that says what it is for. */
function CutEnd() {
  const { busy, isRead } = useTranscript();
  const mark = useTourMark();
  return (
    <>
      <CutGrip isSeen={mark !== null} />
      {!busy && !isRead && <CutMark />}
    </>
  );
}

/** Why it was made, and how long that took. */
function How({ facts, isEdited }: { facts: unknown; isEdited: boolean }) {
  const duration = numberField(facts, 'durationMs');
  const reason = reasonInWords(textField(facts, 'reason'));
  const words = [reason && `Compacted ${reason}`, !isEdited && duration !== null && `took ${formatDuration(duration)}`];
  const text = words.filter(Boolean).join(', ');
  return text === '' ? null : <p className={styles.markerNote}>{asSentence(text)}</p>;
}

/** Where a compaction happened in time: a hairline that leads to the cut, which has its summary (TS7). */
export function CompactedHere({ entry, row }: { entry: CompactionEntry; row: Row }) {
  const app = useApp();
  const { session, isRead, latestCompactionId } = useTranscript();
  const seenFrom = useLive(session, (live) => live.seenFrom);
  const title = useTitle(entry, row);
  const toCut = (): void => {
    if (isRead) return app.ui.setState({ arrival: { sessionId: session.id, entryId: entry.id, isRead: true } });
    const isLoaded = session.view.getState().rows.some(({ id }) => id === seenFrom);
    if (isLoaded || seenFrom === null) arrive(app, session.id, entry.id);
    // What is above is on its way: then the first message that was kept.
    else void openReference(app, session.id, seenFrom);
  };
  return (
    <div className={styles.changes}>
      <span>
        {title.replace(/^Compacted( [\d,]+ messages?)?/, '$& here')} ·{' '}
        <Button tone="link" className={styles.toCut} onClick={toCut}>
          {entry.id === latestCompactionId ? 'See the cut above' : 'See its summary at the cut'}
        </Button>
      </span>
    </div>
  );
}

/** Its short summary (SU38), one line; null: it has none. */
const shortOf = (entry: CompactionEntry): string | null => {
  const text = textField(entry, 'shortSummary');
  return text === null ? null : firstLineOf(text.slice(0, MAX_SHORT)) || null;
};
/** A foreign one may be of any length. */
const MAX_SHORT = 2_000;

const factsOf = (entry: CompactionEntry): unknown => fieldOf(entry.details, 'espalier');

/** A compaction that was taken back: where it stood, and the way to put it in force again. */
export function UndoneMarker({ entry }: { entry: CompactionEntry }) {
  const { session, isRead } = useTranscript();
  const count = numberField(fieldOf(entry.details, 'espalier'), 'entriesSummarized');
  return (
    <Marker
      tone="undone"
      title="Compaction undone"
      facts={[`The model sees ${count === null ? 'the messages' : plural(count, 'message')} above again.`]}
      actions={
        !isRead && <ActionButton id="compaction.redo" target={{ sessionId: session.id, id: entry.id }} size="small" />
      }
      summary={stripTagBlocks(entry.summary)}
      cacheKey={entry.id}
    />
  );
}

/** While something runs the tree stays as it is (JB2). */
function CutActions({ entryId }: { entryId: string }) {
  const app = useApp();
  const { session, busy, isRead } = useTranscript();
  if (busy || isRead) return null;
  const target = { sessionId: session.id, id: entryId };
  return (
    <span className={styles.markerActions}>
      <ActionButton id="compaction.undo" target={target} size="small" />
      <DropdownMenu
        align="end"
        trigger={
          <IconButton label="More about this compaction" size="small">
            <Ellipsis size={14} />
          </IconButton>
        }
        items={menuItems(app, 'compaction', target)}
      />
    </span>
  );
}

/** Why it was made where nobody asked for it. */
const UNASKED = new Map([
  ['threshold', 'window nearly full'],
  ['overflow', 'refused as too long'],
]);
const REASONS = new Map([
  ['manual', 'because you asked for it'],
  ['threshold', 'because the window was nearly full'],
  ['overflow', 'because the request was refused as too long'],
]);

function reasonInWords(reason: string | null): string | null {
  return reason === null ? null : (REASONS.get(reason) ?? `for the reason “${shortName(reason)}”`);
}
