import { Ellipsis } from 'lucide-react';
import type { CompactionEntry } from '@shared/session/entry';
import { stripTagBlocks } from '@shared/compaction/tag-blocks';
import { formatCost, formatTokens, plural } from '../../state/format';
import { menuItems } from '../../actions/menus';
import { ActionButton } from '../../parts/action-button';
import { useApp } from '../../state/hooks';
import { DropdownMenu, IconButton } from '../../ui';
import { useTranscript } from './context';
import { formatDuration } from './duration';
import { Files, Instructions, listOf, Marker, useModelName } from './marker';
import { fieldOf, numberField, shortName, textField } from './message-text';
import styles from './transcript.module.css';

/** Where a compaction stands: a double rule, what it came to, the summary folded, what can be done about it. */
export function CompactionMarker({ entry }: { entry: CompactionEntry }) {
  const facts = fieldOf(entry.details, 'espalier');
  const count = numberField(facts, 'entriesSummarized');
  const model = useModelName(textField(facts, 'model'));
  const before = numberField(entry, 'tokensBefore');
  const after = numberField(facts, 'tokensAfter');
  const read = listOf(entry.details, 'readFiles');
  const modified = listOf(entry.details, 'modifiedFiles');
  const cost = numberField(facts, 'cost');
  const duration = numberField(facts, 'durationMs');
  const instructions = textField(facts, 'instructions');
  const isEdited = textField(facts, 'replaces') !== null && numberField(facts, 'calls') === 0;
  return (
    <Marker
      tone="amber"
      title={count === null ? 'Compacted' : `Compacted ${plural(count, 'message')}`}
      facts={[
        before !== null && (
          <span key="tokens">
            <b>
              {formatTokens(before)}
              {after !== null && ` → ${formatTokens(after)}`}
            </b>{' '}
            tokens
          </span>
        ),
        read.length + modified.length > 0 && plural(new Set([...read, ...modified]).size, 'file'),
        reasonInWords(textField(facts, 'reason')),
        isEdited ? 'edited' : entry.fromHook === true ? 'by an extension' : model,
        !isEdited && cost !== null && formatCost(cost),
        !isEdited && duration !== null && formatDuration(duration),
      ]}
      actions={<Actions entryId={entry.id} />}
      summary={stripTagBlocks(entry.summary)}
      cacheKey={entry.id}
    >
      <Instructions text={instructions} />
      <Files title="Changed" paths={modified} />
      <Files title="Read" paths={read} />
    </Marker>
  );
}

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
function Actions({ entryId }: { entryId: string }) {
  const app = useApp();
  const { session, busy, latestCompactionId } = useTranscript();
  if (busy) return null;
  const isLatest = entryId === latestCompactionId;
  const target = { sessionId: session.id, id: entryId };
  return (
    <span className={styles.markerActions}>
      <ActionButton id="compaction.undo" target={target} size="small" />
      {/* Later summaries were made from the text of earlier ones. */}
      {isLatest && (
        <DropdownMenu
          align="end"
          trigger={
            <IconButton label="More about this compaction" size="small">
              <Ellipsis size={14} />
            </IconButton>
          }
          items={menuItems(app, 'compaction', target)}
        />
      )}
    </span>
  );
}

const REASONS = new Map([
  ['manual', 'asked for'],
  ['threshold', 'window nearly full'],
  ['overflow', 'refused as too long'],
]);

function reasonInWords(reason: string | null): string | null {
  return reason === null ? null : (REASONS.get(reason) ?? shortName(reason));
}
