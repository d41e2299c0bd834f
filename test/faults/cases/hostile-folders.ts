import { realpathSync } from 'node:fs';
import type { Case } from '../../support/figures';
import { canaryWorks, HOSTILE_FOLDERS, visitHostileFolders } from '../../support/hostile-folders';

const ROUNDS = 5;

/** Folders made to run a program or to give something away, through the real session host (docs/specs/safety.md B1 to B3). */
const hostileFolders: Case = {
  name: 'hostile folders',
  issue: 11,
  async run({ scratch, isCi, log, skip }) {
    if (process.platform === 'win32') skip('its traps are made of pipes and links');
    const base = realpathSync(scratch);
    if (!canaryWorks(base)) throw new Error('Git does not run the canary even without the rules: nothing was tested.');
    const wrong: string[] = [];
    let visits = 0;
    for (let round = 0; round < (isCi ? 1 : ROUNDS); round += 1) {
      for (const outcome of await visitHostileFolders(`${base}/round-${round}`)) {
        visits += 1;
        if (outcome.wrong.length === 0) continue;
        wrong.push(`${outcome.folder}, ${outcome.mode}: ${outcome.wrong.join('; ')}`);
        log(wrong.at(-1) ?? '');
      }
    }
    return [
      {
        name: `hostile folders in which something ran or left unasked, of ${HOSTILE_FOLDERS.length} restricted and trusted`,
        value: wrong.length,
        unit: 'visits',
        note: [`${visits} visits: first message, read, search, write`, ...wrong.slice(0, 3)].join('; '),
        target: { on: 'value', op: '=', bound: 0 },
      },
    ];
  },
};

export default hostileFolders;
