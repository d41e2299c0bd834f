import { coveredRows, type Row, type RowKind } from '@shared/session-state/state';
import type { ContextUsage } from '@shared/types';
import { plural } from '../../state/format';
import { useApp, useLive, useSession, useSettings, useView } from '../../state/hooks';
import { FORCED_OFF } from '../../state/settings-store';
import { Field, Switch } from '../../ui';
import styles from './meter.module.css';

/** Says beside the bar that nothing compacts by itself, and turns it on with one click. */
export function AutoOff({ usage }: { usage: ContextUsage }) {
  const setEnabled = useSetEnabled();
  const isForced = useSettings((state) => state.autoCompactionForcedOff);
  if (usage.autoCompaction) return null;
  if (isForced) {
    return (
      <span className={styles.off} title={FORCED_OFF}>
        Automatic compaction off (ESPALIER_DISABLE_AUTOCOMPACT)
      </span>
    );
  }
  return (
    <button type="button" className={styles.off} onClick={() => setEnabled(true)}>
      Automatic compaction off. <u>Turn on</u>
    </button>
  );
}

/** `compaction.enabled`, where one looks at what it is about. */
export function AutoSwitch({ usage }: { usage: ContextUsage }) {
  const setEnabled = useSetEnabled();
  const isForced = useSettings((state) => state.autoCompactionForcedOff);
  return (
    <Field row label="Automatic compaction" hint={isForced ? FORCED_OFF : undefined}>
      {(control) => <Switch {...control} checked={usage.autoCompaction} disabled={isForced} onChange={setEnabled} />}
    </Field>
  );
}

function useSetEnabled(): (value: boolean) => void {
  const app = useApp();
  return (value) => void app.ask('settings.set', { key: 'compaction.enabled', value });
}

/** Finished turns that an estimate needs, and those that it looks at. */
const MIN_TURNS = 3;
const MAX_TURNS = 6;
/** Further away nobody can tell. */
const MAX_AWAY = 200;

/**
 * How many turns like the last ones still fit before the session compacts by itself; null where that can't be told: too few
 * turns, no threshold, too far away. Only turns that another one follows count, so that one under way does not look small.
 */
export function turnsAway(
  rows: readonly Row[],
  { threshold, tokens, breakdown }: ContextUsage,
  seenFrom: string | null = null,
): number | null {
  if (threshold === null || tokens >= threshold) return null;
  const starts = rows.flatMap((row, at) => (row.kind === 'user' ? [at] : []));
  const turns = starts.slice(0, -1).slice(-MAX_TURNS);
  if (turns.length < MIN_TURNS) return null;
  const raw = sum(rows.slice(turns[0], starts.at(-1)));
  const seen = rows.slice(coveredRows(rows, seenFrom));
  const growth = (raw * ratioOf(seen, breakdown)) / turns.length;
  if (growth <= 0) return null;
  const away = Math.floor((threshold - tokens) / growth);
  return away > MAX_AWAY ? null : away;
}

/** Rows carry plain estimates; what the model counts shows in how its figures stand to those of the rows it sees. */
function ratioOf(rows: readonly Row[], breakdown: ContextUsage['breakdown']): number {
  const seen = sum(rows);
  const counted = breakdown.messages + breakdown.toolOutputs + breakdown.images + breakdown.thinking;
  return seen > 0 ? Math.min(2, Math.max(0.5, counted / seen)) : 1;
}

/** These stand for turns and are none. */
const SUMMARIES = new Set<RowKind>(['compaction', 'branchSummary']);

function sum(rows: readonly Row[]): number {
  return rows.reduce((total, { kind, tokens }) => (SUMMARIES.has(kind) ? total : total + tokens), 0);
}

/** How far off the next automatic compaction is, where that can be told. */
export function TurnsAway({ usage }: { usage: ContextUsage }) {
  const session = useSession();
  const rows = useView(session, (view) => view.rows);
  const seenFrom = useLive(session, (live) => live.seenFrom);
  const away = turnsAway(rows, usage, seenFrom);
  if (away === null) return null;
  return <span>{away === 0 ? 'within the next turn' : `about ${plural(away, 'turn')} away`}</span>;
}
