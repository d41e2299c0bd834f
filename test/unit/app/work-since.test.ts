import { describe, expect, it } from 'vitest';
import { workSince } from '../../../src/renderer/state/work-since';
import { NO_SESSION, type LiveSession } from '../../../src/shared/session-state/state';
import { chain, entry, graphOf } from '../shared/graph/support';

const reply = { streamId: 's', provider: 'p', model: 'm', startedAt: 900_000, blocks: [] };
const live = (more: Partial<LiveSession>): LiveSession => ({ ...NO_SESSION, phase: 'running', ...more });
const job = { kind: 'compaction', startedAt: 700_000 } as unknown as LiveSession['job'];

describe('GR15: how long the agent has been at it', () => {
  const prompt = { id: 'u1', time: 3_000 };

  it('is counted from the prompt, also once its replies come', () => {
    const graph = graphOf([...chain(1), entry('u1', 'a0', 'user', 3)]);
    expect(workSince(live({ leafId: 'u1' }), prompt, graph)).toBe(3_000);
    expect(workSince(live({ leafId: 'a1', reply }), prompt, graphOf(chain(2)))).toBe(3_000);
  });

  it('is counted from the summary where that is written', () => {
    expect(workSince(live({ phase: 'job', leafId: 'a1', job }), prompt, graphOf(chain(2)))).toBe(700_000);
    // One that is written behind a run is not what HEAD is at.
    expect(workSince(live({ leafId: 'a1', job }), prompt, graphOf(chain(2)))).toBe(3_000);
  });

  it('of a prompt that is answered anew is counted from then on, and not said before', () => {
    const graph = graphOf(chain(2), 'u1');
    expect(workSince(live({ leafId: 'u1' }), prompt, graph)).toBeNull();
    expect(workSince(live({ leafId: 'u1', reply }), prompt, graph)).toBe(900_000);
  });

  it('also where another model was chosen for the new answer, and once its first replies are there', () => {
    const chosen = graphOf([...chain(2), entry('m', 'u1', 'modelChange', 5)], 'm');
    expect(workSince(live({ leafId: 'm' }), prompt, chosen)).toBeNull();
    expect(workSince(live({ leafId: 'm', reply }), prompt, chosen)).toBe(900_000);
    chosen.append(entry('r', 'm', 'assistant', 910));
    expect(workSince(live({ leafId: 'r' }), prompt, chosen)).toBe(910_000);
    chosen.append(entry('t', 'r', 'toolResult', 920));
    expect(workSince(live({ leafId: 't', reply }), prompt, chosen)).toBe(910_000);
    // What is asked next is no part of that answer.
    chosen.append(entry('n', 't', 'user', 930));
    expect(workSince(live({ leafId: 'n' }), { id: 'n', time: 930_000 }, chosen)).toBe(930_000);
    // A choice behind a whole answer makes none of it new.
    const after = graphOf([...chain(2), entry('m', 'a1', 'modelChange', 5)], 'm');
    expect(workSince(live({ leafId: 'm' }), prompt, after)).toBe(3_000);
  });
});
