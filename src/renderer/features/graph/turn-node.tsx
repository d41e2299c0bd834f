import { memo, useEffect, useMemo, useRef } from 'react';
import type { Node, NodeProps } from '@xyflow/react';
import { Eye, Pin } from 'lucide-react';
import { useStore } from 'zustand';
import { isNoTurn, type TurnNode } from '@shared/graph/turns';
import { useLive, useReading, useView } from '../../state/hooks';
import type { BranchGraph } from '@shared/graph/branch-graph';
import { formatWhen } from '../../state/format';
import { namingTurn, type ShownName } from '../../state/branch-names';
import type { OpenSession } from '../../state/open-session';
import { cx, Glyph } from '../../ui';
import type { CanvasPicture } from './canvas';
import { type GraphScope, isLegalTarget, useGraph, useGraphState, usePicture } from './context';
import { ForkSign } from './fork-sign';
import styles from './graph.module.css';
import type { Detail } from './picture';
import { State, Tools, Variants } from './row-parts';
import { branchNameOf, firstOfRun, fromName, sourceOf } from './turn-facts';
import { isEndOfHead } from './view';
import {
  cellCount,
  cellTitle,
  endOf,
  entriesOfNode,
  figuresOf,
  isAtWork,
  isHeadShown,
  plusTitle,
  shownLabel,
  toolKinds,
} from './words';

export type FlowNode = Node<{ node: TurnNode; detail: Detail; words: number }, 'turn' | 'row'>;

/** What is said of a cell from outside: by keyboard, search, pointer and drags, as attributes. Drawn anew when one of them changes. */
export function useCell(node: TurnNode) {
  const { session, store, drag, overlay } = useGraph();
  const picture = usePicture();
  useView(session, (view) => view.entriesVersion);
  useGraphState((state) => state.version);
  const isCursor = useGraphState((state) => state.cursor === node);
  const isHit = useGraphState((state) => state.search.nodes.has(node));
  const isHere = useGraphState((state) => state.search.at >= 0 && state.search.hits[state.search.at] === node);
  const isAtEye = useGraphState(({ readingEntry }) => {
    const read = readingEntry === null ? undefined : store.graph.turns.place(readingEntry)?.node;
    return read !== undefined && picture.cellOf(read) === node;
  });
  const isElsewhere = useReading(session, ({ path }) => isAtEye && path !== null);
  const eye = isAtEye ? (isElsewhere ? 'elsewhere' : 'head') : undefined;
  const isHovered = useStore(overlay, (state) => state.hover === node || state.hint === node);
  const aim = useStore(drag, (state) =>
    state.kind === null ? '' : state.target === node ? 'target' : state.source === node ? 'source' : '',
  );
  const { graph } = store;
  const dragKind = useStore(drag, (state) => state.kind);
  const source = useStore(drag, (state) => state.source);
  const isLegal = useMemo(
    () => isLegalTarget({ graph, picture }, { kind: dragKind, source }, node),
    [graph, picture, dragKind, source, node],
  );
  const hasHead = graph.head !== null && picture.cellOf(graph.head) === node;
  // A variant that is read in its place is not where HEAD is; what stands for many turns has HEAD whatever it shows.
  const isAtHead = hasHead && (node !== graph.head || isHeadShown(graph));
  const attributes = {
    'data-entry': node.contentId,
    'data-node': node.index,
    'data-hovered': isHovered || undefined,
    'data-head': hasHead || undefined,
    'data-cursor': isCursor || undefined,
    'data-hit': isHere ? 'here' : isHit || undefined,
    'data-aim': aim || undefined,
    'data-eye': eye,
    'data-legal': isLegal || undefined,
  };
  const isPointedAt = aim === '' && (isHovered || isCursor);
  return {
    isAtHead,
    isRead: eye === 'elsewhere',
    isHovered: aim === '' && isHovered,
    withPlus: isPointedAt || (hasHead && aim === ''),
    attributes,
  };
}

/** One cell of the canvas as the DOM has it: few elements, because there are many of them. */
export const TurnCell = memo(function TurnCell({ data: { node, detail } }: NodeProps<FlowNode>) {
  const scope = useGraph();
  const { store, texts, app, session } = scope;
  const { layout, level } = usePicture() as CanvasPicture;
  const { isAtHead, isRead, isHovered, withPlus, attributes } = useCell(node);
  const { graph } = store;
  const shown = graph.shownOn(node);
  const text = texts(shown);
  useLive(session, (live) => live.names);
  const named = nameAtBeginning(scope, node);
  const label = named?.from === 'label' && shown === node ? undefined : shownLabel(graph, shown);
  const count = cellCount(layout, node);
  const end = endOf(shown);
  const isMany = layout.manyIn(node) > 0;
  const isStack = count !== null || isMany;
  const one = isStack ? node : shown;
  const region = graph.regionOf(one);
  const isDiamond = isNoTurn(node) && !isStack;
  const title = (isDiamond ? fromName(scope, node) : null) ?? cellTitle(graph, layout, node, text);
  const begins = isStack ? false : plusAt(graph, node, withPlus);
  const name = (
    <b
      className={cx(
        isDiamond && node.kind === 'summary' && styles.violet,
        isDiamond && node.kind === 'compaction' && styles.amber,
      )}
      dir="auto"
    >
      {graph.pinsOf(one).length > 0 && <PinSign />}
      {title}
      {!isStack && ' '}
      {!isStack && <Variants node={node} className={styles.variants} />}
      {!isStack && <ForkSign node={shown} />}
    </b>
  );
  return (
    <div
      className={cx(
        styles.cell,
        isDiamond ? styles.mark : isStack ? styles.folded : styles.turn,
        region !== 'aside' && styles.live,
        region === 'summarised' && styles.covered,
        graph.isHidden(one) && styles.hidden,
        detail === 'title' && styles.coarse,
        detail === 'title' && count !== null && styles.block,
      )}
      data-kind={isMany ? 'many' : count !== null ? 'fold' : node.kind}
      {...attributes}
    >
      {isDiamond && <Diamond kind={node.kind} />}
      {name}
      {detail === 'full' && !isDiamond && !isStack && text.answer !== '' && text.answer !== title && (
        <p>{text.answer}</p>
      )}
      {detail === 'full' && isStack && <small>{[count, 'open'].filter(Boolean).join(' · ')}</small>}
      {detail === 'title' && count !== null && <small>{count}</small>}
      {detail === 'full' && !isDiamond && !isStack && (
        <small>
          {isAtHead && <Working session={session} />}
          {isRead && <Eye size={12} className={styles.eye} aria-hidden />}
          {end && <em data-stopped={!end.isFailure || undefined}>{end.words}</em>}
          <Tools kinds={toolKinds(text.tools)} />
          {[...figuresOf(shown, text), formatWhen(shown.time, app.now())].join(' · ')}
        </small>
      )}
      {named !== null && !isMany && (
        <span className={styles.tag} dir="auto">
          {named.text}
        </span>
      )}
      {label && <span className={cx(styles.flag, isAtHead && styles.flagLeft)}>⚑ {label}</span>}
      {isAtHead && (
        <span className={styles.head} data-pill>
          HEAD
        </span>
      )}
      {level === 'turns' && begins !== false && (
        <span
          className={styles.plus}
          title={plusTitle(begins === 'anew')}
          data-plus
          data-wide={(begins === 'anew' && isHovered) || undefined}
        >
          {begins === 'anew' && isHovered ? '+ New branch' : '+'}
        </span>
      )}
    </div>
  );
});

/** The name of a branch where it begins (GR16); null elsewhere, and for one that has no name but its first words. */
export function nameAtBeginning(scope: GraphScope, node: TurnNode): ShownName | null {
  const { first, parent } = scope.store.graph.order.runOf(node);
  if (first !== node || parent === null) return null;
  const name = branchNameOf(scope, node);
  return name?.from === 'words' ? null : name;
}

/** Whether a + stands at a turn: where branches leave already, and at HEAD as another try of its prompt (GR21). */
export function plusAt(graph: BranchGraph, node: TurnNode, isShown: boolean): 'anew' | boolean {
  if (!isShown) return false;
  return isEndOfHead(graph, node) ? 'anew' : node.children.length > 0;
}

/** What goes on at HEAD, and for how long (GR15). */
function Working({ session }: { session: OpenSession }) {
  return useLive(session, isAtWork) ? <State /> : null;
}

function Diamond({ kind }: { kind: TurnNode['kind'] }) {
  if (kind === 'start') return <i className={styles.dot} />;
  return <Glyph name={kind === 'summary' ? 'branchSummary' : 'compaction'} size={14} />;
}

/** A message of the turn is pinned (PN6). */
export function PinSign() {
  return <Pin size={11} className={styles.pinSign} aria-label="Pinned" role="img" />;
}

/** Bodies asked for at once. They are read as soon as they are there: many large ones don't fit the cache together. */
const BATCH = 120;
/** Milliseconds that the view must rest: who flies over a thousand turns needs none of their texts. */
const REST_MS = 60;

/** Brings the bodies of the nodes on screen into memory, each turn once as long as it does not grow. */
export function useTexts(scope: GraphScope, cells: readonly TurnNode[]): void {
  const asked = useRef(new WeakMap<TurnNode, number>());
  useEffect(() => {
    const timer = setTimeout(() => {
      const { graph } = scope.store;
      const shown = cells.flatMap((cell) => {
        const node = graph.shownOn(cell);
        const source = sourceOf(scope, node);
        // A summary is called by the branch that it tells of.
        return source ? [node, namingTurn(firstOfRun(scope.store, source))] : [node];
      });
      const wanted = shown.filter((node) => asked.current.get(node) !== node.entryCount);
      for (const node of wanted) asked.current.set(node, node.entryCount);
      void loadTexts(scope, wanted);
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [scope, cells]);
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
