import { expect, it } from 'vitest';
import { openedGraph } from '../../support/opened-graph';
import { type TurnNode, TurnTree } from '@shared/graph/turns';
import type { SessionEntry } from '@shared/session/records/entry';
import { textOfItem } from '../../../src/renderer/parts/row-text';
import {
  type CellFacts,
  closedSize,
  nodeInWords,
  standing,
  textOfNode,
} from '../../../src/renderer/features/graph/words';
import type { Row } from '@shared/session-state/state';

it('a node counts the files that were changed, not those whose write waits, failed or was declined', () => {
  const at = (seq: number, over: Partial<Row>): Row => ({
    id: `e${seq}`,
    parentId: seq === 1 ? null : `e${seq - 1}`,
    seq,
    kind: 'toolResult',
    time: 0,
    tokens: 1,
    ...over,
  });
  const call = (id: string) => ({ type: 'toolCall', id, name: 'write', arguments: { path: `${id}.txt`, content: '' } });
  const reply = { type: 'message', id: 'e2', message: { role: 'assistant', content: ['a', 'b', 'c'].map(call) } };
  const files = (): string[] => {
    const [node] = turns.nodes;
    return node ? textOfNode(node, (id) => (id === 'e2' ? (reply as unknown as SessionEntry) : undefined)).files : [];
  };
  const turns = new TurnTree();
  turns.add(at(1, { kind: 'user' }));
  turns.add(at(2, { kind: 'assistant' }));
  expect(files()).toEqual([]);
  turns.add(at(3, {}));
  turns.add(at(4, { callId: 'b', changed: true }));
  expect(files()).toEqual(['b.txt']);
});

it('GR20: a turn that the person stopped is called stopped, and is no error', () => {
  const row = (seq: number, over: Partial<Row>): Row => ({
    ...{ id: `e${seq}`, parentId: seq === 1 ? null : `e${seq - 1}`, seq, kind: 'user', time: 0, tokens: 1 },
    ...over,
  });
  const graph = openedGraph([
    row(1, {}),
    row(2, { kind: 'assistant', stopped: true }),
    row(3, {}),
    row(4, { kind: 'assistant', failed: true }),
  ]);
  graph.rebuild();
  graph.setLeaf('e4');
  expect(graph.turns.nodes.map((node) => standing(graph, node))).toEqual([
    ['on the active path', 'stopped'],
    ['on the active path', 'failed'],
  ]);
  graph.setFilter('errors');
  expect(graph.turns.nodes.map((node) => graph.layout.isCell(node))).toEqual([false, true]);
});

it('GR30: the words of a row of the rail need no canvas', () => {
  const row = (seq: number, parentId: string | null): Row => ({
    ...{ id: `e${seq}`, parentId, seq, kind: 'user', time: 0, tokens: 1 },
  });
  const graph = openedGraph([row(1, null), row(2, 'e1'), row(3, 'e1'), row(4, 'e3')]);
  graph.setLeaf('e2');
  const { moves } = graph;
  Object.defineProperty(graph, 'layout', { get: () => expect.fail('The canvas was laid out.') });
  const [first] = graph.turns.nodes;
  const words =
    first &&
    nodeInWords(
      graph,
      first,
      textOfNode(first, () => undefined),
      { hasHead: true },
    );
  expect(words).toMatch(/, HEAD, on the active path, 2 branches$/);
  expect(graph.moves).toBe(moves);
});

it('GR5, GR7, GR15: a row says what is drawn: which version is shown, what a closed branch has, what goes on at HEAD', () => {
  const row = (id: string, parentId: string | null, seq: number): Row => ({ id, parentId, seq, kind: 'user', time: 0, tokens: 1 }); // prettier-ignore
  const graph = openedGraph([row('e1', null, 1), row('e2', 'e1', 2), row('e3', 'e1', 3)]);
  graph.setLeaf('e3');
  const [, second, head] = graph.turns.nodes;
  if (!second || !head) return expect.fail('The turns are missing.');
  const words = (node: TurnNode, facts: Partial<CellFacts> = {}): string =>
    nodeInWords(
      graph,
      head,
      textOfNode(node, () => said(node.contentId)),
      { hasHead: true, ...facts },
    );
  const said = (id: string) => ({ type: 'message', id, message: { role: 'user', content: `words of ${id}` } }) as unknown as SessionEntry; // prettier-ignore
  expect(words(head, { state: 'streaming' })).toMatch(
    /^Turn: words of e3, version 2 of 2, 1 tokens, HEAD, streaming, /,
  );
  graph.bringToFront(second);
  expect(words(second)).toMatch(/^Turn: words of e2, version 1 of 2, 1 tokens, on another branch, behind it: HEAD/);
  second.failed = true;
  expect(words(second)).toContain(', on another branch, failed, behind it: HEAD');
  second.failed = false;
  expect(words(second, { stands: 'closed branch, 3 turns, 40 tokens' })).toContain(
    '2, closed branch, 3 turns, 40 tokens, on',
  );
  expect(words(second, { name: 'triggers' })).toMatch(/^Branch triggers, Turn: words of e2, /);
  expect(words(second, { from: 'from ‹triggers›' })).toMatch(/^Turn: from ‹triggers›, /);
  graph.setLabels(new Map([['e2', 'triggers']]));
  expect(words(second, { name: 'triggers' })).not.toContain('label');
  expect(graph.turns.nodes.filter((node) => graph.order.countsAsTurn(node)).length).toBe(2);
});

it('GR7: a closed branch says how many branches are in it, and is not silent about those that leave these', () => {
  const row = (id: string, parentId: string | null, seq: number): Row => ({ id, parentId, seq, kind: 'user', time: 0, tokens: 1 }); // prettier-ignore
  const rows = [row('a', null, 1), row('x', 'a', 2), row('y', 'x', 3), row('b', 'a', 4), row('c', 'b', 5)];
  const inside = [row('v', 'x', 6), row('v2', 'v', 7), row('w', 'v', 8), row('w2', 'w', 9), row('y2', 'y', 10)];
  const graph = openedGraph([...rows, ...inside, row('y3', 'y2', 11), row('v3', 'v2', 12)]);
  graph.setLeaf('c');
  const size = (): unknown => graph.rail.rows.flatMap((r) => (r.kind === 'branch' ? [closedSize(graph, r)] : []));
  const before = size();
  expect(graph.order.runs().length).toBe(4);
  expect(before).toEqual(['4 turns · 2 branches']);
  graph.setArchived(new Set(['y']));
  expect(size()).toEqual(['4 turns · 1 branch']);
  graph.showHidden(true);
  expect(size()).toEqual(before);
});

it('TS14: a node and a row of the Compact sheet show no Markdown; a command stays as it is', () => {
  const turns = new TurnTree();
  const row = { parentId: null, seq: 1, time: 0, tokens: 1 };
  turns.add({ ...row, id: 'e1', kind: 'user' });
  const [node] = turns.nodes;
  const said = (message: object) => ({ type: 'message', id: 'e1', message }) as unknown as SessionEntry;
  const both = (kind: 'user' | 'command', message: object) => [
    node && textOfNode(node, () => said(message)).title,
    textOfItem({ id: 'e1', kind, raw: 1 } as never, () => said(message)),
  ];
  const words = '---\n## **Fix** [this](https://a.b) in `a.ts`\n- and that';
  expect(both('user', { role: 'user', content: words })).toEqual(['Fix this in a.ts', 'Fix this in a.ts']);
  const command = 'echo *a* `date` # **b**';
  expect(both('command', { role: 'bashExecution', command })).toEqual([`$ ${command}`, `ran ${command}`]);
});
