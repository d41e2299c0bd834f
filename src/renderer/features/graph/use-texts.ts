import { useEffect, useRef } from 'react';
import type { TurnNode } from '@shared/graph/turns';
import type { GraphScope } from './context';
import type { Detail } from './geometry';
import { entriesOfNode } from './node-text';
import type { FlowNode } from './turn-node';

/** Bodies asked for at once. They are read as soon as they are there: many large ones don't fit the cache together. */
const BATCH = 120;
/** Milliseconds that the view must rest: who flies over a thousand turns needs none of their texts. */
const REST_MS = 60;

/** Brings the bodies of the nodes on screen into memory, each turn once as long as it does not grow. */
export function useTexts(scope: GraphScope, nodes: readonly FlowNode[], detail: Detail): void {
  const asked = useRef(new WeakMap<TurnNode, number>());
  useEffect(() => {
    if (detail === 'far') return;
    const timer = setTimeout(() => {
      const wanted = nodes.map(({ data }) => data.node).filter((node) => asked.current.get(node) !== node.entryCount);
      for (const node of wanted) asked.current.set(node, node.entryCount);
      void loadTexts(scope, wanted);
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [scope, nodes, detail]);
}

/** Loads what nodes say, batch by batch. */
export async function loadTexts({ session, texts }: GraphScope, nodes: readonly TurnNode[]): Promise<void> {
  let batch: TurnNode[] = [];
  let ids: string[] = [];
  const load = async (): Promise<void> => {
    await session.loadEntries(ids);
    for (const node of batch) texts(node);
    batch = [];
    ids = [];
  };
  for (const node of nodes) {
    if (!texts(node).isPartial) continue;
    batch.push(node);
    ids.push(...entriesOfNode(node));
    if (ids.length >= BATCH) await load();
  }
  if (ids.length > 0) await load();
}
