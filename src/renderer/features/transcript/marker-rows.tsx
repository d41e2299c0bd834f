import type { ReactNode } from 'react';
import type { PathRow } from '@shared/ipc/types';
import type { BranchSummaryEntry, CompactionEntry, SessionEntry } from '@shared/session/entry';
import { stripTagBlocks } from '@shared/compaction/tag-blocks';
import { formatCost, formatTokens, plural } from '../../state/format';
import { useSettings } from '../../state/hooks';
import { modelName } from '../../state/settings-store';
import { Button, Glyph } from '../../ui';
import { SummaryText } from './assistant-row';
import { useTranscript } from './context';
import { formatDuration } from './duration';
import { Fold } from './fold';
import { fieldOf, numberField, textField } from './message-text';
import styles from './transcript.module.css';

/** One line for neighbouring changes of model and thinking: what they come to. */
export function ChangesRow({ rows }: { rows: readonly PathRow[] }) {
  const { getEntry } = useTranscript();
  const providers = useSettings((state) => state.providers);
  let model: string | null = null;
  let thinking: string | null = null;
  for (const row of rows) {
    const entry = getEntry(row.id);
    if (entry?.type === 'model_change')
      model = modelName(providers, textField(entry, 'provider') ?? '', textField(entry, 'modelId') ?? '');
    if (entry?.type === 'thinking_level_change') thinking = textField(entry, 'thinkingLevel');
  }
  const words = [model && `Model: ${model}`, thinking && `thinking: ${thinking}`].filter(Boolean).join(' · ');
  return <div className={styles.changes}>{words || '…'}</div>;
}

/** Where a compaction stands: a double rule, what it came to, the summary folded. */
export function CompactionMarker({ entry }: { entry: CompactionEntry }) {
  const { busy, onUndoCompaction } = useTranscript();
  const facts = fieldOf(entry.details, 'espalier');
  const count = numberField(facts, 'entriesSummarized');
  const after = numberField(facts, 'tokensAfter');
  const files = [...listOf(entry.details, 'readFiles'), ...listOf(entry.details, 'modifiedFiles')];
  const cost = numberField(facts, 'cost');
  const duration = numberField(facts, 'durationMs');
  return (
    <Marker
      tone="amber"
      title={
        <>
          <Glyph name="compaction" size={11} />{' '}
          {count === null
            ? 'Compacted'
            : `Compacted ${count.toLocaleString('en')} ${count === 1 ? 'message' : 'messages'}`}
        </>
      }
      facts={[
        <span key="tokens">
          <b>
            {formatTokens(entry.tokensBefore)}
            {after !== null && ` → ${formatTokens(after)}`}
          </b>{' '}
          tokens
        </span>,
        files.length > 0 && <span title={files.join('\n')}>{plural(new Set(files).size, 'file')}</span>,
        textField(facts, 'reason'),
        textField(facts, 'model'),
        cost !== null && formatCost(cost),
        duration !== null && formatDuration(duration),
      ]}
      actions={
        // While something runs the tree stays as it is (engine.md 10.1).
        !busy &&
        onUndoCompaction && (
          <Button size="small" onClick={() => onUndoCompaction(entry.id)}>
            Undo
          </Button>
        )
      }
      summary={stripTagBlocks(entry.summary)}
      cacheKey={entry.id}
    />
  );
}

/** A summary that came from another branch. */
export function BranchSummaryMarker({ entry }: { entry: BranchSummaryEntry }) {
  return (
    <Marker
      tone="violet"
      title={
        <>
          <Glyph name="branchSummary" size={11} /> Summary of another branch
        </>
      }
      facts={[textField(fieldOf(entry.details, 'espalier'), 'model')]}
      summary={entry.summary}
      cacheKey={entry.id}
    />
  );
}

interface MarkerProps {
  tone: 'amber' | 'violet';
  title: ReactNode;
  facts: readonly ReactNode[];
  summary: string;
  cacheKey: string;
  actions?: ReactNode;
}

function Marker({ tone, title, facts, summary, cacheKey, actions }: MarkerProps) {
  return (
    <div className={styles.marker} data-tone={tone}>
      <div className={styles.rule}>{title}</div>
      <Fold
        className={styles.markerFold}
        label="Summary"
        aside={
          <>
            {facts.filter(Boolean).map((fact, index) => (
              <span key={index}>{fact}</span>
            ))}
            {actions}
          </>
        }
      >
        {() => <SummaryText text={summary} cacheKey={cacheKey} />}
      </Fold>
    </div>
  );
}

function listOf(details: unknown, key: string): string[] {
  const list = fieldOf(details, key);
  return Array.isArray(list) ? list.filter((item): item is string => typeof item === 'string') : [];
}

/** Text that an extension or another program put into the session. */
export function CustomRow({ entry, kind, text }: { entry: SessionEntry; kind: string; text: string }) {
  return (
    <Fold className={styles.note} label={kind}>
      {() => <SummaryText text={text} cacheKey={entry.id} />}
    </Fold>
  );
}
