import type { Case, FigureInput } from '../../support/figures';
import { cutAt, flipBit, flipIndexBit, isCutVisible, makeSample, tryDamaged } from '../../support/journal-damage';
import type { Planted, Sample } from '../../support/journal-damage';
import { seededRandom } from '../../bench/sessions';

const BYTES = 64 * 1024;
/** The short form still meets every kind of place: a prime step moves through the lines. */
const CI_STEP = 509;

interface Tally {
  opened: number;
  threw: number;
  refused: number;
  wrong: number;
  lost: number;
  silent: number;
  firstProblem: string;
}

const newTally = (): Tally => ({ opened: 0, threw: 0, refused: 0, wrong: 0, lost: 0, silent: 0, firstProblem: '' });

async function tally(into: Tally, sample: Sample, planted: Planted, mustTell: boolean, what: string): Promise<void> {
  into.opened++;
  try {
    const { refused, wrong, lost, damage, lostByAppend } = await tryDamaged(sample, planted);
    if (refused !== null) into.refused++;
    into.wrong += wrong;
    into.lost += lost + lostByAppend;
    if (mustTell && damage.length === 0) into.silent++;
    if (wrong + lost + lostByAppend > 0 || (mustTell && damage.length === 0)) into.firstProblem ||= what;
  } catch (error) {
    into.threw++;
    into.firstProblem ||= `${what}: ${String(error)}`;
  }
}

function figures(name: string, { opened, threw, refused, wrong, lost, silent, firstProblem }: Tally): FigureInput[] {
  const note = `${opened} journals${refused > 0 ? `, ${refused} refused (cut inside the header, no entry left)` : ''}${firstProblem && `; first: ${firstProblem}`}`;
  const zero = { op: '=', bound: 0, on: 'value' } as const;
  return [
    { name: `R3 ${name}: throws`, value: threw, unit: 'throws', note, target: zero },
    { name: `R3 ${name}: wrong entries taken for good`, value: wrong, unit: 'entries', note, target: zero },
    { name: `R3 ${name}: whole entries lost`, value: lost, unit: 'entries', note, target: zero },
    { name: `R3 ${name}: damage not reported`, value: silent, unit: 'journals', note, target: zero },
  ];
}

const truncated: Case = {
  name: 'R3 journal cut off at every byte',
  issue: 2,
  timeoutMinutes: 60,
  async run({ isCi, log }) {
    const sample = await makeSample(BYTES);
    const counts = newTally();
    const step = isCi ? CI_STEP : 1;
    for (let offset = 0; offset <= sample.journal.length; offset += step) {
      // Both near the end, where a crash cuts; elsewhere in turns, which keeps the run under half an hour.
      const isNearEnd = isCi || offset > sample.journal.length - 4096;
      for (const withIndex of isNearEnd ? [true, false] : [offset % 2 === 0]) {
        const isInHeader = offset > 0 && offset < sample.headerEnd;
        const mustTell = isInHeader || isCutVisible(sample, offset, withIndex);
        const what = `offset ${offset}, ${withIndex ? 'with' : 'without'} index`;
        await tally(counts, sample, cutAt(sample, offset, withIndex), mustTell, what);
      }
      if (offset % 10_000 === 0 && offset > 0) log(`${offset} of ${sample.journal.length} bytes`);
    }
    return figures('cut off', counts);
  },
};

const flipped: Case = {
  name: 'R3 journal with flipped bits',
  issue: 2,
  timeoutMinutes: 60,
  async run({ isCi, log }) {
    const sample = await makeSample(BYTES);
    const seed = Date.now() % 1_000_000;
    log(`seed ${seed}`);
    const random = seededRandom(seed);
    const anyBit = ({ length }: Buffer): number => Math.floor(random() * length * 8);
    const inJournal = newTally();
    const inIndex = newTally();
    for (let n = 0; n < (isCi ? 100 : 10_000); n++) {
      const bit = anyBit(sample.journal);
      await tally(inJournal, sample, flipBit(sample, bit), true, `bit ${bit}`);
    }
    for (let n = 0; n < (isCi ? 30 : 1_000); n++) {
      const bit = anyBit(sample.index);
      await tally(inIndex, sample, flipIndexBit(sample, bit), false, `index bit ${bit}`);
    }
    return [...figures('bit flips', inJournal), ...figures('bit flips in the index', inIndex).slice(0, 3)];
  },
};

export default [truncated, flipped];
