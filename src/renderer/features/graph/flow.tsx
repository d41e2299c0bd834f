import {
  type CSSProperties,
  type ReactNode,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { PanOnScrollMode, ReactFlow, type Viewport } from '@xyflow/react';
import type { BranchGraph } from '@shared/graph/branch-graph';
import type { TurnNode } from '@shared/graph/turns';
import { useStore } from 'zustand';
import type { LiveSession } from '@shared/session-state/state';
import { formatTokens } from '../../state/format';
import { useLive, useUi, useView } from '../../state/hooks';
import { AWAITED, canvasPicture, type CanvasPicture, chapterRoom, firstLevel } from './canvas';
import {
  type GraphScope,
  PictureContext,
  useBegun,
  useFlowSize,
  useFlowView,
  useFlowWindow,
  useGraph,
  useGraphState,
  usePicture,
} from './context';
import { Ghost } from './ghosts';
import styles from './graph.module.css';
import { createElementIds } from './element-ids';
import { onPlane, readPalette } from './paint';
import { paintCanvas } from './paint-canvas';
import { paintRail } from './paint-rail';
import type { Detail, GraphKind, Picture } from './picture';
import { railPicture, type RailPicture, wordsOf } from './rail';
import { figuresOfRow, nameOfRow, RailCell } from './rail-row';
import { type FlowNode, nameAtBeginning, TurnCell, useTexts } from './turn-node';
import { changesLevel, isHeadInView, keepView, setFollows, useCamera } from './use-camera';
import { useChapters } from './use-chapters';
import { useGlide } from './use-glide';
import { fromName } from './turn-facts';
import { bringCell, isChapter } from './view';
import { cellCount, cellTitle, closedSize, headState, isAtWork, nodeInWords } from './words';

/** Which of the two is shown: the rail beside the transcript, unless the person wants the canvas there (GR7, GR8). */
export function useGraphKind(): GraphKind {
  return useUi(({ layout }) => (layout.graphFull || layout.graphCanvas ? 'canvas' : 'rail'));
}

/** Makes the picture for all that is drawn of it. */
export function WithPicture({ kind, children }: { kind: GraphKind; children: ReactNode }) {
  const { store, overlay } = useGraph();
  const { width, height } = useFlowSize();
  const version = useGraphState((state) => state.version);
  const level = useStore(overlay, (state) => state.level) ?? firstLevel(store.memory.get().viewport);
  const begun = useBegun();
  const { graph } = store;
  const isOfChapters = kind === 'canvas' && level === 'chapters' && width > 0;
  const chapters = useChapters(isOfChapters ? { graph, version, ...chapterRoom({ width, height }) } : null);
  const made = useMemo((): Picture | null => {
    if (kind === 'rail' && version >= 0) {
      return railPicture(graph.rail, width, begun && (begun.at ? graph.rail.nearest(begun.at) : -1));
    }
    if (level === 'turns') return canvasPicture(graph.layout, level);
    return chapters && canvasPicture(chapters, level);
  }, [graph, kind, width, version, begun, level, chapters]);
  // While chapters are laid out what was drawn before stays.
  const before = useRef<{ graph: BranchGraph; picture: Picture } | null>(null);
  useLayoutEffect(() => {
    if (made) before.current = { graph, picture: made };
  }, [graph, made]);
  const picture = made ?? (before.current?.graph === graph ? before.current.picture : AWAITED);
  return <PictureContext value={picture}>{children}</PictureContext>;
}

/** What is painted: behind the cells of the canvas, over the rows of the rail. In the same frame in which React Flow moves them. */
function Paper({ isFar, isDark }: { isFar: boolean; isDark: boolean }) {
  const scope = useGraph();
  const { store, session, texts } = scope;
  const picture = usePicture();
  const { view, size } = useFlowView();
  const version = useGraphState((state) => state.version);
  const hits = useGraphState((state) => state.search.nodes);
  const entriesVersion = useView(session, (state) => (isFar ? state.entriesVersion : 0));
  const canvas = useRef<HTMLCanvasElement>(null);
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
    const scene = { graph, view, size, palette: palette.current.colors };
    if (picture.kind === 'rail') {
      onPlane(context, scene, ratio);
      paintRail(context, { ...scene, picture: picture as RailPicture });
      return;
    }
    const canvas_ = picture as CanvasPicture;
    const sourceOf = ({ broughtFrom }: TurnNode): TurnNode | null => {
      const source = broughtFrom === null ? undefined : graph.turns.place(broughtFrom)?.node;
      return source ? picture.cellOf(source) : null;
    };
    const titleOf = (cell: TurnNode): string =>
      fromName(scope, cell) ?? cellTitle(graph, canvas_.layout, cell, texts(graph.shownOn(cell)));
    paintCanvas(context, { ...scene, picture: canvas_, isFar, hits, titleOf, sourceOf }, ratio);
    // Words come later than cells.
  }, [view, size, isFar, isDark, version, hits, scope, store, texts, picture, entriesVersion]);
  return <canvas ref={canvas} className={picture.kind === 'rail' ? styles.lanes : styles.paper} aria-hidden />;
}

const NODE_TYPES = { turn: TurnCell, row: RailCell };
const NO_EDGES: never[] = [];
const NO_CELLS: TurnNode[] = [];
const NO_HANDLES: never[] = [];
const PRO_OPTIONS = { hideAttribution: true };
/** The left button, and the middle one, which pans from everywhere. */
const PAN_BUTTONS = [0, 1];

/**
 * The plane with its nodes. React Flow pans, zooms and places; it gets the nodes on screen alone, already sized, so that
 * 10,000 turns cost what a screen of them costs. Lines and regions are painted.
 */
export function Flow({ ariaLabel, isDark }: { ariaLabel: string; isDark: boolean }) {
  const scope = useGraph();
  const picture = usePicture();
  const size = useFlowSize();
  const version = useGraphState((state) => state.version);
  const cursor = useGraphState((state) => state.cursor);
  useGlide(scope, picture, size);
  const isPlaced = useCamera(scope, picture, size);
  const { nodes, cells, detail, zoom } = useNodes(scope, picture, { version, cursor, isPlaced });
  useTexts(scope, cells);
  useShown(scope, picture);
  const onMoveStart = useCallback(
    (event: unknown) => {
      // What we move ourselves takes the preview along, and no menu away from whoever just opened it.
      if (event === null) return;
      scope.overlay.setState({ menu: null, preview: null });
      scope.keys.hasPanned = true;
      // The person takes the view over: what it was on its way to is not where it will be.
      scope.camera.current?.rest();
    },
    [scope],
  );
  const onMoveEnd = useCallback(
    (event: unknown, to: Viewport) => {
      // What we move ourselves is kept when it begins; its end may be the end of a move that was cut short.
      if (event === null) return;
      if (changesLevel(scope, to.zoom)) return;
      keepView(scope, to);
      // The person has gone elsewhere: the view no longer runs after HEAD.
      if (!isHeadInView(scope, to)) setFollows(scope, false);
    },
    [scope],
  );
  const isRail = picture.kind === 'rail';
  const bounds = useMemo(
    (): [[number, number], [number, number]] | undefined =>
      isRail ? [[0, 0], [size.width, Math.max(size.height, picture.size.height)]] : undefined, // prettier-ignore
    [isRail, size, picture],
  );
  return (
    <ReactFlow<FlowNode>
      className={styles.flow}
      style={isRail ? undefined : titleStyle(picture, zoom)}
      nodes={nodes}
      edges={NO_EDGES}
      nodeTypes={NODE_TYPES}
      minZoom={picture.zoom.min}
      maxZoom={picture.zoom.max}
      {...(bounds ? { translateExtent: bounds } : {})}
      panOnScroll
      panOnScrollMode={isRail ? PanOnScrollMode.Vertical : PanOnScrollMode.Free}
      panOnScrollSpeed={0.9}
      zoomOnScroll={false}
      zoomOnPinch={!isRail}
      zoomOnDoubleClick={false}
      panOnDrag={PAN_BUTTONS}
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
      // A filter may leave out what the keys were at.
      aria-activedescendant={cursor && picture.isCell(cursor) ? cursorId(cursor) : undefined}
      data-graph={picture.kind}
    >
      <Ghost />
      <Paper isFar={detail === 'far'} isDark={isDark} />
    </ReactFlow>
  );
}

/** Brings into view what was hidden when it was asked for. */
function useShown(scope: GraphScope, picture: Picture): void {
  useEffect(() => {
    const { wanted } = scope.keys;
    const cell = wanted && picture.cellOf(wanted);
    if (!cell) return;
    scope.keys.wanted = null;
    bringCell(scope, cell);
  }, [scope, picture]);
}

/** Titles that stand alone keep eleven pixels on screen, whatever the scale (GR8). */
function titleStyle(picture: Picture, zoom: number): CSSProperties {
  const size = (picture as CanvasPicture).level === 'chapters' ? 13 : Math.max(13, Math.ceil(11.5 / zoom));
  return { '--title': `${size}px` } as CSSProperties;
}

const cursorId = (node: TurnNode): string => `graph-node-${node.index}`;

interface Drawn {
  version: number;
  cursor: TurnNode | null;
  isPlaced: boolean;
}

function useNodes(scope: GraphScope, picture: Picture, { version, cursor, isPlaced }: Drawn) {
  const { session, store } = scope;
  const { window: seen, zoom } = useFlowWindow(picture);
  const head = store.graph.head && picture.cellOf(store.graph.head);
  const cells = useMemo(() => (isPlaced ? picture.within(seen) : NO_CELLS), [picture, seen, isPlaced]);
  const detail = picture.detailAt(zoom, cells.length);
  // A node that stays on screen stays the same object: what scrolls by is not drawn anew.
  const names = useLive(session, (live) => live.names);
  const known = useMemo(
    () => (version >= 0 && names ? { picture, nodes: new Map<string, FlowNode>() } : null),
    [version, picture, names],
  );
  const entriesVersion = useView(session, (state) => state.entriesVersion);
  const state = useLive(session, stateAtHead);
  // Among cells that are drawn anyway the keyboard's node is no other.
  const near = detail === 'far' ? cursor : null;
  // Out of sight it still has its name.
  const lost = cursor && picture.isCell(cursor) && !cells.includes(cursor) ? cursor : null;
  const [ids] = useState(createElementIds);
  const nodes = useMemo(() => {
    const words = picture.kind === 'rail' ? wordsOf(picture as RailPicture, seen) : null;
    const isFar = detail === 'far';
    // From far away HEAD and the node that the keyboard is at are there to be read, over what is painted of them.
    const shown = isFar ? cells.filter((cell) => cell === near || cell === head) : cells;
    const all = lost ? [...shown, lost] : shown;
    const idOf = ids(all);
    const drawn = new Map<string, FlowNode>();
    const list = all.map((node) => {
      const isOut = node === lost;
      const data = { detail: isFar || isOut ? 'title' : detail, words: isOut ? 0 : (words?.get(node) ?? 0) } as const;
      const id = idOf(node);
      const said = node === head ? state : null;
      const key = `${id}.${node.index}.${data.detail}.${entriesVersion}.${data.words}.${said}`;
      const made = known?.nodes.get(key) ?? toFlowNode(scope, picture, node, { id, data, state: said });
      drawn.set(key, made);
      return made;
    });
    // Those of now alone: an element that comes has an id of its own.
    if (known) known.nodes = drawn;
    return list;
  }, [scope, picture, seen, cells, detail, near, lost, head, known, entriesVersion, state, ids]);
  return { nodes, cells, detail, zoom };
}

function toFlowNode(
  scope: GraphScope,
  picture: Picture,
  node: TurnNode,
  { id, data, state }: { id: string; data: { detail: Detail; words: number }; state: string | null },
): FlowNode {
  const { x, y, width, height } = picture.boxOf(node);
  const { graph } = scope.store;
  const hasHead = graph.head !== null && picture.cellOf(graph.head) === node;
  return {
    id,
    type: picture.kind === 'rail' ? 'row' : 'turn',
    position: { x, y },
    width,
    height,
    measured: { width, height },
    // Without them React Flow looks for some in each element that comes, and tells all others.
    handles: NO_HANDLES,
    data: { node, ...data },
    domAttributes: {
      id: cursorId(node),
      role: 'group',
      'aria-label': nodeInWords(graph, node, scope.texts(graph.shownOn(node)), {
        ...{ hasHead, many: picture.manyIn(node), stands: standsFor(graph, picture, node), state },
        ...{ name: nameShown(scope, picture, node), from: fromName(scope, graph.shownOn(node)) },
        isChapter: isChapter(scope, node),
      }),
    },
  } as FlowNode;
}

/** What goes on at HEAD; null: nothing does. */
const stateAtHead = (live: LiveSession): string | null => (isAtWork(live) ? headState(live) : null);

/** The name of a branch where it is drawn on its first cell (GR16). */
function nameShown(scope: GraphScope, picture: Picture, node: TurnNode): string | null {
  if (picture.kind === 'canvas') return picture.manyIn(node) > 0 ? null : (nameAtBeginning(scope, node)?.text ?? null);
  const row = (picture as RailPicture).rowOf(node);
  return row && (nameOfRow(scope, row)?.text ?? null);
}

/** What is drawn of the turns that a cell stands for: of a closed branch its turns and tokens, of a chapter its turns. */
function standsFor(graph: BranchGraph, picture: Picture, node: TurnNode): string | null {
  if (picture.kind === 'canvas') return cellCount((picture as CanvasPicture).layout, node);
  const row = (picture as RailPicture).rowOf(node);
  const size = row?.kind === 'branch' ? closedSize(graph, row) : null;
  if (!row || size === null) return null;
  const turns = row.count > 1 ? '' : '1 turn, ';
  return `closed branch, ${turns}${size.replace(' · ', ', ')}, ${formatTokens(figuresOfRow(graph, row).tokens)} tokens`;
}
