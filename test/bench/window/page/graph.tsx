import { createRoot } from 'react-dom/client';
import { MarkerType, ReactFlow, type Edge, type Node } from '@xyflow/react';
import '@xyflow/react/dist/style.css';
import { BranchGraph } from '../../../../src/shared/graph/branch-graph';
import { branchyEntries } from '../../../support/branchy-entries';
import { createApp } from '../../../../src/renderer/state/app';
import { AppContext } from '../../../../src/renderer/state/hooks';
import { createMemoryStore } from '../../../support/memory-store';
import type { Client } from '../../../../src/renderer/bridge';
import { GraphPane } from '../../../../src/renderer/features/graph/graph-pane';
import { TooltipProvider } from '../../../../src/renderer/ui';
import { NO_SESSION, type SessionSnapshot } from '../../../../src/shared/session-state/state';

const SESSION = 'bench';
const PAN = 60; // pixels a frame

export interface GraphFigures {
  /** From mounting until the first frame with nodes is painted. */
  paint: number;
  frames: number[];
  /** Most DOM elements at any frame. */
  elements: number;
}

/** Mounts one side at 1,280 × 756 with all turns unfolded, waits for its nodes, then pans it frame by frame. */
export async function measureGraph(side: 'ours' | 'peer', turns: number, branches: number, frames: number) {
  const place = document.createElement('div');
  place.style.cssText = 'position:fixed;inset:0;width:1280px;height:756px;background:#fff';
  document.body.append(place);
  const root = createRoot(place);
  const element = side === 'ours' ? await ours(turns, branches) : peer(turns, branches);
  const start = performance.now();
  root.render(element);
  await until(() => place.querySelector('.react-flow__node') !== null);
  await painted();
  const figures: GraphFigures = { paint: performance.now() - start, frames: [], elements: 0 };
  const plane = place.querySelector('.react-flow__pane');
  if (!plane) throw new Error('Nothing to pan.');
  for (let at = 0; at < frames; at++) {
    const from = performance.now();
    const box = plane.getBoundingClientRect();
    const way = at < frames / 2 ? -PAN : PAN;
    plane.dispatchEvent(
      new WheelEvent('wheel', {
        deltaY: way,
        deltaX: 0,
        clientX: box.x + 300,
        clientY: box.y + 300,
        bubbles: true,
        cancelable: true,
      }),
    );
    await painted();
    figures.frames.push(performance.now() - from);
    if (at % 10 === 0) figures.elements = Math.max(figures.elements, place.querySelectorAll('*').length);
  }
  root.unmount();
  place.remove();
  return figures;
}

const nextFrame = (): Promise<void> => new Promise((resolve) => requestAnimationFrame(() => resolve()));

/** A task after a frame's callbacks runs once the frame is painted. */
function painted(): Promise<void> {
  return new Promise((resolve) =>
    requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => resolve();
      channel.port2.postMessage(null);
    }),
  );
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await nextFrame();
}

/** Our pane on our store, with a client that answers from memory. */
async function ours(turns: number, branches: number): Promise<React.ReactNode> {
  const { entries, leafId } = branchyEntries(turns, branches);
  const client: Client = {
    request: (name, params) => Promise.resolve(answer(name, params, leafId) as never),
    bulk: (_name, _params, onChunk) => ({
      done: Promise.resolve(onChunk({ rows: entries } as never)),
      cancel: () => undefined,
    }),
    onEvents: () => () => undefined,
    offerFiles: () => Promise.resolve([]),
  };
  const local = createMemoryStore();
  await local.putUi(`graph:${SESSION}`, { folds: [] });
  const app = createApp({ client, local });
  const session = app.openSession(SESSION);
  await session.refresh();
  return (
    <AppContext value={app}>
      <TooltipProvider>
        <GraphPane session={session} onClose={() => undefined} />
      </TooltipProvider>
    </AppContext>
  );
}

function answer(name: string, params: unknown, leafId: string): unknown {
  if (name === 'session.open')
    return {
      ...NO_SESSION,
      leafId,
      lines: [],
      n: 0,
    } satisfies SessionSnapshot;
  if (name !== 'session.entries') return {};
  return { lines: (params as { ids: string[] }).ids.map((id) => ({ id, seq: 0, line: JSON.stringify(bodyOf(id)) })) };
}

function bodyOf(id: string): unknown {
  const role = id.startsWith('u') ? 'user' : 'assistant';
  return { type: 'message', id, message: { role, content: [{ type: 'text', text: `Turn ${id} says something` }] } };
}

/** React Flow as its documentation uses it, with the same nodes at the same places. */
function peer(turns: number, branches: number): React.ReactNode {
  const { entries, leafId } = branchyEntries(turns, branches);
  const graph = new BranchGraph();
  graph.load(entries);
  graph.setLeaf(leafId);
  graph.rebuild();
  const { layout } = graph;
  const nodes = graph.turns.nodes.map((node): Node => ({
    id: String(node.index),
    position: { x: layout.laneOf(node) * 204, y: layout.rowOf(node) * 70 },
    data: { label: `Turn ${node.contentId} says something` },
    style: { width: 156, height: 46 },
  }));
  const edges = graph.turns.nodes.flatMap((node): Edge[] =>
    node.parent
      ? [
          {
            id: `e${node.index}`,
            source: String(node.parent.index),
            target: String(node.index),
            markerEnd: { type: MarkerType.Arrow },
          },
        ]
      : [],
  );
  const head = graph.head ?? graph.turns.nodes[0];
  const y = head ? -layout.rowOf(head) * 70 + 500 : 0;
  return (
    <ReactFlow
      nodes={nodes}
      edges={edges}
      defaultViewport={{ x: 100, y, zoom: 1 }}
      panOnScroll
      onlyRenderVisibleElements
    />
  );
}
