import type { Case } from '../../support/figures';
import { malformedFields, someOf } from '../../support/model-server/malformed-fields';
import { startMalformedRun } from '../../support/model-server/malformed-run';

/** Of the short form: the unit suite has 200 others of the table. */
const SHORT_CASES = 300;
const SHOWN = 5;

/** Every field of the three wires with everything in it that no provider should send, through the real loop and thread. */
const malformedReplies: Case = {
  name: 'malformed fields in replies',
  issue: 11,
  async run({ isCi, log }) {
    const all = malformedFields();
    const cases = isCi ? someOf(all, SHORT_CASES) : all;
    const run = await startMalformedRun();
    try {
      const found = await run.run(cases);
      for (const line of found.slice(0, SHOWN)) log(line);
      return [
        {
          name: 'Malformed fields after which a run, a session or another reply was not as it has to be',
          value: found.length,
          unit: 'fields',
          note: found[0]?.slice(0, 300) ?? 'no untrue sentence, no loss, every other reply streamed on',
          target: { on: 'value', op: '=', bound: 0 },
        },
        {
          name: 'Malformed fields sent',
          value: cases.length,
          unit: 'fields',
          target: { on: 'value', op: '>=', bound: SHORT_CASES },
        },
        {
          name: 'Provider threads that malformed fields needed',
          value: run.threads(),
          unit: 'threads',
          target: { on: 'value', op: '=', bound: 1 },
        },
      ];
    } finally {
      await run.close();
    }
  },
};

export default malformedReplies;
