import { memo, useEffect, useMemo, useRef } from 'react';
import type { Node, NodeProps } from '@xyflow/react';
import { Pin } from 'lucide-react';
import { useStore } from 'zustand';
import type { TurnNode } from '@shared/graph/turns';
import { useView } from '../../state/hooks';
import { cx, Glyph } from '../../ui';
import { isMark } from './canvas';
import { type GraphScope, isLegalTarget, useGraph, useGraphState, usePicture } from './context';
import styles from './graph.module.css';
import type { Detail } from './picture';
import { entriesOfNode, figuresOf, foldWords, type NodeText, shownLabel, titleOfNode, toolGlyphs } from './words';

export type FlowNode = Node<{ node: TurnNode; detail: Detail; words: number }, 'turn' | 'row'>;

/** What is said of a cell from outside: by keyboard, search, pointer and drags, as attributes. Drawn anew when one of them changes. */
export function useCell(node: TurnNode) {
  const { session, store, drag, overlay } = useGraph();
  const picture = usePicture();
  useView(session, (view) => view.entriesVersion);
  useGraphState((state) => state.version);
  const isCursor = useGraphState((state) => state.cursor === node);
  const isHit = useGraphState((state) => state.search.hits.includes(node));
  const isHere = useGraphState((state) => state.search.at >= 0 && state.search.hits[state.search.at] === node);
  const isHovered = useStore(overlay, (state) => state.hover === node || state.hint === node);
  const aim = useStore(drag, (state) =>
    state.kind === null ? '' : state.target === node ? 'target' : state.source === node ? 'source' : '',
  );
  const { graph } = store;
  const dragKind = useStore(drag, (state) => state.kind);
  const source = useStore(drag, (state) => state.source);
  const isLegal = useMemo(
    () => isLegalTarget(graph, { kind: dragKind, source }, node),
    [graph, dragKind, source, node],
  );
  const hasHead = graph.head !== null && picture.cellOf(graph.head) === node;
  const attributes = {
    'data-entry': node.contentId,
    'data-node': node.index,
    'data-hovered': isHovered || undefined,
    'data-head': hasHead || undefined,
    'data-cursor': isCursor || undefined,
    'data-hit': isHere ? 'here' : isHit || undefined,
    'data-aim': aim || undefined,
    'data-legal': isLegal || undefined,
  };
  const isPointedAt = aim === '' && (isHovered || isCursor);
  return { hasHead, isPointedAt, withPlus: isPointedAt || (hasHead && aim === ''), attributes };
}

/** One cell of the canvas as the DOM has it: few elements, because there are many of them. */
export const TurnCell = memo(function TurnCell({ data: { node, detail } }: NodeProps<FlowNode>) {
  const { store, texts } = useGraph();
  const { hasHead, withPlus, attributes } = useCell(node);
  const { graph } = store;
  const text = texts(node);
  const label = shownLabel(graph, node);
  const region = graph.regionOf(node);
  const fold = foldWords(graph, node);
  const isPinned = graph.pinsOf(node).length > 0;
  return (
    <div
      className={cx(
        styles.cell,
        isMark(node) && !fold ? styles.mark : fold ? styles.folded : styles.turn,
        region !== 'aside' && styles.live,
        region === 'summarised' && styles.covered,
        graph.isHidden(node) && styles.hidden,
        detail === 'title' && styles.coarse,
        detail === 'far' && styles.far,
      )}
      data-kind={fold ? 'fold' : node.kind}
      {...attributes}
    >
      {detail !== 'far' &&
        (fold ? (
          <FoldFace {...fold} detail={detail} isPinned={isPinned} />
        ) : (
          <Face node={node} text={text} detail={detail} isPinned={isPinned} />
        ))}
      {detail !== 'far' && label && <span className={cx(styles.flag, hasHead && styles.flagLeft)}>⚑ {label}</span>}
      {detail !== 'far' && hasHead && (
        <span className={styles.head} data-pill>
          HEAD
        </span>
      )}
      {detail === 'full' && withPlus && (
        <span className={styles.plus} data-plus>
          +
        </span>
      )}
    </div>
  );
});

interface FoldFaceProps {
  title: string;
  figures: string;
  detail: Detail;
  isPinned: boolean;
}

/** A message of the turn is pinned (PN6). */
export function PinSign() {
  return <Pin size={11} className={styles.pinSign} aria-label="Pinned" role="img" />;
}

function FoldFace({ title, figures, detail, isPinned }: FoldFaceProps) {
  return (
    <>
      <b>
        {isPinned && <PinSign />}
        {title}
      </b>
      {detail === 'full' && <small>{figures} · unfold</small>}
    </>
  );
}

interface FaceProps {
  node: TurnNode;
  text: NodeText;
  detail: Detail;
  isPinned: boolean;
}

function Face({ node, text, detail, isPinned }: FaceProps) {
  const title = titleOfNode(node, text);
  if (isMark(node)) {
    return (
      <>
        {node.kind === 'start' ? (
          <i className={styles.dot} />
        ) : (
          <Glyph name={node.kind === 'summary' ? 'branchSummary' : 'compaction'} size={14} />
        )}
        <b className={node.kind === 'summary' ? styles.violet : node.kind === 'compaction' ? styles.amber : undefined}>
          {isPinned && <PinSign />}
          {title}
        </b>
      </>
    );
  }
  const named = (
    <>
      {isPinned && <PinSign />}
      {title}
    </>
  );
  if (detail !== 'full') return <b>{named}</b>;
  const glyphs = toolGlyphs(text.tools);
  return (
    <>
      <b>
        {node.kind === 'answer' && <span className={styles.again}>↻ </span>}
        {named}
      </b>
      <small>
        {node.failed && <em>failed</em>}
        {node.stopped && <em data-stopped>stopped</em>}
        {figuresOf(node, text).join('  ')}
        {glyphs !== '' && <i>{glyphs}</i>}
        {text.answer !== '' && text.answer !== title && ` ${text.answer}`}
      </small>
    </>
  );
}

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
