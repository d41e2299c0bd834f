/** Nodes in words, for their cards and for screen readers. */
import type { BranchGraph } from '@shared/graph/branch-graph';
import type { TurnNode } from '@shared/graph/turns';
import { visibleString } from '@shared/policy/visible-text';
import { formatTokens, plural } from '../../state/format';
import type { NodeText } from './node-text';

const NAMES: Record<TurnNode['kind'], string> = {
  turn: 'Turn',
  answer: 'Another answer',
  bash: 'Command',
  compaction: 'Compaction',
  summary: 'Branch summary',
  start: 'Start',
};

/** What stands on a node as its title; never empty. */
export function titleOfNode(node: TurnNode, text: NodeText): string {
  if (node.kind === 'start') return 'Start';
  if (text.title !== '') return text.title;
  return text.isPartial ? '…' : NAMES[node.kind];
}

/** A node's label as it is drawn and read out; undefined where it has none. */
export function shownLabel(graph: BranchGraph, node: TurnNode): string | undefined {
  const label = graph.labelOf(node);
  return label === undefined ? undefined : visibleString(label);
}

/** The small line under the title. */
export function figuresOf(node: TurnNode, text: NodeText): string[] {
  const figures = node.tokens > 0 ? [formatTokens(node.tokens)] : [];
  if (text.files.length > 0) figures.push(plural(text.files.length, 'file'));
  return figures;
}

export function foldWords(graph: BranchGraph, node: TurnNode): { title: string; figures: string } | null {
  const fold = graph.folds.of(node);
  if (!fold || fold.first !== node) return null;
  return { title: plural(fold.count, 'turn'), figures: formatTokens(fold.tokens) };
}

/** The whole node in one sentence. */
export function nodeInWords(graph: BranchGraph, node: TurnNode, text: NodeText): string {
  const fold = foldWords(graph, node);
  const label = shownLabel(graph, node);
  const parts = fold
    ? [`${fold.title} folded`, `${fold.figures} tokens`]
    : [`${NAMES[node.kind]}: ${titleOfNode(node, text)}`];
  if (label) parts.push(`label ${label}`);
  if (graph.pinsOf(node).length > 0) parts.push('pinned');
  if (!fold && node.tokens > 0) parts.push(`${formatTokens(node.tokens)} tokens`);
  if (text.files.length > 0 && !fold) parts.push(`${plural(text.files.length, 'file')} changed`);
  if (graph.head && graph.layout.cellOf(graph.head) === node) parts.push('HEAD');
  return [...parts, ...standing(graph, node)].join(', ');
}

/** What a sighted person sees by colour and place. */
export function standing(graph: BranchGraph, node: TurnNode): string[] {
  const region = graph.regionOf(node);
  const place = {
    seen: 'on the active path',
    summarised: 'on the active path, summarised',
    aside: 'on another branch',
  };
  const parts = [place[region]];
  const branches = graph.layout.below(node).length;
  if (node.failed) parts.push('failed');
  if (node.stopped) parts.push('stopped');
  if (branches > 1) parts.push(`${branches} branches`);
  if (graph.isHidden(node)) parts.push('hidden');
  return parts;
}
