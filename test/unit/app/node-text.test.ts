import { expect, it } from 'vitest';
import { TurnTree } from '@shared/graph/turns';
import type { SessionEntry } from '@shared/session/entry';
import { textOfNode } from '../../../src/renderer/features/graph/node-text';
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
