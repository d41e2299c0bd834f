import { useMemo, useSyncExternalStore } from 'react';
import { own } from '@shared/checks';
import { visibleString } from '@shared/policy/visible-text';
import type { OpaqueEntry, SessionEntry } from '@shared/session/records/entry';
import { formatTokens, plural } from '../../state/format';
import { wordsOf } from '../../actions/reading';
import { ActionButton } from '../../parts/action-button';
import { useApp, useSessions, useSettings } from '../../state/hooks';
import { modelName } from '../../state/settings-store';
import { Button, Glyph } from '../../ui';
import { Drawn } from '../extensions/drawn';
import { SummaryText } from './assistant-row';
import { CopyButton } from '../markdown/environment';
import { useEntry, useTranscript } from './context';
import { Fold } from './fold';
import { lastChanges } from '../../state/group-rows';
import { fieldOf, numberField, shortName, textField } from './message-text';
import { RecordText } from './unknown-rows';
import styles from './transcript.module.css';
import type { Row } from '@shared/session-state/state';

/** One line for neighbouring changes of model and thinking: what they come to. */
export function ChangesRow({ rows: all }: { rows: readonly Row[] }) {
  const { session } = useTranscript();
  const rows = useMemo(() => lastChanges(all), [all]);
  // Drawn anew when one of them comes.
  useSyncExternalStore(session.view.subscribe, () => rows.filter((row) => session.entry(row.id)).length);
  const providers = useSettings((state) => state.providers);
  let model: string | null = null;
  let thinking: string | null = null;
  for (const row of rows) {
    const entry = session.entry(row.id);
    if (entry?.type === 'model_change')
      model = modelName(providers, textField(entry, 'provider') ?? '', textField(entry, 'modelId') ?? '');
    if (entry?.type === 'thinking_level_change') thinking = textField(entry, 'thinkingLevel');
  }
  const words = [model && `Model: ${shortName(model)}`, thinking && `thinking: ${shortName(thinking)}`]
    .filter(Boolean)
    .join(' · ');
  return <div className={styles.changes}>{words || '…'}</div>;
}

/** Tool outputs that the model no longer sees in full, or sees again. */
export function PruneRow({ entry }: { entry: SessionEntry }) {
  const { session, isRead, prunedIds } = useTranscript();
  const data = fieldOf(entry, 'data');
  const items = fieldOf(data, 'items');
  const list = Array.isArray(items) ? (items as unknown[]) : [];
  const isPrune = textField(data, 'action') === 'prune';
  const tokens = list.reduce<number>((sum, item) => sum + (numberField(item, 'tokens') ?? 0), 0);
  const isInForce = list.some((item) => prunedIds.has(textField(item, 'targetId') ?? ''));
  // What the person dropped after a refusal may be their own images (TG9).
  const isShort = list.some((item) => textField(item, 'mode') !== 'elide');
  const outputs = isShort
    ? `the images and long outputs of ${plural(list.length, 'message')}`
    : plural(list.length, 'tool output');
  const hidden = isShort
    ? `Hidden from the model: ${outputs}.`
    : `${outputs} hidden from the model, ${formatTokens(tokens)} tokens.`;
  return (
    <div className={styles.changes}>
      <Glyph name="compaction" size={9} />{' '}
      {isPrune ? `${hidden} All of it is still here.` : `The model sees ${outputs} again.`}
      {isPrune && isInForce && !isRead && (
        <>
          {' '}
          <ActionButton id="compaction.restore" target={{ sessionId: session.id, id: entry.id }} tone="link" />
        </>
      )}
    </div>
  );
}

/** On a path that is read: behind here it is another than HEAD's (GR12). */
export function SharedRow({ promptId }: { promptId: string | null }) {
  const { session, labels } = useTranscript();
  useEntry(promptId ?? undefined);
  const label = promptId === null ? undefined : own(labels, promptId);
  return (
    <div className={styles.shared} role="separator">
      <span>
        Shared with HEAD up to here: <bdi>{visibleString(wordsOf(session, promptId)) || '…'}</bdi>
        {label !== undefined && (
          <span className={styles.sharedLabel}>
            {' '}
            <Glyph name="label" size={10} label="Label" /> <bdi>{shortName(label)}</bdi>
          </span>
        )}
      </span>
    </div>
  );
}

/** A record that can't be used: what is wrong with it, that nothing of it is lost, and its text. */
export function OpaqueRow({ entry: { flaw, second, line } }: { entry: OpaqueEntry }) {
  const parts = flaw.split('`');
  return (
    <div className={styles.opaque} role="note">
      {second === undefined ? (
        <span>
          This entry can’t be read:{' '}
          {parts.map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}. It stays in the
          session file as it is. The model does not see it.
        </span>
      ) : (
        <span>
          A second record with the id <code>{shortName(second)}</code>, which says something else. It stays in the
          session file as it is. The model does not see it.
        </span>
      )}
      {line !== undefined && (
        <Fold label="Show its text" aside={<CopyButton text={line} label="Copy its text" />}>
          {() => <RecordText line={line} />}
        </Fold>
      )}
    </div>
  );
}

interface CustomRowProps {
  entry: SessionEntry;
  row: Row;
  kind: string;
  text: string;
}

/** Text that an extension or another program put into the session. */
export function CustomRow({ entry, row, kind, text }: CustomRowProps) {
  const { session } = useTranscript();
  const target = { sessionId: session.id, id: entry.id, isUnsent: row.tokens === 0 };
  return (
    <>
      <Fold className={styles.note} label={shortName(kind)}>
        {() => (
          <>
            <SummaryText text={text} cacheKey={entry.id} />
            <ActionButton id="entry.pin" target={target} size="small" />
          </>
        )}
      </Fold>
      <Drawn of="entry" name={kind} id={entry.id} />
    </>
  );
}

/** Where this session comes from: the one that was handed off to it. */
export function ReferenceRow({ entry }: { entry: SessionEntry }) {
  const app = useApp();
  const data = fieldOf(entry, 'data');
  const sessionId = textField(data, 'sessionId');
  const title = useSessions((state) => (sessionId === null ? undefined : own(state.byId, sessionId)?.title));
  const name = shortName(title ?? textField(data, 'title') ?? 'another session');
  return (
    <div className={styles.changes}>
      <span>
        Handed off from{' '}
        {sessionId !== null && title !== undefined ? (
          <Button tone="link" onClick={() => app.activate(sessionId)}>
            {name || 'New session'}
          </Button>
        ) : (
          `“${name}”, which is no longer here`
        )}
      </span>
    </div>
  );
}
