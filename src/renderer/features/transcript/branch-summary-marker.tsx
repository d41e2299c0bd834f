import type { BranchSummaryEntry } from '@shared/session/entry';
import { stripTagBlocks } from '@shared/session/own-marks';
import { formatCost, formatTokens, plural } from '../../state/format';
import { ActionButton } from '../../parts/action-button';
import { useTranscript } from './context';
import { formatDuration } from './duration';
import { Files, Instructions, listOf, Marker, useModelName } from './marker';
import { fieldOf, numberField, textField } from './message-text';
import styles from './transcript.module.css';

/** What `fromId` says where there was no branch to come from (TR10). */
const ROOT = 'root';

const NOT_ALL = 'Results of tools are not summarised, nor are older messages that did not fit the model.';

function Messages({ count, left }: { count: number; left: number }) {
  if (count >= left) return plural(count, 'message');
  return (
    <span title={NOT_ALL}>
      {count.toLocaleString('en')} of {plural(left, 'message')}
    </span>
  );
}

/** A summary that came from another branch: what it came to, and the way to the branch it tells of. `tokens`: its row knows them. */
export function BranchSummaryMarker({ entry, tokens }: { entry: BranchSummaryEntry; tokens: number }) {
  const { session } = useTranscript();
  const facts = fieldOf(entry.details, 'espalier');
  const model = useModelName(textField(facts, 'model'));
  const fromId = textField(entry, 'fromId');
  const count = numberField(facts, 'entriesSummarized');
  const cost = numberField(facts, 'cost');
  const duration = numberField(facts, 'durationMs');
  const instructions = textField(facts, 'instructions');
  const read = listOf(entry.details, 'readFiles');
  const modified = listOf(entry.details, 'modifiedFiles');
  const conflicts = listOf(facts, 'conflicts');
  const isBroughtOver = fieldOf(facts, 'broughtOver') === true;
  return (
    <Marker
      tone="violet"
      title={isBroughtOver ? 'Brought over from another branch' : 'From another branch'}
      facts={[
        count !== null && <Messages key="messages" count={count} left={numberField(facts, 'entriesLeft') ?? count} />,
        `${formatTokens(tokens)} tokens`,
        read.length + modified.length > 0 && plural(new Set([...read, ...modified]).size, 'file'),
        entry.fromHook === true ? 'by an extension' : model,
        cost !== null && formatCost(cost),
        duration !== null && formatDuration(duration),
        conflicts.length > 0 && (
          <b key="conflicts" className={styles.conflict}>
            both branches changed {plural(conflicts.length, 'file')}
          </b>
        ),
      ]}
      actions={
        <>
          <ActionButton
            id="entry.pin"
            target={{ sessionId: session.id, id: entry.id, isUnsent: tokens === 0 }}
            tone="link"
          />
          {fromId !== null && fromId !== ROOT && (
            <ActionButton id="entry.toBranch" target={{ sessionId: session.id, id: fromId }} tone="link" />
          )}
        </>
      }
      summary={stripTagBlocks(entry.summary)}
      cacheKey={entry.id}
    >
      <Instructions text={instructions} />
      <Files title="Changed on both branches" paths={conflicts} />
      <Files title="Changed" paths={modified} />
      <Files title="Read" paths={read} />
    </Marker>
  );
}
