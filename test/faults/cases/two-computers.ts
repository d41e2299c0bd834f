import { zero, type Case } from '../../support/figures';
import { runSameHeader } from '../../support/same-header';
import { runHistory, type History } from '../../support/two-computers';

/** E1, E2: two computers share a folder through a program that copies files as it likes. */
const twoComputers: Case = {
  name: 'two-computers',
  issue: 11,
  timeoutMinutes: 60,
  async run({ isCi, log }) {
    const count = isCi ? 60 : 1000;
    const first = isCi ? 1 : 1 + (Date.now() % 1_000_000);
    const play = async (
      run: (seed: number) => Promise<History>,
    ): Promise<{ wrong: number; entries: number; conflicts: number; example: string }> => {
      const sum = { wrong: 0, entries: 0, conflicts: 0, example: '' };
      for (let seed = first; seed < first + count; seed++) {
        const history = await run(seed);
        sum.entries += history.entries;
        sum.conflicts += history.conflicts;
        if (history.problems.length === 0) continue;
        sum.wrong += 1;
        sum.example ||= `; first: seed ${seed}`;
        log([`seed ${seed}`, ...history.steps, ...history.problems].join('\n    '));
      }
      return sum;
    };
    const both = await play(runHistory);
    const same = await play(runSameHeader);
    const noteOf = ({ entries, conflicts, example }: typeof both): string =>
      `${count} random histories from seed ${first}, ${entries} entries saved, ${conflicts} sessions set apart${example}`;
    return [
      zero(
        'two computers: histories with an entry missing, a conflict untold or a session twice',
        both.wrong,
        'histories',
        noteOf(both),
      ),
      zero(
        'sessions with the same header: histories in which one changed that nobody touched, or an entry is missing',
        same.wrong,
        'histories',
        noteOf(same),
      ),
    ];
  },
};

export default twoComputers;
