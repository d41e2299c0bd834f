import { zero, type Case } from '../../support/figures';
import { runHistory } from '../../support/two-computers';

/** E1, E2: two computers share a folder through a program that copies files as it likes. */
const twoComputers: Case = {
  name: 'two-computers',
  issue: 11,
  ci: true,
  timeoutMinutes: 60,
  async run({ isCi, log }) {
    const count = isCi ? 60 : 1000;
    const first = isCi ? 1 : 1 + (Date.now() % 1_000_000);
    let [entries, conflicts, wrong] = [0, 0, 0];
    let example = '';
    for (let seed = first; seed < first + count; seed++) {
      const history = await runHistory(seed);
      entries += history.entries;
      conflicts += history.conflicts;
      if (history.problems.length === 0) continue;
      wrong += 1;
      example ||= `; first: seed ${seed}`;
      log([`seed ${seed}`, ...history.steps, ...history.problems].join('\n    '));
    }
    const note = `${count} random histories from seed ${first}, ${entries} entries saved, ${conflicts} sessions set apart${example}`;
    return [
      zero(
        'two computers: histories with an entry missing, a conflict untold or a session twice',
        wrong,
        'histories',
        note,
      ),
    ];
  },
};

export default twoComputers;
