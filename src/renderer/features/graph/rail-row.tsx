import { memo, useEffect, useState } from 'react';
import type { NodeProps } from '@xyflow/react';
import type { RailRow } from '@shared/graph/rail-rows';
import type { TurnNode } from '@shared/graph/turns';
import { formatTokens, formatWhen, plural } from '../../state/format';
import { useLive } from '../../state/hooks';
import { cx, Glyph } from '../../ui';
import { useGraph, useGraphState, usePicture } from './context';
import { FollowHead, OtherKind } from './controls';
import type { RailPicture } from './rail';
import styles from './rail.module.css';
import { type FlowNode, PinSign, useCell } from './turn-node';
import { isEndOfHead } from './view';
import {
  endOf,
  headState,
  isAtWork,
  nameOf,
  railTitle,
  shownLabel,
  type ToolKind,
  toolKinds,
  variantOf,
} from './words';

/** One row of the rail: name, title, what stands out, tools, and three figures. Its lane is painted. */
export const RailCell = memo(function RailCell({ data: { node, words } }: NodeProps<FlowNode>) {
  const { store, texts, app, session } = useGraph();
  const picture = usePicture() as RailPicture;
  const { hasHead, withPlus, isPointedAt, attributes } = useCell(node);
  const isWorking = useLive(session, isAtWork) && hasHead;
  const row = picture.rowOf(node);
  const { graph } = store;
  if (!row) return null;
  const shown = row.kind === 'turn' || row.kind === 'branch' ? graph.shownOn(node) : node;
  const text = texts(shown);
  const region = graph.regionOf(node);
  const label = row.kind === 'fold' || row.kind === 'many' ? undefined : shownLabel(graph, shown);
  const name = nameOf(graph, row);
  const variant = row.kind === 'turn' ? variantOf(graph, node) : null;
  const end = row.kind === 'turn' ? endOf(shown) : null;
  const tools = row.kind === 'turn' ? toolKinds(text.tools) : [];
  const figures = row.kind === 'turn' ? figuresOfTurn(shown, text.files.length) : figuresOfRow(row);
  const isMark = row.kind === 'turn' && (node.kind === 'compaction' || node.kind === 'summary');
  const begins =
    withPlus && row.kind === 'turn' ? (isEndOfHead(graph, node) ? 'anew' : node.children.length > 0) : false;
  return (
    <div
      className={cx(styles.row, isMark && styles[node.kind])}
      style={words === 0 ? undefined : { paddingLeft: words }}
      data-region={region}
      data-kind={row.kind === 'turn' ? node.kind : row.kind}
      data-hidden={graph.isHidden(node) || undefined}
      {...attributes}
    >
      {name !== null && (
        <span className={styles.name} dir="auto">
          {name}
        </span>
      )}
      {graph.pinsOf(node).length > 0 && <PinSign />}
      <span className={styles.title} dir="auto">
        {railTitle(graph, row, text)}
      </span>
      {label !== undefined && label !== name && (
        <span className={styles.label}>
          <Glyph name="label" size={9} /> {label}
        </span>
      )}
      {hasHead && (
        <span className={styles.head} data-pill>
          HEAD
        </span>
      )}
      {row.kind === 'branch' && row.count > 1 && name === null && (
        <span className={styles.more}>{plural(row.count, 'turn')}</span>
      )}
      {variant !== null && (
        <span className={styles.variants} data-variants>
          ‹{variant}›
        </span>
      )}
      {end && <span className={end === 'failed' ? styles.failed : styles.stopped}>{end}</span>}
      <i className={styles.space} />
      {begins !== false && !isWorking && (
        <span
          className={styles.plus}
          title="Try another way from here"
          data-plus
          data-wide={(begins === 'anew' && isPointedAt) || undefined}
        >
          {begins === 'anew' && isPointedAt ? '+ New branch' : '+'}
        </span>
      )}
      {isWorking ? (
        <State />
      ) : (
        <>
          <Tools kinds={tools} />
          <span className={styles.files}>{figures.files > 0 && figures.files.toLocaleString('en')}</span>
          <span className={styles.tokens}>{figures.tokens > 0 && formatTokens(figures.tokens)}</span>
          <span className={styles.when}>{formatWhen(figures.time, app.now())}</span>
        </>
      )}
    </div>
  );
});

const TOOLS: Record<ToolKind, string> = {
  read: 'M15 2H6a2 2 0 0 0-2 2v16a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2V7ZM14 2v4a2 2 0 0 0 2 2h4M10 9H8M16 13H8M16 17H8',
  edit: 'M21.174 6.812a1 1 0 0 0-3.986-3.987L3.842 16.174a2 2 0 0 0-.5.83l-1.321 4.352a.5.5 0 0 0 .623.622l4.353-1.32a2 2 0 0 0 .83-.497zM15 5l4 4',
  run: 'M12 19h8M4 17l6-6-6-6',
  other:
    'M14.7 6.3a1 1 0 0 0 0 1.4l1.6 1.6a1 1 0 0 0 1.4 0l3.77-3.77a6 6 0 0 1-7.94 7.94l-6.91 6.91a2.12 2.12 0 0 1-3-3l6.91-6.91a6 6 0 0 1 7.94-7.94l-3.76 3.76z',
};

/** What the tools of a turn did, in one drawing: a row has few elements. */
function Tools({ kinds }: { kinds: readonly ToolKind[] }) {
  if (kinds.length === 0) return null;
  return (
    <svg
      className={styles.tools}
      width={kinds.length * 15 - 3}
      height={12}
      viewBox={`0 0 ${kinds.length * 30 - 6} 24`}
      aria-hidden
    >
      {kinds.map((kind, at) => (
        <path key={kind} d={TOOLS[kind]} transform={`translate(${at * 30})`} />
      ))}
    </svg>
  );
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
function figuresOfRow({ kind, node, run, count }: RailRow): Figures {
  if (kind === 'many') return { files: 0, tokens: 0, time: node.time };
  const last = kind === 'branch' ? run.tip : lastOf(node, count);
  return { files: 0, tokens: tokensTo(last, node), time: last.time };
}

function lastOf(first: TurnNode, count: number): TurnNode {
  let last = first;
  for (let left = count - 1; left > 0; left--) last = last.children[0] ?? last;
  return last;
}

/** By the last turn of a stretch: it is asked for with every drawing, and grows at its end. */
const sums = new WeakMap<TurnNode, { first: TurnNode; entries: number; tokens: number }>();

/** Tokens of the turns from one down to another. O(turns) once, and when the last of them grows. */
function tokensTo(last: TurnNode, first: TurnNode): number {
  const known = sums.get(last);
  if (known?.first === first && known.entries === last.entryCount) return known.tokens;
  let tokens = 0;
  for (let node: TurnNode | null = last; node; node = node === first ? null : node.parent) tokens += node.tokens;
  sums.set(last, { first, entries: last.entryCount, tokens });
  return tokens;
}

/** What goes on at HEAD, and for how long (GR15). */
function State() {
  const { session, store, app } = useGraph();
  const state = useLive(session, headState);
  const [now, setNow] = useState(() => app.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(app.now()), 1_000);
    return () => clearInterval(timer);
  }, [app]);
  const { head } = store.graph;
  return (
    <span className={styles.state} data-state={state}>
      {state}
      {head && ` · ${formatClock(now - head.time)}`}
    </span>
  );
}

/** `0:42`, `12:03`, `1:02:03`. */
function formatClock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (n: number): string => String(n).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** Above the rows: how much there is, whether HEAD is followed, and what the figures are (GR25). */
export function RailHead() {
  const { store } = useGraph();
  useGraphState((state) => state.version);
  const { graph } = store;
  const turns = graph.turns.nodes.length;
  const branches = graph.order.runs().length;
  return (
    <div className={styles.columns}>
      <span>
        {plural(turns, 'turn')} · {plural(branches, 'branch', 'branches')}
      </span>
      <FollowHead size={12} />
      <OtherKind size={12} />
      <span className={styles.files}>files</span>
      <span className={styles.tokens}>tok</span>
      <span className={styles.when}>when</span>
    </div>
  );
}
