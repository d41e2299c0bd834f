import { realpathSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Case, FigureInput } from '../../support/figures';
import { putPrograms } from '../extensions/computer';
import { Drive, type Outcome } from '../extensions/drive';
import { examplesOf, namesOf, PI_PACKAGES } from '../extensions/packages';

/** Issue 15: pi's own examples load, and run their main path unchanged. `EXAMPLES=snake,todo` and `PI=1.5.2` try some alone. */
const examples: Case = {
  name: 'extensions: pi’s examples',
  issue: 15,
  times: ['src/main/extensions/host/extension-host.ts:ExtensionRunner'],
  timeoutMinutes: 40,
  async run({ scratch, log }): Promise<FigureInput[]> {
    process.env.PATH = `${putPrograms(join(scratch, 'bin'))}:${process.env.PATH}`;
    const only = process.env.EXAMPLES?.split(',');
    const figures: FigureInput[] = [];
    for (const { name, version } of PI_PACKAGES.filter((each) => !process.env.PI || each.version === process.env.PI)) {
      const folder = examplesOf({ name, version });
      const entries = namesOf(folder).filter((entry) => !only || only.includes(basename(entry, '.ts')));
      const drive = await Drive.start(join(realpathSync(scratch), version), folder);
      const outcomes: Outcome[] = [];
      try {
        for (const entry of entries) {
          const outcome = await drive.try(entry);
          outcomes.push(outcome);
          log(rowOf(name, version, outcome));
        }
      } finally {
        await drive.close();
      }
      const share = (of: 'loads' | 'runs'): number =>
        (100 * outcomes.filter((each) => each[of]).length) / outcomes.length;
      const figure = (what: string, of: 'loads' | 'runs'): FigureInput => ({
        name: `Examples of ${name} ${version} that ${what}`,
        value: share(of),
        unit: '%',
        note: `${outcomes.filter((each) => each[of]).length} of ${outcomes.length}`,
        target: { on: 'value', op: '>=', bound: 85 },
      });
      figures.push(figure('load', 'loads'), figure('run their main path', 'runs'));
    }
    return figures;
  },
};

function rowOf(name: string, version: string, { name: example, loads, runs, why }: Outcome): string {
  const scope = name.split('/')[0] ?? name;
  return `| ${scope} ${version} | ${example} | ${loads ? 'yes' : 'no'} | ${runs ? 'yes' : 'no'} | ${why.replace(/\s+/g, ' ').replaceAll('|', '\\|').slice(0, 200)} |`;
}

export default [examples];
