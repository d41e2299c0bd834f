import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react';
import { setsThreshold } from '@shared/compaction/limits';
import type { ContextOverride, SettingKey, Settings } from '@shared/settings';
import type { ContextUsage } from '@shared/types';
import { formatTokens } from '../../state/format';
import { useApp, useLive, useSession, useSettings } from '../../state/hooks';
import { MeterBar, thresholdPercent } from './meter-bar';
import styles from './meter.module.css';

type ThresholdSettings = Pick<Settings, 'compaction.thresholdTokens' | 'compaction.modelOverrides'>;

const MIN = 1;
const MAX = 99;

/** A whole percent within the bounds of `compaction.thresholdPercent`. */
export function snapPercent(percent: number): number {
  return Math.min(MAX, Math.max(MIN, Math.round(percent)));
}

/** True if the model's own limits decide where it compacts, not the general ones. */
export function isOverridden(settings: ThresholdSettings, model: string): boolean {
  return setsThreshold(settings['compaction.modelOverrides'][model] ?? {});
}

/**
 * What to set so that a model compacts at that share of its window: on the level that decides for it, and without a number of
 * tokens there, which would go before the share.
 * @param model `provider/id`
 */
export function thresholdChanges(
  settings: ThresholdSettings,
  model: string,
  percent: number,
): { key: SettingKey; value: unknown }[] {
  const overrides = settings['compaction.modelOverrides'];
  if (isOverridden(settings, model)) {
    const { thresholdTokens: _gone, ...rest } = overrides[model] ?? {};
    const own: ContextOverride = { ...rest, thresholdPercent: percent };
    return [{ key: 'compaction.modelOverrides', value: { ...overrides, [model]: own } }];
  }
  const share = { key: 'compaction.thresholdPercent', value: percent } as const;
  const hasTokens = settings['compaction.thresholdTokens'] !== null;
  return hasTokens ? [share, { key: 'compaction.thresholdTokens', value: null }] : [share];
}

/** Where a key moves the line, or null if it is none of the slider's. */
export function percentAfterKey(key: string, percent: number): number | null {
  const steps: Record<string, number> = {
    ArrowLeft: percent - 1,
    ArrowDown: percent - 1,
    ArrowRight: percent + 1,
    ArrowUp: percent + 1,
    PageDown: percent - 10,
    PageUp: percent + 10,
    Home: MIN,
    End: MAX,
  };
  return Object.hasOwn(steps, key) ? snapPercent(steps[key] ?? percent) : null;
}

/** The bar with the line at which the session compacts by itself: dragged, or moved by keys, it changes the setting. */
export function ThresholdBar({ usage }: { usage: ContextUsage }) {
  const session = useSession();
  const app = useApp();
  const bar = useRef<HTMLDivElement>(null);
  const isDragging = useRef(false);
  const model = useLive(session, (live) => (live.model ? `${live.model.provider}/${live.model.modelId}` : ''));
  const isOwn = useSettings((state) => isOverridden(state.settings, model));
  // Where the line was put, until the figures of main follow.
  const [moved, setMoved] = useState<number | null>(null);
  // What the figures may still say meanwhile: keys come faster than they do, and the next step counts from the last one.
  const passed = useRef(new Set<number>());
  const inForce = thresholdPercent(usage);
  useEffect(() => {
    if (isDragging.current) return;
    if (inForce !== null && passed.current.has(snapPercent(inForce))) return;
    passed.current.clear();
    setMoved(null);
  }, [usage, inForce]);
  if (inForce === null) return <MeterBar usage={usage} />;
  const percent = moved ?? snapPercent(inForce);

  function put(next: number): void {
    if (inForce !== null) passed.current.add(snapPercent(inForce));
    if (moved !== null) passed.current.add(moved);
    passed.current.delete(next);
    setMoved(next);
    const changes = thresholdChanges(app.settings.getState().settings, model, next);
    void app.attempt(async () => {
      try {
        for (const change of changes) await app.client.request('settings.set', change);
      } catch (error) {
        passed.current.clear();
        setMoved(null);
        throw error;
      }
    });
  }

  function at({ clientX }: PointerEvent): number {
    const { left = 0, width = 1 } = bar.current?.getBoundingClientRect() ?? {};
    return snapPercent(((clientX - left) / Math.max(1, width)) * 100);
  }

  function onKeyDown(event: KeyboardEvent): void {
    const next = percentAfterKey(event.key, percent);
    if (next === null) return;
    event.preventDefault();
    if (next !== percent) put(next);
  }

  const shown = moved ?? inForce;
  const words = `Compacts at ${percent}%${isOwn ? ', limit for this model' : ''}`;
  return (
    <div className={styles.threshold}>
      <div className={styles.thresholdBar} ref={bar}>
        <MeterBar usage={{ ...usage, threshold: (shown / 100) * usage.window }} />
        <div
          role="slider"
          tabIndex={0}
          className={styles.handle}
          style={{ left: `${shown}%` }}
          aria-label="Compaction threshold"
          aria-orientation="horizontal"
          aria-valuemin={1}
          aria-valuemax={99}
          aria-valuenow={percent}
          aria-valuetext={`${words}, ${formatTokens((percent / 100) * usage.window)} tokens`}
          onKeyDown={onKeyDown}
          onPointerDown={(event) => {
            if (event.button !== 0) return;
            event.currentTarget.setPointerCapture(event.pointerId);
            isDragging.current = true;
          }}
          onPointerMove={(event) => {
            if (isDragging.current) setMoved(at(event));
          }}
          onPointerUp={(event) => {
            if (!isDragging.current) return;
            isDragging.current = false;
            // A click that moves nothing changes nothing.
            if (moved !== null) put(at(event));
          }}
          onPointerCancel={() => {
            isDragging.current = false;
            setMoved(null);
          }}
        />
      </div>
      <div className={styles.tick} aria-hidden>
        <span style={{ left: `${shown}%`, translate: `-${shown}%` }}>{words}</span>
      </div>
    </div>
  );
}
