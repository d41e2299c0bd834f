import { memo, useDeferredValue, useMemo } from 'react';
import type { NodeProps } from '@xyflow/react';
import { Eye } from 'lucide-react';
import type { BranchGraph } from '@shared/graph/branch-graph';
import type { RailRow } from '@shared/graph/rail-rows';
import { isMark, type TurnNode } from '@shared/graph/turns';
import type { ShownName } from '../../state/branch-names';
import { formatTokens, formatWhen, plural } from '../../state/format';
import { useLive } from '../../state/hooks';
import { cx, Glyph } from '../../ui';
import { type GraphScope, useGraph, useGraphState, usePicture } from './context';
import { FollowHead, OtherKind } from './controls';
import { ForkSign } from './fork-sign';
import type { RailPicture } from './rail';
import styles from './rail.module.css';
import { State, Tools, Variants } from './row-parts';
import { type FlowNode, PinSign, plusAt, useCell } from './turn-node';
import { branchNameOf, fromName } from './turn-facts';
import { closedSize, endOf, isAtWork, plusTitle, railTitle, shownLabel, toolKinds } from './words';

/** One row of the rail: name, title, what stands out, tools, and three figures. Its lane is painted. */
export const RailCell = memo(function RailCell({ data: { node, words } }: NodeProps<FlowNode>) {
  const scope = useGraph();
  const { store, texts, app, session } = scope;
  const picture = usePicture() as RailPicture;
  useLive(session, (live) => live.names);
  const { isAtHead, isRead, isHovered, withPlus, attributes } = useCell(node);
  const isWorking = useLive(session, isAtWork) && isAtHead;
  const row = picture.rowOf(node);
  const { graph } = store;
  if (!row) return null;
  const shown = row.kind === 'turn' || row.kind === 'branch' ? graph.shownOn(node) : node;
  const text = texts(shown);
  const region = graph.regionOf(shown);
  const named = nameOfRow(scope, row);
  const name = named?.text ?? null;
  const isNamedHere = named?.from === 'label' && shown === row.run.first;
  const label = isNamedHere || row.kind === 'fold' || row.kind === 'many' ? undefined : shownLabel(graph, shown);
  const end = row.kind === 'turn' ? endOf(shown) : null;
  const tools = row.kind === 'turn' ? toolKinds(text.tools) : [];
  const figures = row.kind === 'turn' ? figuresOfTurn(shown, text.files.length) : figuresOfRow(graph, row);
  const begins = row.kind === 'turn' ? plusAt(graph, node, withPlus) : false;
  return (
    <div
      className={cx(styles.row, row.kind === 'turn' && isMark(node) && styles[node.kind])}
      style={words === 0 ? undefined : { paddingLeft: words }}
      data-region={region}
      data-kind={row.kind === 'turn' ? node.kind : row.kind}
      data-hidden={graph.isHidden(shown) || undefined}
      {...attributes}
    >
      {name !== null && (
        <span className={styles.name} dir="auto">
          {name}
        </span>
      )}
      {graph.pinsOf(shown).length > 0 && <PinSign />}
      <span className={styles.title} dir="auto">
        {railTitle(graph, row, text, name !== null, fromName(scope, shown))}
      </span>
      {label !== undefined && (
        <span className={styles.label}>
          <Glyph name="label" size={9} /> {label}
        </span>
      )}
      {isAtHead && (
        <span className={styles.head} data-pill>
          HEAD
        </span>
      )}
      {row.kind === 'branch' && (row.count < 2 || name === null) && <Size of={row} />}
      {end && !isWorking && (
        <span className={end.isFailure ? styles.failed : styles.stopped} title={end.words}>
          {end.words}
        </span>
      )}
      {isRead && <Eye size={13} className={styles.eye} role="img" aria-label="Being read" />}
      {begins === false || isWorking ? (
        <i className={styles.space} />
      ) : (
        <Plus isAnew={begins === 'anew'} isWide={begins === 'anew' && isHovered} />
      )}
      {/* Behind the +, which comes with the pointer: what is pressed stays below it. */}
      {row.kind === 'turn' && <ForkSign node={shown} />}
      {!isWorking && <Tools kinds={tools} />}
      {/* Where it stays, whatever the words of the variant that it leads to. */}
      {row.kind === 'turn' && <Variants node={node} className={styles.variants} />}
      {isWorking ? (
        <State />
      ) : (
        <>
          <span className={styles.files}>{figures.files > 0 && figures.files.toLocaleString('en')}</span>
          <span className={styles.tokens}>{figures.tokens > 0 && formatTokens(figures.tokens)}</span>
          <span className={styles.when}>{formatWhen(figures.time, app.now())}</span>
        </>
      )}
    </div>
  );
});

/** What a closed branch is besides its first words. */
function Size({ of }: { of: RailRow }) {
  const size = closedSize(useGraph().store.graph, of);
  return size === null ? null : <span className={styles.more}>{size}</span>;
}

/** The +, with its words where they have room: the figures behind it keep their columns. */
function Plus({ isAnew, isWide }: { isAnew: boolean; isWide: boolean }) {
  return (
    <span className={styles.room} data-wide={isWide || undefined}>
      <span className={styles.plus} title={plusTitle(isAnew)} data-plus>
        +{isWide && <span> New branch</span>}
      </span>
    </span>
  );
}

/** The name of a branch, where its first turn is a row. Null: it has none of its own, and its title says as much. */
export function nameOfRow(scope: GraphScope, { kind, lane, node, run }: RailRow): ShownName | null {
  if (kind === 'many' || lane === 0 || node !== run.first) return null;
  const name = branchNameOf(scope, node);
  return name?.from === 'words' ? null : name;
}

interface Figures {
  files: number;
  tokens: number;
  time: number;
}

const figuresOfTurn = ({ kind, tokens, time }: TurnNode, files: number): Figures => ({
  files,
  tokens: kind === 'compaction' ? 0 : tokens,
  time,
});

/** Of what is one row for many turns. */
export function figuresOfRow({ order }: BranchGraph, { kind, node, run, count, members }: RailRow): Figures {
  if (members) {
    // When one of them was last gone on with.
    const time = members.reduce((newest, first) => Math.max(newest, order.runOf(first).tip.time || 0), 0);
    return { files: 0, tokens: 0, time };
  }
  const last = kind === 'branch' ? run.tip : lastOf(node, count);
  return { ...sumTo(last, node), time: last.time };
}

function lastOf(first: TurnNode, count: number): TurnNode {
  let last = first;
  for (let left = count - 1; left > 0; left--) last = last.children[0] ?? last;
  return last;
}

/** By the last turn of a stretch: it is asked for with every drawing, and grows at its end. */
const sums = new WeakMap<TurnNode, { first: TurnNode; entries: number; sum: Omit<Figures, 'time'> }>();

/** Tokens of the turns from one down to another, and how many files they changed. O(turns) once, and when the last of them grows. */
function sumTo(last: TurnNode, first: TurnNode): Omit<Figures, 'time'> {
  const known = sums.get(last);
  if (known?.first === first && known.entries === last.entryCount) return known.sum;
  let tokens = 0;
  const paths = new Set<string>();
  for (let node: TurnNode | null = last; node; node = node === first ? null : node.parent) {
    tokens += node.tokens;
    for (const path of node.files) paths.add(path);
  }
  const sum = { tokens, files: paths.size };
  sums.set(last, { first, entries: last.entryCount, sum });
  return sum;
}

/** What the counts of turns and branches follow from. O(1). */
const shapeOf = ({ order, turns, hiddenCount, hasHiddenShown }: BranchGraph): string =>
  `${order.version}.${turns.nodes.length}.${order.filled}.${hiddenCount}.${hasHiddenShown}`;

/** Turns and branches as of a shape of the tree; those that were put away are counted apart. O(turns). */
function countsOf(graph: BranchGraph, _shape: string): { turns: number; branches: number; hidden: number } {
  const { turns, order } = graph;
  const isThere = (node: TurnNode): boolean => graph.hasHiddenShown || !graph.isHidden(node);
  const runs = order.runs();
  const branches = runs.filter(({ first }) => isThere(first)).length;
  return {
    turns: turns.nodes.filter((node) => order.countsAsTurn(node) && isThere(node)).length,
    ...{ branches, hidden: runs.length - branches },
  };
}

/** Above the rows: how much there is, whether HEAD is followed, and what the figures are (GR25). */
export function RailHead() {
  const { store } = useGraph();
  // An entry that joins its turn changes neither, and what does so may be counted after what is seen.
  const shape = useDeferredValue(useGraphState(({ version }) => (version < 0 ? '' : shapeOf(store.graph))));
  const { turns, branches, hidden } = useMemo(() => countsOf(store.graph, shape), [store, shape]);
  return (
    <div className={styles.columns}>
      <span>
        {plural(turns, 'turn')} · {plural(branches, 'branch', 'branches')}
        {hidden > 0 && ` · ${hidden.toLocaleString('en')} hidden`}
      </span>
      <FollowHead size={12} />
      <OtherKind size={12} />
      <span className={styles.files}>files</span>
      <span className={styles.tokens}>tok</span>
      <span className={styles.when}>when</span>
    </div>
  );
}
