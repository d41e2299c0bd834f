import { createRoot, type Root } from 'react-dom/client';
import { MarkerType, ReactFlow, type Edge, type Node } from '@xyflow/react';
import '@xyflow/react/dist/style.css';
import { openedGraph } from '../../../support/opened-graph';
import { branchyEntries } from '../../../support/branchy-entries';
import { nestedSession } from '../../../support/graph-sessions';
import { createApp } from '../../../../src/renderer/state/app';
import { AppContext, SessionContext } from '../../../../src/renderer/state/hooks';
import { createMemoryStore } from '../../../support/memory-store';
import type { Client } from '../../../../src/renderer/bridge';
import type { OpenSession } from '../../../../src/renderer/state/open-session';
import { GraphPane } from '../../../../src/renderer/features/graph/graph-pane';
import { TooltipProvider } from '../../../../src/renderer/ui';
import { NO_SESSION, type Row, type SessionSnapshot } from '../../../../src/shared/session-state/state';

const SESSION = 'bench';
const PAN = 60; // pixels a frame

export interface GraphFigures {
  /** From mounting until the first frame with nodes is painted. */
  paint: number;
  frames: number[];
  /** Most DOM elements at any frame. */
  elements: number;
}

/** The rail in a pane of its usual width, the canvas and plain React Flow over the whole window. */
export type GraphSide = 'rail' | 'canvas' | 'peer';

/** Mounts one side with all turns unfolded, waits for its nodes, then pans it frame by frame. */
export async function measureGraph(side: GraphSide, turns: number, branches: number, frames: number) {
  const { place, root } = placeFor(side);
  const element = side === 'peer' ? peer(turns, branches) : (await ours(side, branchyEntries(turns, branches))).element;
  const start = performance.now();
  root.render(element);
  await nodesIn(place);
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
        clientX: box.x + 150,
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

/** Moves HEAD to and fro between the ends of a session of nested branches; milliseconds from the event of each move to its first frame (QP19). */
export async function measureMoves(side: 'rail' | 'canvas', turns: number, branches: number, moves: number) {
  const { place, root } = placeFor(side);
  const { entries, leafId } = nestedSession(turns, branches);
  const { element, session } = await ours(side, { entries, leafId });
  root.render(element);
  await nodesIn(place);
  const parents = new Set(entries.map(({ parentId }) => parentId));
  const leaves = entries.filter(({ id }) => !parents.has(id)).map(({ id }) => id);
  const times: number[] = [];
  for (let move = 0; move < moves; move++) {
    // Each end in turn, far from the one before.
    const to = leaves[(move * 7919) % leaves.length] ?? leafId;
    const start = performance.now();
    session.live.setState({ leafId: to });
    await painted();
    times.push(performance.now() - start);
    for (let rest = 0; rest < 20; rest++) await nextFrame();
  }
  root.unmount();
  place.remove();
  return times;
}

function placeFor(side: GraphSide): { place: HTMLElement; root: Root } {
  const place = document.createElement('div');
  const width = side === 'rail' ? 396 : 1280;
  place.style.cssText = `position:fixed;inset:0;width:${width}px;height:756px;background:#fff`;
  document.body.append(place);
  return { place, root: createRoot(place) };
}

const nextFrame = (): Promise<void> => new Promise((resolve) => requestAnimationFrame(() => resolve()));

/** Whatever keeps the nodes away is in the console. */
const MOST_FRAMES = 3_000;

/** Resolves once the first frame is painted in which it is so. */
function painted(isSo = (): boolean => true): Promise<void> {
  return new Promise((resolve, reject) => {
    let frames = 0;
    const look = (): void => {
      if (++frames > MOST_FRAMES) return reject(new Error('No node came.'));
      if (!isSo()) return void requestAnimationFrame(look);
      // A task after a frame's callbacks runs once that frame is painted.
      const channel = new MessageChannel();
      channel.port1.onmessage = () => resolve();
      channel.port2.postMessage(null);
    };
    requestAnimationFrame(look);
  });
}

const nodesIn = (place: HTMLElement): Promise<void> => painted(() => place.querySelector('.react-flow__node') !== null);

/** Our pane on our store, with a client that answers from memory. */
async function ours(
  side: 'rail' | 'canvas',
  { entries, leafId }: { entries: readonly Row[]; leafId: string },
): Promise<{ element: React.ReactNode; session: OpenSession }> {
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
  app.setLayout({ graphCanvas: side === 'canvas' });
  const session = app.openSession(SESSION);
  await session.refresh();
  const element = (
    <AppContext value={app}>
      <TooltipProvider>
        <SessionContext value={session}>
          <GraphPane session={session} onClose={() => undefined} />
        </SessionContext>
      </TooltipProvider>
    </AppContext>
  );
  return { element, session };
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
  const graph = openedGraph(entries);
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
