import { createInlineTransport } from '../../support/inline-transport';
import type { Case } from '../../support/figures';
import { startModelServer } from '../../support/model-server';
import { CUT_ENDINGS, runTruncations, seededRandom } from '../../support/model-server/truncated-calls';

const PEER_CUTS = 50;

/** QR6: tool calls cut at random places, with four endings each, through the real loop: none may run. */
const truncatedCalls: Case = {
  name: 'R6 truncated tool calls',
  issue: 2,
  async run({ isCi, log }) {
    const server = await startModelServer();
    const transport = createInlineTransport();
    const seed = Date.now() % 1_000_000;
    log(`seed ${seed}`);
    try {
      const cuts = isCi ? 50 : 1_000;
      const ours = await runTruncations(server, { cuts, random: seededRandom(seed), transport });
      const peer = await runTruncations(server, { cuts: PEER_CUTS, random: seededRandom(seed) });
      const peerRuns = PEER_CUTS * CUT_ENDINGS.length;
      return [
        {
          name: 'R6 truncated tool calls executed',
          value: ours.executed,
          unit: 'calls',
          note: `${ours.runs} runs, ${ours.refused} answered "issue the call again"; stock pi-ai and loop: ${peer.executed} of ${peerRuns}; seed ${seed}`,
          target: { on: 'value', op: '=', bound: 0 },
        },
        {
          name: 'R6 runs made',
          value: ours.runs,
          unit: 'runs',
          target: { on: 'value', op: '=', bound: cuts * CUT_ENDINGS.length },
        },
      ];
    } finally {
      await transport.close();
      await server.close();
    }
  },
};

export default truncatedCalls;
