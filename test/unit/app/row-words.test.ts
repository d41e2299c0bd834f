import { describe, expect, it } from 'vitest';
import { endOf, wordsBehind } from '../../../src/renderer/features/graph/words';
import type { Row } from '../../../src/shared/session-state/state';
import { graphOf } from '../shared/graph/support';

const row = (id: string, parentId: string | null, seq: number, more: Partial<Row> = {}): Row => ({
  ...{ id, parentId, seq, time: seq, tokens: 1, kind: 'user', ...more },
});

describe('TS4: how a turn ended, beside its title', () => {
  const ended = (more: Partial<Row>, answer: Partial<Row> = {}) => {
    const rows = [row('u', null, 0), row('r', 'u', 1, more), row('a', 'r', 2, { kind: 'assistant', ...answer })];
    const graph = graphOf(rows);
    return endOf(graph.turns.place('u')!.node);
  };
  const failedRun: Partial<Row> = { kind: 'toolResult', tool: 'bash', ended: { outcome: 'ran', note: 'exit 1' } };

  it('is the last of its calls that is not done, unless the turn itself failed or was stopped', () => {
    expect(ended(failedRun)?.isFailure).toBe(true);
    expect(ended(failedRun)?.words).toContain('exit 1');
    expect(ended(failedRun, { failed: true })).toEqual({ words: 'failed', isFailure: true });
    expect(ended(failedRun, { stopped: true })).toEqual({ words: 'stopped', isFailure: false });
    expect(ended({ kind: 'toolResult', tool: 'bash' })).toBeNull();
  });
});

describe('GR5: a stack', () => {
  it('tells of labels, pins, failures and files of the variants behind its front, and of nothing in front', () => {
    const graph = graphOf(
      [
        row('u', null, 0),
        row('a', 'u', 1, { kind: 'assistant', failed: true }),
        row('b', 'u', 2, { kind: 'assistant' }),
      ],
      'b',
    );
    const front = graph.turns.place('b')!.node;
    expect(graph.stackOf(front)?.members).toHaveLength(2);
    expect(wordsBehind(graph, front)).toBe('Behind it: a failure');
    graph.setLabels(new Map([['b', 'mine']]));
    expect(wordsBehind(graph, front)).toBe('Behind it: a failure');
    graph.setLabels(new Map([['a', 'other']]));
    expect(wordsBehind(graph, front)).toBe('Behind it: a label, a failure');
  });
});
