import { useCallback, useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import { ReactFlow, useReactFlow, type Viewport } from '@xyflow/react';
import type { TurnNode } from '@shared/graph/turns';
import { type GraphViewport, ZOOM } from '../../state/graph-memory';
import { useView } from '../../state/hooks';
import { type GraphScope, useFlowSize, useFlowView, useFlowWindow, useGraph, useGraphState } from './context';
import { bringIntoView, type Detail, detailOf, isInView, NODE, openingView, type Size, xOf, yOf } from './geometry';
import { Ghost } from './ghosts';
import styles from './graph.module.css';
import { paint, readPalette } from './paint';
import { type FlowNode, TurnCell, useTexts } from './turn-node';
import { nodeInWords } from './words';

const NO_HITS: ReadonlySet<TurnNode> = new Set();

/** The canvas behind the nodes. Painted in the same frame in which React Flow moves them. */
function Paper({ isFar, isDark }: { isFar: boolean; isDark: boolean }) {
  const { store, texts } = useGraph();
  const { view, size } = useFlowView();
  const version = useGraphState((state) => state.version);
  const hits = useGraphState((state) => state.search.hits);
  const canvas = useRef<HTMLCanvasElement>(null);
  const hitSet = useMemo(() => (hits.length > 0 ? new Set(hits) : NO_HITS), [hits]);
  const palette = useRef<{ isDark: boolean; colors: ReturnType<typeof readPalette> } | null>(null);
  useLayoutEffect(() => {
    const element = canvas.current;
    const context = element?.getContext('2d');
    if (!element || !context || size.width === 0) return;
    const ratio = window.devicePixelRatio || 1;
    const width = Math.round(size.width * ratio);
    const height = Math.round(size.height * ratio);
    if (element.width !== width || element.height !== height) Object.assign(element, { width, height });
    if (palette.current?.isDark !== isDark) palette.current = { isDark, colors: readPalette(element) };
    const { graph } = store;
    const sourceOf = (node: TurnNode): TurnNode | null => {
      const { fromId } = texts(node);
      const source = fromId === null ? undefined : graph.turns.place(fromId)?.node;
      return source ? graph.layout.cellOf(source) : null;
    };
    paint(context, { graph, view, size, palette: palette.current.colors, isFar, hits: hitSet, sourceOf }, ratio);
  }, [view, size, isFar, isDark, version, hitSet, store, texts]);
  return <canvas ref={canvas} className={styles.paper} aria-hidden />;
}

const NODE_TYPES = { turn: TurnCell };
const NO_EDGES: never[] = [];
const PRO_OPTIONS = { hideAttribution: true };
const CALM_MS = 160;

/**
 * The plane with its nodes. React Flow pans, zooms and places; it gets the nodes on screen alone, already sized, so that
 * 10,000 turns cost what a screen of them costs. Lines and regions are painted behind.
 */
export function Flow({ ariaLabel, isDark }: { ariaLabel: string; isDark: boolean }) {
  const scope = useGraph();
  const { store } = scope;
  const size = useFlowSize();
  const version = useGraphState((state) => state.version);
  const cursor = useGraphState((state) => state.cursor);
  const { nodes, detail } = useNodes(scope, version, cursor);
  useTexts(scope, nodes, detail);
  useCamera(scope, size);
  const stays = useMemo(() => cursorId(cursor), [cursor]);
  const onMoveStart = useCallback(
    // What we move ourselves takes the preview along.
    (event: unknown) => scope.overlay.setState({ menu: null, ...(event === null ? {} : { preview: null }) }),
    [scope],
  );
  const onMoveEnd = useCallback(
    (event: unknown, to: Viewport) => {
      // What we move ourselves is kept when it begins; its end may be the end of a move that was cut short.
      if (event === null) return;
      store.memory.set({ viewport: to });
      // The person has gone elsewhere: the view no longer runs after HEAD.
      if (!isHeadInView(scope, to)) store.memory.set({ follows: false });
    },
    [scope, store],
  );
  return (
    <ReactFlow<FlowNode>
      className={styles.flow}
      nodes={nodes}
      edges={NO_EDGES}
      nodeTypes={NODE_TYPES}
      minZoom={ZOOM.min}
      maxZoom={ZOOM.max}
      panOnScroll
      panOnScrollSpeed={0.9}
      zoomOnScroll={false}
      zoomOnPinch
      zoomOnDoubleClick={false}
      panOnDrag
      selectionOnDrag={false}
      elementsSelectable={false}
      nodesDraggable={false}
      nodesConnectable={false}
      nodesFocusable={false}
      edgesFocusable={false}
      disableKeyboardA11y
      deleteKeyCode={null}
      selectionKeyCode={null}
      multiSelectionKeyCode={null}
      panActivationKeyCode={null}
      proOptions={PRO_OPTIONS}
      onMoveStart={onMoveStart}
      onMoveEnd={onMoveEnd}
      tabIndex={0}
      aria-label={ariaLabel}
      aria-activedescendant={cursor ? stays : undefined}
      data-graph
    >
      <Ghost />
      <Paper isFar={detail === 'far'} isDark={isDark} />
    </ReactFlow>
  );
}

const cursorId = (node: TurnNode | null): string => `graph-node-${node?.index ?? ''}`;

function useNodes(scope: GraphScope, version: number, cursor: TurnNode | null) {
  const { store, session } = scope;
  const { window: seen, zoom } = useFlowWindow();
  const { fromLane, toLane, fromRow, toRow } = seen;
  const cells = useMemo(
    () => (version >= 0 ? store.graph.layout.within(fromLane, toLane, fromRow, toRow) : []),
    [store, version, fromLane, toLane, fromRow, toRow],
  );
  const detail = detailOf(zoom, cells.length);
  // A node that stays on screen stays the same object: what scrolls by is not drawn anew.
  const known = useMemo(() => (version >= 0 ? new Map<string, FlowNode>() : null), [version]);
  const entriesVersion = useView(session, (state) => state.entriesVersion);
  const nodes = useMemo(() => {
    const { graph } = store;
    const isSeen = cursor !== null && graph.layout.isCell(cursor);
    // From far away only the node that the keyboard is at is there to be read.
    const shown = detail !== 'far' ? cells : [];
    const list = shown.map((node) => {
      const key = `${node.index}.${detail}.${entriesVersion}`;
      const made = known?.get(key) ?? toFlowNode(scope, node, detail);
      known?.set(key, made);
      return made;
    });
    if (isSeen && !shown.includes(cursor)) list.push(toFlowNode(scope, cursor, 'far'));
    return list;
  }, [scope, store, cells, detail, cursor, known, entriesVersion]);
  return { nodes, detail };
}

function toFlowNode({ store, texts }: GraphScope, node: TurnNode, detail: Detail): FlowNode {
  const { layout } = store.graph;
  return {
    id: String(node.index),
    type: 'turn',
    position: { x: xOf(layout.laneOf(node)), y: yOf(layout.rowOf(node)) },
    width: NODE.width,
    height: NODE.height,
    measured: { width: NODE.width, height: NODE.height },
    data: { node, detail },
    domAttributes: { id: cursorId(node), role: 'group', 'aria-label': nodeInWords(store.graph, node, texts(node)) },
  } as FlowNode;
}

function isHeadInView({ store, camera }: GraphScope, view: GraphViewport): boolean {
  const { graph } = store;
  const cell = graph.head ? graph.layout.cellOf(graph.head) : null;
  const size = camera.current?.size();
  return !cell || !size || isInView(graph.layout, cell, view, size);
}

/** Puts the view where it was, then lets it go along with HEAD. */
function useCamera(scope: GraphScope, size: Size): void {
  const { store, camera } = scope;
  const flow = useReactFlow();
  const sizeNow = useRef(size);
  const isPlaced = useRef(false);
  const goal = useRef<GraphViewport | null>(null);
  useLayoutEffect(() => {
    sizeNow.current = size;
  });
  useLayoutEffect(() => {
    camera.current = {
      view: () => flow.getViewport(),
      goal: () => goal.current ?? flow.getViewport(),
      size: () => sizeNow.current,
      move(to, isCalm = false) {
        const isStill = !isCalm || window.matchMedia('(prefers-reduced-motion: reduce)').matches;
        goal.current = to;
        const arrived = (): void => {
          if (goal.current === to) goal.current = null;
        };
        void flow.setViewport(to, isStill ? undefined : { duration: CALM_MS, interpolate: 'linear' }).then(arrived);
        store.memory.set({ viewport: to });
      },
    };
    return () => {
      camera.current = null;
    };
  }, [camera, flow, store]);
  useLayoutEffect(() => {
    if (isPlaced.current || size.width === 0) return;
    isPlaced.current = true;
    const { graph, memory } = store;
    const head = graph.head ? graph.layout.cellOf(graph.head) : (graph.layout.tops[0] ?? null);
    if (head) void flow.setViewport(openingView(graph.layout, head, memory.get(), size));
  }, [flow, size, store]);
  useFollow(scope);
}

function useFollow({ store, camera }: GraphScope): void {
  const version = useGraphState((state) => state.version);
  const last = useRef<TurnNode | null>(null);
  useEffect(() => {
    const { graph, memory } = store;
    const isFirst = last.current === null;
    if (graph.head === last.current) return;
    last.current = graph.head;
    const eye = camera.current;
    const cell = graph.head ? graph.layout.cellOf(graph.head) : null;
    if (isFirst || !eye || !cell || !memory.get().follows || eye.size().width === 0) return;
    const view = eye.goal();
    const next = bringIntoView(graph.layout, cell, view, eye.size());
    if (next !== view) eye.move(next, true);
  }, [version, store, camera]);
}
