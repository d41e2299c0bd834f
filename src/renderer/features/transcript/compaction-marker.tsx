import { useMemo } from 'react';
import { ChevronsUpDown, Ellipsis } from 'lucide-react';
import type { Row } from '@shared/session-state/state';
import type { CompactionEntry } from '@shared/session/records/entry';
import { estimateText } from '@shared/session/records/estimate';
import { stripTagBlocks } from '@shared/session/records/own-marks';
import { arrive, openReference } from '../../actions/branches';
import { act, menuItems } from '../../actions/menus';
import { ActionButton } from '../../parts/action-button';
import { asSentence, formatCost, formatTokens, plural } from '../../state/format';
import { useApp, useLive } from '../../state/hooks';
import { Button, DropdownMenu, IconButton } from '../../ui';
import { CutMark, useTourMark } from '../tour/coach-mark';
import { useTranscript } from './context';
import cutStyles from './cut.module.css';
import { Files, Instructions, listOf, Marker, useModelName } from './marker';
import { fieldOf, numberField, shortName, textField } from './message-text';
import { formatDuration, useMoment } from './moment';
import styles from './transcript.module.css';

/** Where the cut line is taken hold of: dragged down, or pressed, it asks what the Compact sheet asks (TS8). */
function CutGrip({ isSeen }: { isSeen: boolean }) {
  const app = useApp();
  const { session, busy, dragCut } = useTranscript();
  if (busy) return null;
  return (
    <button
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
export function CutCard({ entry, row }: { entry: CompactionEntry; row: Row }) {
  const { session } = useTranscript();
  const repeated = useLive(session, (live) => live.repeated.length);
  const when = useMoment(row.time);
  const facts = factsOf(entry);
  const count = numberField(facts, 'entriesSummarized');
  const model = useModelName(textField(facts, 'model'));
  const before = numberField(entry, 'tokensBefore');
  const after = numberField(facts, 'tokensAfter');
  const read = listOf(entry.details, 'readFiles');
  const modified = listOf(entry.details, 'modifiedFiles');
  const cost = numberField(facts, 'cost');
  const isEdited = textField(facts, 'replaces') !== null && numberField(facts, 'calls') === 0;
  const tokens = useMemo(() => estimateText(entry.summary), [entry.summary]);
  return (
    <Marker
      tone="amber"
      title={`The model’s memory of everything above is this summary${repeated > 0 ? `, and ${plural(repeated, 'message')} word for word` : ''}`}
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
        !isEdited && cost !== null && formatCost(cost),
        when,
      ]}
      actions={<CutActions entryId={entry.id} />}
      summary={stripTagBlocks(entry.summary)}
      cacheKey={entry.id}
      grip={<CutEnd />}
    >
      <How facts={facts} isEdited={isEdited} />
      <Instructions text={textField(facts, 'instructions')} />
      <Files title="Changed" paths={modified} />
      <Files title="Read" paths={read} />
    </Marker>
  );
}

/** The grip at the line; in the tour it is seen at once, with the mark that says what it is for. */
function CutEnd() {
  const { busy } = useTranscript();
  const mark = useTourMark();
  return (
    <>
      <CutGrip isSeen={mark !== null} />
      {!busy && <CutMark />}
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

/** Where a compaction happened in time: a hairline that leads to the cut, or holds a summary from which a later one was made. */
export function CompactedHere({ entry, row }: { entry: CompactionEntry; row: Row }) {
  const app = useApp();
  const { session, latestCompactionId, busy } = useTranscript();
  const seenFrom = useLive(session, (live) => live.seenFrom);
  const facts = factsOf(entry);
  const count = numberField(facts, 'entriesSummarized');
  const why = UNASKED.get(textField(facts, 'reason') ?? '');
  const what = `Compacted ${count === null ? '' : `${plural(count, 'message')} `}here`;
  const when = useMoment(row.time);
  const title = [what, when && `at ${when}`, why && `(${why})`].filter(Boolean).join(' ');
  if (entry.id !== latestCompactionId)
    return (
      <Marker
        tone="earlier"
        title={title}
        facts={[]}
        actions={
          busy ? null : (
            <ActionButton id="compaction.undo" target={{ sessionId: session.id, id: entry.id }} size="small" />
          )
        }
        summary={stripTagBlocks(entry.summary)}
        cacheKey={entry.id}
      />
    );
  const toCut = (): void => {
    const isLoaded = session.view.getState().rows.some(({ id }) => id === seenFrom);
    if (isLoaded || seenFrom === null) arrive(app, session.id, entry.id);
    // What is above is on its way: then the first message that was kept.
    else void openReference(app, session.id, seenFrom);
  };
  return (
    <div className={styles.changes}>
      <span>
        {title} ·{' '}
        <Button tone="link" className={styles.toCut} onClick={toCut}>
          See the cut above
        </Button>
      </span>
    </div>
  );
}

const factsOf = (entry: CompactionEntry): unknown => fieldOf(entry.details, 'espalier');

/** A compaction that was taken back: where it stood, and the way to put it in force again. */
export function UndoneMarker({ entry }: { entry: CompactionEntry }) {
  const { session } = useTranscript();
  const count = numberField(fieldOf(entry.details, 'espalier'), 'entriesSummarized');
  return (
    <Marker
      tone="undone"
      title="Compaction undone"
      facts={[`The model sees ${count === null ? 'the messages' : plural(count, 'message')} above again.`]}
      actions={<ActionButton id="compaction.redo" target={{ sessionId: session.id, id: entry.id }} size="small" />}
      summary={stripTagBlocks(entry.summary)}
      cacheKey={entry.id}
    />
  );
}

/** While something runs the tree stays as it is (JB2). */
function CutActions({ entryId }: { entryId: string }) {
  const app = useApp();
  const { session, busy } = useTranscript();
  if (busy) return null;
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
