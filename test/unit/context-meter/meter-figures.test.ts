import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { turnsAway } from '../../../src/renderer/features/context-meter/auto-compaction';
import { figure, inWords, ofWindow } from '../../../src/renderer/features/context-meter/context-meter';
import { MeterBar, segmentsOf, thresholdPercent } from '../../../src/renderer/features/context-meter/meter-bar';
import { SessionContext } from '../../../src/main/agent/session-context';
import type { ContextUsage } from '../../../src/shared/types';
import { defaultSettings } from '../../../src/shared/settings';
import { MemoryLog } from '../../support/memory-log';
import type { Row, RowKind } from '../../../src/shared/session-state/state';

const NONE = {
  system: 0,
  skills: 0,
  tools: 0,
  summary: 0,
  pins: 0,
  messages: 0,
  toolOutputs: 0,
  images: 0,
  thinking: 0,
};
const usage = (patch: Partial<ContextUsage>): ContextUsage => ({
  tokens: 0,
  window: 1000,
  percent: null,
  threshold: 800,
  reserve: 100,
  exact: true,
  implausible: null,
  breakdown: NONE,
  largest: [],
  cachePercent: null,
  cost: 0,
  autoCompaction: true,
  ...patch,
});
let seq = 0;
const row = (kind: RowKind, tokens: number): Row => {
  seq += 1;
  return { id: String(seq), parentId: null, seq, kind, time: 0, tokens };
};
const turns = (...sizes: number[]): Row[] =>
  sizes.flatMap((size) => [row('user', size / 2), row('assistant', size / 2)]);

describe('the figure', () => {
  it('MT1: an empty context has none: an estimate of nothing says nothing', () => {
    const empty = usage({ exact: false, window: 64_000 });
    expect(figure(empty) + ofWindow(empty)).toBe('Nothing sent yet · window 64k');
    expect(inWords(empty)).toBe('Context: Nothing sent yet · window 64k. Show details.');
    expect(figure(empty) + ofWindow({ ...empty, window: 0 })).toBe('Nothing sent yet · window unknown');
    const some = usage({ exact: false, tokens: 1200, window: 64_000 });
    expect(figure(some) + ofWindow(some)).toBe('~1.2k / 64k');
    expect(inWords(some)).toBe('Context: ~1.2k / 64k tokens, estimated. Show details.');
  });
});

describe('the line of the bar', () => {
  it('MT1: stands where it compacts; nowhere if it never does or the window is unknown', () => {
    expect(thresholdPercent(usage({}))).toBe(80);
    expect(thresholdPercent(usage({ autoCompaction: false }))).toBeNull();
    expect(thresholdPercent(usage({ threshold: null }))).toBeNull();
    expect(thresholdPercent(usage({ window: 0 }))).toBeNull();
  });
});

describe('a bar of a window that nobody knows (MT3)', () => {
  const unknown = usage({ window: 0, tokens: 90, breakdown: { ...NONE, system: 30, skills: 0, messages: 60 } });
  const bar = (shown: ContextUsage): string => renderToStaticMarkup(createElement(MeterBar, { usage: shown }));

  it('MT3: fills nothing of its track, and keeps the shares of what is used', () => {
    expect(segmentsOf(unknown).map(({ width }) => width)).toEqual([0, 0]);
    expect(bar(unknown)).not.toContain('segment');
    expect(bar({ ...unknown, window: 1000 })).toContain('segment');
    expect(segmentsOf(unknown).map(({ percent }) => Math.round(percent))).toEqual([33, 67]);
  });

  it('MT3: has no right end, no line and no reserve', () => {
    expect(bar(unknown)).toContain('endless');
    expect(bar({ ...unknown, window: 1000 })).not.toContain('endless');
    expect(bar(unknown)).not.toMatch(/class="[^"]*(?:line|reserve)[^l]/);
    expect(bar({ ...unknown, window: 1000 })).toMatch(/class="[^"]*reserve[^"]*".*class="[^"]*line/);
  });
});

describe('turns until the line', () => {
  it('MT1: by the growth of the last finished turns, the newest left out', () => {
    expect(turnsAway(turns(10, 20, 30, 4), usage({ tokens: 200 }))).toBe(Math.floor(600 / 20) / 0.5);
    const counted = usage({ tokens: 200, breakdown: { ...NONE, messages: 64 } });
    expect(turnsAway(turns(10, 20, 30, 4), counted)).toBe(30);
  });

  it('MT1: calibrated by what the model counts of the rows it sees', () => {
    const rows = [row('user', 5000), ...turns(20, 20, 20), row('compaction', 900), ...turns(20, 20, 20, 20)];
    expect(turnsAway(rows, usage({ tokens: 200, breakdown: { ...NONE, messages: 210 } }), rows[1]!.id)).toBe(20);
  });

  it.each<[string, Row[], Partial<ContextUsage>]>([
    ['too few turns', turns(10, 20, 30), {}],
    ['no threshold', turns(10, 20, 30, 4), { threshold: null }],
    ['above it already', turns(10, 20, 30, 4), { tokens: 800 }],
    ['nothing grows', turns(0, 0, 0, 0), {}],
    ['too far away', turns(1, 1, 1, 1), { threshold: 100_000 }],
  ])('MT1: says nothing: %s', (_name, rows, patch) => {
    expect(turnsAway(rows, usage(patch))).toBeNull();
  });
});

describe('what main tells the meter', () => {
  const MODEL = { provider: 'p', modelId: 'm' };
  async function usageAfter(reported: Record<string, number>): Promise<ContextUsage> {
    const log = new MemoryLog();
    await log.append([
      { type: 'message', message: { role: 'user', content: 'Hi', timestamp: 1 } },
      {
        type: 'message',
        message: {
          role: 'assistant',
          content: [{ type: 'text', text: 'Hello' }],
          api: 'openai-completions',
          provider: 'p',
          model: 'm',
          stopReason: 'stop',
          usage: { cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 }, ...reported },
          timestamp: 2,
        },
      },
    ] as never);
    return new SessionContext(log).usage(MODEL, 1000, defaultSettings());
  }

  it.each([
    ['most of it read', { input: 13, cacheRead: 87, cacheWrite: 0, output: 5, totalTokens: 105 }, 87],
    ['all of it written', { input: 0, cacheRead: 0, cacheWrite: 100, output: 5, totalTokens: 105 }, 0],
    ['no word of a cache', { input: 100, cacheRead: 0, cacheWrite: 0, output: 5, totalTokens: 105 }, null],
    ['no usage', { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, totalTokens: 0 }, null],
  ])('MT2: share of the cache: %s', async (_name, reported, expected) => {
    expect((await usageAfter(reported)).cachePercent).toBe(expected);
  });
});
