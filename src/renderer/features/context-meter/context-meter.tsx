import { visibleString } from '@shared/policy/visible-text';
import type { ContextUsage } from '@shared/types';
import { act, verdictOn } from '../../actions/menus';
import { ActionButton } from '../../parts/action-button';
import { costInWords, formatTokens } from '../../state/format';
import { useApp, useCostUnknown, useLive, useSession, useSettings, useUi, useView } from '../../state/hooks';
import { findModel } from '../../state/settings-store';
import { Button, Glyph, Popover, Tooltip } from '../../ui';
import { AutoOff, AutoSwitch, TurnsAway } from './auto-compaction';
import { MeterBar, segmentsOf } from './meter-bar';
import styles from './meter.module.css';
import { Pins } from './pins';
import { ThresholdBar } from './threshold-bar';

/** Leads to where the window of the session's model is set (MT3): the form of its endpoint. Other providers tell it themselves. */
function SetWindow() {
  const app = useApp();
  const session = useSession();
  const ref = useLive(session, (live) => live.model);
  const found = findModel(
    useSettings((state) => state.providers),
    ref,
  );
  if (found?.provider.kind !== 'custom') return null;
  return (
    <span className={styles.set}>
      ·{' '}
      <button
        type="button"
        aria-label={`Set the context window of ${visibleString(found.model.name)}`}
        onClick={() => app.ui.setState({ settings: 'providers', windowToSet: ref })}
      >
        Set
      </button>
    </span>
  );
}

const WINDOW_UNKNOWN = 'window unknown';
const NOTHING_SENT = 'Nothing sent yet';

/** Used of the window, under the composer; opens to the breakdown (MT1, MT2, MT3). */
export function ContextMeter() {
  const app = useApp();
  const session = useSession();
  const usage = useLive(session, (live) => live.usage);
  const open = useUi((ui) => ui.meter);
  const setOpen = (meter: boolean): void => app.ui.setState({ meter });
  if (!usage) return <div className={styles.blank}>{NOTHING_SENT}</div>;
  const meter = (
    <Popover
      label="Context usage"
      open={open}
      onOpenChange={setOpen}
      side="top"
      align="end"
      className={styles.popover}
      trigger={
        <button type="button" className={styles.meter} aria-label={inWords(usage)}>
          <MeterBar usage={usage} />
          <span className={styles.figures}>
            <b>{figure(usage)}</b>
            {ofWindow(usage)}
          </span>
        </button>
      }
    >
      <Breakdown usage={usage} onClose={() => setOpen(false)} />
    </Popover>
  );
  return (
    <div className={styles.under}>
      {meter}
      {usage.window === 0 && <SetWindow />}
      <AutoOff usage={usage} />
    </div>
  );
}

function Breakdown({ usage, onClose }: { usage: ContextUsage; onClose: () => void }) {
  const app = useApp();
  const session = useSession();
  const isCompacting = useLive(session, (live) => live.job?.kind === 'compaction');
  const isCostUnknown = useCostUnknown(session);
  const jump = (id: string): void => {
    onClose();
    act(app, 'entry.show', { sessionId: session.id, id });
  };
  return (
    <div className={styles.breakdown}>
      <p className={styles.head}>
        <b>{figure(usage)}</b>
        <span>{aboutFigure(usage)}</span>
      </p>
      {usage.implausible !== null && (
        <p className={styles.doubt}>
          The provider reported {formatTokens(usage.implausible)} tokens, which is implausible for this context. The
          number shown is an estimate.
        </p>
      )}
      <ThresholdBar usage={usage} />
      <dl className={styles.legend}>
        {segmentsOf(usage).map((segment) => (
          <div key={segment.part}>
            <dt>
              <i style={{ background: segment.colour }} />
              {segment.label}
            </dt>
            <dd>{formatTokens(segment.tokens)}</dd>
            <dd className={styles.percent}>{Math.round(segment.percent)}%</dd>
          </div>
        ))}
      </dl>
      <Pins onClose={onClose} />
      <div className={styles.more}>
        {usage.largest.length > 0 && <h3>Largest</h3>}
        {usage.largest.map((item) => (
          <button key={item.entryId} type="button" className={styles.largest} onClick={() => jump(item.entryId)}>
            <span>{item.label}</span>
            <span>{formatTokens(item.tokens)}</span>
          </button>
        ))}
      </div>
      <div className={styles.more}>
        {usage.reserve > 0 && (
          <p>
            <span>Reserve for the answer</span>
            <span>{formatTokens(usage.reserve)}</span>
          </p>
        )}
        {usage.threshold !== null && usage.autoCompaction && (
          <p>
            <span>Compacts above {formatTokens(usage.threshold)}</span>
            <TurnsAway usage={usage} />
          </p>
        )}
        {usage.cachePercent !== null && (
          <p>
            <span>Last request</span>
            <span>{Math.round(usage.cachePercent)}% read from cache</span>
          </p>
        )}
        <p>
          <span>Session cost so far</span>
          <span>{costInWords(usage.cost, isCostUnknown)}</span>
        </p>
      </div>
      <div className={styles.more}>
        <AutoSwitch usage={usage} />
      </div>
      <div className={styles.more}>
        <ActionButton id="session.compactSheet" target={session} size="small" disabled={isCompacting}>
          {isCompacting ? 'Compacting' : 'Compact…'}
        </ActionButton>
      </div>
    </div>
  );
}

/** What stands for what is used; an empty context has no figure, which would be an estimate of nothing (MT1). */
export function figure({ tokens, exact }: Pick<ContextUsage, 'tokens' | 'exact'>): string {
  return tokens === 0 ? NOTHING_SENT : `${exact ? '' : '~'}${formatTokens(tokens)}`;
}

export function ofWindow({ tokens, window }: Pick<ContextUsage, 'tokens' | 'window'>): string {
  if (window <= 0) return ` · ${WINDOW_UNKNOWN}`;
  return tokens === 0 ? ` · window ${formatTokens(window)}` : ` / ${formatTokens(window)}`;
}

function aboutFigure(usage: ContextUsage): string {
  if (usage.tokens === 0) return usage.window > 0 ? `window ${formatTokens(usage.window)}` : WINDOW_UNKNOWN;
  const window = usage.window > 0 ? `of ${formatTokens(usage.window)}` : WINDOW_UNKNOWN;
  return `${window} · ${usage.exact ? 'reported by the provider' : 'estimated'}`;
}

/** The visible figures are part of the spoken name, so that who says what they see reaches it (WCAG 2.5.3). */
export function inWords(usage: ContextUsage): string {
  if (usage.tokens === 0) return `Context: ${figure(usage)}${ofWindow(usage)}. Show details.`;
  const unit = usage.window > 0 ? ' tokens' : '';
  return `Context: ${figure(usage)}${ofWindow(usage)}${unit}, ${usage.exact ? 'reported' : 'estimated'}. Show details.`;
}

/** Beside the meter: opens the sheet. Where it can't, it says why. */
export function CompactButton() {
  const app = useApp();
  const session = useSession();
  const reasonNow = (): string | null => {
    const verdict = verdictOn(app, 'session.compactSheet', session);
    return typeof verdict === 'object' ? verdict.text : null;
  };
  // A compaction begins in what main shows, the first message comes with the rows.
  useView(session, reasonNow);
  const reason = useLive(session, reasonNow);
  return (
    <Tooltip text={reason ?? 'Choose where to cut and compact'} side="top">
      <Button
        size="small"
        tone="outlineAmber"
        className={styles.compactButton}
        // Not `disabled`: the reason must be within reach of keyboard and pointer.
        aria-disabled={reason !== null || undefined}
        aria-label={reason === null ? 'Compact' : `Compact: ${reason}`}
        onClick={() => reason === null && act(app, 'session.compactSheet', session)}
      >
        <Glyph name="compaction" size={10} plain /> Compact
      </Button>
    </Tooltip>
  );
}
