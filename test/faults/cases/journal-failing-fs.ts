import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeFs } from '../../../src/main/journal/file/fs';
import type { Case, FigureInput } from '../../support/figures';
import { afterManyTurns, FAULT_KINDS, moveWithFault, SHARES, writeWithFault } from '../../support/journal-faults';
import type { FaultOutcome, Place } from '../../support/journal-faults';
import { MemoryFs } from '../../support/memory-fs';

/** R4: an operation that takes longer hangs. */
const SETTLES_MS = 3_000;

async function afterThreeSeconds(hasSettled: () => boolean): Promise<void> {
  const end = performance.now() + SETTLES_MS;
  while (!hasSettled() && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 20));
}

interface Totals {
  runs: number;
  acknowledged: number;
  lost: number;
  duplicated: number;
  hung: number;
  unexplained: Set<string>;
  notShownAsFull: number;
}

function add(totals: Totals, outcome: FaultOutcome): void {
  totals.runs++;
  totals.acknowledged += outcome.acknowledged;
  totals.lost += outcome.lost;
  totals.duplicated += outcome.duplicated;
  totals.hung += outcome.hung;
  totals.notShownAsFull += outcome.notShownAsFull.length;
  for (const message of outcome.unexplained) totals.unexplained.add(message);
}

/** Every call of both scenarios fails in every way. */
async function failEverywhere(
  withPlace: (work: (place: Place) => Promise<FaultOutcome>) => Promise<FaultOutcome>,
  step: number,
): Promise<FigureInput[]> {
  const totals: Totals = {
    ...{ runs: 0, acknowledged: 0, lost: 0, duplicated: 0, hung: 0, notShownAsFull: 0 },
    unexplained: new Set(),
  };
  const writes = (await withPlace((place) => writeWithFault(place, null))).calls;
  const moves = (await withPlace((place) => moveWithFault(place, null))).calls;
  for (const fault of FAULT_KINDS) {
    for (let at = 1; at <= writes; at += step) {
      for (const share of SHARES)
        add(totals, await withPlace((place) => writeWithFault(place, { at, ...fault }, share)));
    }
    for (let at = 1; at <= moves; at += step)
      add(totals, await withPlace((place) => moveWithFault(place, { at, ...fault })));
  }
  const note = `${totals.runs} runs over ${writes} + ${moves} calls, ${totals.acknowledged} acknowledged entries`;
  const zero = { op: '=', bound: 0, on: 'value' } as const;
  const explained = [note, ...totals.unexplained].join('; ');
  return [
    { name: 'acknowledged entries lost', value: totals.lost, unit: 'entries', note, target: zero },
    { name: 'entries twice', value: totals.duplicated, unit: 'entries', note, target: zero },
    { name: 'operations not settled', value: totals.hung, unit: 'operations', note, target: zero },
    { name: 'failures not explained', value: totals.unexplained.size, unit: 'messages', note: explained, target: zero },
    { name: 'full disk not told as such', value: totals.notShownAsFull, unit: 'saves', note, target: zero },
  ];
}

const named = (prefix: string, figures: FigureInput[]): FigureInput[] =>
  figures.map((figure) => ({ ...figure, name: `R4 ${prefix}: ${figure.name}` }));

const inMemory: Case = {
  name: 'R4 file system failing at every call',
  issue: 2,
  async run({ isCi }) {
    const place = (): Place => ({ fs: new MemoryFs(), home: '/home', late: afterManyTurns });
    return named('failing fs', await failEverywhere((work) => work(place()), isCi ? 5 : 1));
  },
};

const onDisk: Case = {
  name: 'R4 disk failing at every call',
  issue: 2,
  async run({ scratch }) {
    const onFreshFolder = async (work: (place: Place) => Promise<FaultOutcome>): Promise<FaultOutcome> => {
      const home = await mkdtemp(join(scratch, 'home-'));
      try {
        return await work({ fs: nodeFs, home, late: afterThreeSeconds });
      } finally {
        await rm(home, { recursive: true, force: true });
      }
    };
    return named('failing disk', await failEverywhere(onFreshFolder, 1));
  },
};

export default [inMemory, onDisk];
