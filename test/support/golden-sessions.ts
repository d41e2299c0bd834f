import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIRST_QUESTION, generatedSession } from './generated-session';
import type { GoldenFigures } from './golden-figures';

/** A session whose figures are known: they were counted by `golden-figures.ts`, which shares no code with the app, and are kept. */
export interface GoldenSession {
  name: string;
  lines: string[];
  /** Written before sessions were trees: reading it gives every entry an id and a parent. */
  isOld: boolean;
  figures: GoldenFigures;
  firstWords: string;
}

/**
 * Sessions that every test of figures runs over: one that is generated, as two versions of the format write it. A folder named by
 * `ESPALIER_SHARED_DATA` adds the real session in it, `large-session.jsonl` (GV2).
 */
export function goldenSessions(): GoldenSession[] {
  const generated = { firstWords: FIRST_QUESTION, figures: GENERATED };
  const sessions = [
    { ...generated, name: 'generated, version 1', lines: generatedSession(1), isOld: true },
    {
      ...generated,
      name: 'generated, version 3',
      lines: generatedSession(3),
      isOld: false,
      figures: { ...GENERATED, bytes: 928_251 },
    },
  ];
  const folder = process.env.ESPALIER_SHARED_DATA;
  if (!folder) return sessions;
  const lines = readFileSync(join(folder, 'large-session.jsonl'), 'utf8').split('\n');
  const firstWords = 'we still need to port over user-message-selector.ts';
  return [...sessions, { name: 'real', lines, isOld: true, figures: REAL, firstWords }];
}

/** The sessions that a person would import. */
export function oldSessions(): GoldenSession[] {
  return goldenSessions().filter(({ isOld }) => isOld);
}

/** Writes a session into a folder as a file of its own. Returns its path. */
export function writeSession(folder: string, { name, lines }: GoldenSession): string {
  const path = join(folder, `${name.replace(/\W+/g, '-')}.jsonl`);
  writeFileSync(path, lines.join('\n'));
  return path;
}

const GENERATED: GoldenFigures = {
  bytes: 888_990,
  entries: 1035,
  kinds: { user: 99, assistant: 456, model_change: 1, toolResult: 399, thinking_level_change: 80 },
  stopReasons: { aborted: 18, toolUse: 357, stop: 80, error: 1 },
  calls: 417,
  unanswered: 18,
  messages: 954,
  thinkingLevel: 'low',
  raw: 132_215,
  reported: 169_109,
  prompt: 168_957,
  cutPoints: 555,
  cuts: [
    [1, 1034, 1021],
    [1000, 1031, 1021],
    [5000, 997, 986],
    [20_000, 868, 856],
    [50_000, 639, 638],
    [100_000, 238, 227],
  ],
  plan: {
    firstKept: 868,
    turnStart: 856,
    summarised: 788,
    prefix: 12,
    kept: 154,
    read: 7,
    modified: 34,
    lengths: [322_540, 5788, 322_906],
  },
  calibrated: {
    firstKept: 894,
    turnStart: 891,
    summarised: 822,
    prefix: 3,
    kept: 129,
    read: 8,
    modified: 34,
    lengths: [337_391, 1106, 337_757],
  },
  prune: [57, 21_507],
  branch: [
    [183_616, 553, 54_999],
    [20_000, 210, 19_908],
  ],
};

/** The real session was counted by hand before there was any code; lengths and files when the law of the text changed. */
const REAL: GoldenFigures = {
  bytes: 974_031,
  entries: 1018,
  kinds: { user: 88, assistant: 453, model_change: 1, toolResult: 373, thinking_level_change: 103 },
  stopReasons: { aborted: 21, toolUse: 366, stop: 65, error: 1 },
  calls: 391,
  unanswered: 18,
  messages: 914,
  thinkingLevel: 'off',
  raw: 124_661,
  reported: 177_657,
  prompt: 177_604,
  cutPoints: 541,
  cuts: [
    [1, 1017, 986],
    [1000, 1011, 986],
    [5000, 983, 978],
    [20_000, 837, 834],
    [50_000, 394, 387],
    [100_000, 27, 24],
  ],
  plan: {
    firstKept: 837,
    turnStart: 834,
    summarised: 730,
    prefix: 3,
    kept: 181,
    read: 7,
    modified: 20,
    lengths: [210_009, 2717, 210_171],
  },
  calibrated: {
    firstKept: 899,
    turnStart: 896,
    summarised: 792,
    prefix: 3,
    kept: 119,
    read: 6,
    modified: 21,
    lengths: [224_123, 1235, 224_285],
  },
  prune: null,
  branch: [
    [183_616, 527, 60_048],
    [20_000, 205, 19_921],
  ],
};
