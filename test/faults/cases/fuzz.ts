import type { Case } from '../../support/figures';
import { fuzzSeed } from '../../unit/shared/session/fuzz-checks';

/** Seeds of the short form (the unit suite has 1,000) and of the whole one. */
const SHORT_SEEDS = 200;
const ALL_SEEDS = 100_000;
const SHOWN = 5;

const fuzz: Case = {
  name: 'R9 seeded fuzz of tree, context, file and what is sent',
  issue: 2,
  timeoutMinutes: 60,
  run: async ({ isCi, log }) => {
    const seeds = Number(process.env.ESPALIER_FUZZ_SEEDS ?? (isCi ? SHORT_SEEDS : ALL_SEEDS));
    const failures: string[] = [];
    for (let seed = 1; seed <= seeds; seed++) {
      const failure = fuzzSeed(seed);
      if (failure === null) continue;
      failures.push(failure);
      if (failures.length <= SHOWN) log(failure);
    }
    return [
      {
        name: 'R9 mismatches of incremental and from scratch',
        value: failures.length,
        unit: 'seeds',
        note: `${seeds} seeds; ${failures[0]?.split('\n')[0] ?? 'no difference'}`,
        target: { on: 'value', op: '=', bound: 0 },
      },
    ];
  },
};
export default fuzz;
