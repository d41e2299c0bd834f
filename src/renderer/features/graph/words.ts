/**
 * Nodes in words, for their cards and for screen readers: read from the bodies of their entries as far as they are in memory; in visible
 * form (docs/specs/safety.md C1).
 */
import { isRecord } from '@shared/checks';
import { beginningOf, MAX_NAME_CHARS, shownCallId } from '@shared/cut-text';
import { firstLineOf } from '@shared/excerpt';
import type { BranchGraph } from '@shared/graph/branch-graph';
import type { CanvasLayout } from '@shared/graph/canvas';
import type { RailRow } from '@shared/graph/rail-rows';
import type { TurnNode } from '@shared/graph/turns';
import { isReadingTool } from '@shared/policy/tool-policy';
import { visibleString } from '@shared/policy/visible-text';
import type { SessionEntry } from '@shared/session/records/entry';
import { estimateText } from '@shared/session/records/estimate';
import { blocksOf, isText, listedWords, textOf } from '@shared/session/records/message-text';
import type { LiveSession, Phase } from '@shared/session-state/state';
import { formatTokens, plural } from '../../state/format';

export interface NodeText {
  /** First line of what the person reads first. */
  title: string;
  /** First line of the last answer, empty if there is none. */
  answer: string;
  /** Names of the tools that were called, in order, each once. */
  tools: string[];
  /** Distinct files that the model changed. */
  files: string[];
  /** For a branch summary: the leaf of the branch that it tells of. */
  fromId: string | null;
  /** Some of its bodies are not here yet. */
  isPartial: boolean;
}

/** Replies of a turn that are read for its text: a turn may have hundreds. */
const MAX_REPLIES = 24;
const MAX_LINE = 160;
/** Characters of a text in which its first line is looked for. */
const MAX_READ = 4000;

type Read = (id: string) => SessionEntry | undefined;

/** The entries that `textOfNode` reads. */
export function entriesOfNode(node: TurnNode): readonly string[] {
  const replies = node.replies.length > MAX_REPLIES ? node.replies.slice(-MAX_REPLIES) : node.replies;
  return node.promptId === null ? replies : [node.promptId, ...replies];
}

/** Never throws, whatever a foreign writer left out. O(bodies read). */
export function textOfNode(node: TurnNode, read: Read): NodeText {
  const text: NodeText = { title: '', answer: '', tools: [], files: [], fromId: null, isPartial: false };
  const tools = new Set<string>();
  const files = new Set<string>();
  const changes = new Set(node.changes);
  for (const id of entriesOfNode(node)) {
    const entry = read(id);
    if (!entry) text.isPartial = true;
    else if (id === node.promptId) takePrompt(text, entry);
    else takeReply(text, entry, { tools, files, changes });
  }
  if (text.title === '') text.title = node.promptId === null ? text.answer : '';
  return { ...text, tools: [...tools], files: [...files] };
}

function takePrompt(text: NodeText, entry: SessionEntry): void {
  const record = entry as Record<string, unknown> & { type: string };
  if (record.type === 'compaction')
    text.title = [
      `${countOf(record)} → ${formatTokens(estimateText(textOf(record.summary)))} tok`,
      firstLine(textOf(record.shortSummary)),
    ]
      .filter(Boolean)
      .join(' · ');
  else if (record.type === 'branch_summary') {
    text.title = firstLine(textOf(record.summary));
    text.fromId = typeof record.fromId === 'string' ? record.fromId : null;
  } else if (isRecord(record.message)) {
    const { role, command, content } = record.message;
    text.title =
      role === 'bashExecution'
        ? `$ ${firstOfCommand(textOf(command))}`
        : firstLine(role === 'user' ? listedWords(content) : wordsOf(content)) || picturesOf(content);
  }
}

/** Only calls that did change something count: others were declined, failed, or wait. */
function takeReply(
  text: NodeText,
  entry: SessionEntry,
  { tools, files, changes }: Record<'tools' | 'files' | 'changes', Set<string>>,
): void {
  const message = (entry as { message?: unknown }).message;
  if (!isRecord(message)) return;
  const line = firstLine(wordsOf(message.content));
  if (line !== '') text.answer = line;
  for (const block of blocksOf(message.content)) {
    if (block.type !== 'toolCall') continue;
    const name = textOf(block.name);
    tools.add(visibleName(name));
    const path =
      changes.has(shownCallId(textOf(block.id))) && isRecord(block.arguments) ? textOf(block.arguments.path) : '';
    if (path !== '') files.add(visibleName(path));
  }
}

function countOf(entry: Record<string, unknown>): string {
  const facts = isRecord(entry.details) && isRecord(entry.details.espalier) ? entry.details.espalier : {};
  const { entriesSummarized: count } = facts;
  return typeof count === 'number' && count > 0 ? plural(count, 'message') : 'Compacted';
}

function wordsOf(content: unknown): string {
  let words = '';
  for (const block of blocksOf(content)) {
    if (isText(block)) words += `${block.text}\n`;
    if (words.length > MAX_READ) break;
  }
  return words;
}

function picturesOf(content: unknown): string {
  return blocksOf(content).some((block) => block.type === 'image') ? 'A picture' : '';
}

const visibleName = (name: string): string => visibleString(beginningOf(name, MAX_NAME_CHARS));

/** The first line with words, without the marks of Markdown. */
function firstLine(text: string): string {
  return visibleString(beginningOf(firstLineOf(text.slice(0, MAX_READ)), MAX_LINE));
}

/** A command's own: what looks like Markdown in it is none. */
function firstOfCommand(command: string): string {
  const line = command
    .slice(0, MAX_READ)
    .split('\n')
    .find((part) => part.trim() !== '');
  return visibleString(beginningOf((line ?? '').trim(), MAX_LINE));
}

/** Texts of nodes, kept while their turns do not grow: bodies leave the cache, what a node says need not. */
export function createNodeTexts(read: Read) {
  const known = new WeakMap<TurnNode, { entries: number; text: NodeText }>();
  return (node: TurnNode): NodeText => {
    const held = known.get(node);
    if (held && held.entries === node.entryCount && !held.text.isPartial) return held.text;
    const text = textOfNode(node, read);
    if (!text.isPartial) known.set(node, { entries: node.entryCount, text });
    return text;
  };
}
export type NodeTexts = ReturnType<typeof createNodeTexts>;

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

/** The small line under the title: each figure with its unit (GR25). */
export function figuresOf(node: TurnNode, text: NodeText): string[] {
  const figures = text.files.length > 0 ? [plural(text.files.length, 'file')] : [];
  if (node.tokens > 0) figures.push(`${formatTokens(node.tokens)} tok`);
  return figures;
}

export function foldWords(graph: BranchGraph, node: TurnNode): { title: string; figures: string } | null {
  const fold = graph.folds.of(node);
  if (!fold || fold.first !== node) return null;
  return { title: plural(fold.count, 'turn'), figures: `${formatTokens(fold.tokens)} tok` };
}

/** What the tools of a turn did, each kind once, in the order in which they are drawn. */
export function toolKinds(tools: readonly string[]): ToolKind[] {
  const kinds = new Set(tools.map(kindOfTool));
  return TOOL_KINDS.filter((kind) => kinds.has(kind));
}

const TOOL_KINDS = ['read', 'edit', 'run', 'other'] as const;
export type ToolKind = (typeof TOOL_KINDS)[number];

function kindOfTool(tool: string): ToolKind {
  if (tool === 'edit' || tool === 'write') return 'edit';
  if (tool === 'bash') return 'run';
  return isReadingTool(tool) ? 'read' : 'other';
}

/** What a cell of the canvas says as its title. */
export function cellTitle(graph: BranchGraph, layout: CanvasLayout, cell: TurnNode, text: NodeText): string {
  const many = layout.manyIn(cell);
  return many > 0 ? plural(many, 'branch', 'branches') : titleOfNode(graph.shownOn(cell), text);
}

/** How much a cell of the canvas stands for, if it is more than one turn. */
export function cellCount(layout: CanvasLayout, cell: TurnNode): string | null {
  const turns = layout.turnsIn(cell);
  if (turns < 2) return null;
  const branches = layout.branchesIn(cell);
  return `${plural(turns, 'turn')}${branches > 0 ? ` · ${plural(branches, 'branch', 'branches')}` : ''}`;
}

/** How much a closed branch is, if it is more than one turn: `3 turns · 1 branch` (GR7). */
export function closedSize(graph: BranchGraph, { count, run }: RailRow): string | null {
  const within = graph.branchesIn(run);
  const parts = count > 1 ? [plural(count, 'turn')] : [];
  if (within > 0) parts.push(plural(within, 'branch', 'branches'));
  return parts.length > 0 ? parts.join(' · ') : null;
}

/** What a row of the rail says besides its name. `text`: of the turn whose words it shows; `from`: where its summary comes from. */
export function railTitle(
  graph: BranchGraph,
  row: RailRow,
  text: NodeText,
  hasName: boolean,
  from: string | null,
): string {
  const node = graph.shownOn(row.node);
  if (row.kind === 'many') return plural(row.count, 'branch', 'branches');
  if (row.kind === 'fold') return plural(row.count, 'turn');
  if (row.kind === 'branch' && row.count > 1 && hasName) return closedSize(graph, row) ?? '';
  return from ?? titleOfNode(node, text);
}

/** What a + does (GR21). At HEAD there is nothing to leave but its last prompt: another try of that stands beside it. */
export const plusTitle = (isAnew: boolean): string =>
  isAnew ? 'Try another way from here: edit this prompt' : 'Try another way from here: a new branch after this turn';

/** Whether the node that stands for HEAD's turn shows that, and no variant of it that is read. O(1). */
export const isHeadShown = (graph: BranchGraph): boolean =>
  graph.head !== null && graph.shownOn(graph.head) === graph.head;

/** `2/4`: which of its variants a cell shows (GR5). Null: there are no others. */
export function variantOf(graph: BranchGraph, node: TurnNode): string | null {
  const stack = graph.stackOf(node);
  return stack && `${stack.members.indexOf(stack.shown) + 1}/${stack.members.length}`;
}

export const isAtWork = ({ phase, failure }: LiveSession): boolean =>
  phase !== 'idle' && phase !== 'closing' && !failure;

const STATES: Record<Phase, string> = {
  idle: 'done',
  running: 'streaming',
  waiting: 'waiting for you',
  retrying: 'retrying',
  job: 'summarising',
  rewriting: 'moving',
  stopping: 'stopping',
  closing: 'closing',
};

/** What goes on at HEAD, in two words. */
export const headState = ({ phase }: LiveSession): string => STATES[phase];

/** How a turn ended, where that is to be seen (TS4): the turn, or the last of its calls that is not done. */
export function endOf({ failed, stopped, ended }: TurnNode): { words: string; isFailure: boolean } | null {
  if (failed) return { words: 'failed', isFailure: true };
  return stopped ? { words: 'stopped', isFailure: false } : ended;
}

/** What the members of a stack are (GR5): `Variant 3 of 4: 2 wordings of the prompt, 2 answers to this one`. Null: there are no others. */
export function variantInWords(graph: BranchGraph, node: TurnNode): string | null {
  const stack = graph.stackOf(node);
  if (!stack) return null;
  const { members, shown } = stack;
  const prompts = new Set(members.map(({ promptId }) => promptId)).size;
  const answers = members.filter(({ promptId }) => promptId === shown.promptId).length;
  const parts = prompts > 1 ? [plural(prompts, 'wording') + ' of the prompt'] : [];
  if (answers > 1) parts.push(plural(answers, 'answer') + (prompts > 1 ? ' to this one' : ''));
  return `Variant ${members.indexOf(shown) + 1} of ${members.length}: ${parts.join(', ')}`;
}

/** What the variants behind a stack's front have, in words (GR5). */
export function wordsBehind(graph: BranchGraph, node: TurnNode): string | null {
  const stack = graph.stackOf(node);
  if (!stack) return null;
  const { head, label, pin, failed, files } = graph.marksBehind(stack);
  const has = [
    head && 'HEAD',
    label && 'a label',
    pin && 'a pin',
    failed && 'a failure',
    files && 'changed files',
  ].filter(Boolean);
  return has.length > 0 ? `Behind it: ${has.join(', ')}` : null;
}

/** What a cell stands for and is about, besides its turn. */
export interface CellFacts {
  /** HEAD is in it. */
  hasHead: boolean;
  /** The name of the branch that begins there, where it is drawn (GR16). */
  name?: string | null;
  /** `from ‹name›`, of a branch summary. */
  from?: string | null;
  /** How many branches it is, where it is "N branches" (GR6). */
  many?: number;
  /** What is drawn of the turns that it stands for: those of a closed branch, or of a chapter. */
  stands?: string | null;
  /** It is a chapter of several turns. */
  isChapter?: boolean;
  /** What goes on at HEAD, if anything does. */
  state?: string | null;
}

/** The whole node in one sentence, as it is drawn: of a stack the variant that is shown. */
export function nodeInWords(
  graph: BranchGraph,
  node: TurnNode,
  text: NodeText,
  { hasHead, name = null, from = null, many = 0, stands = null, isChapter = false, state = null }: CellFacts,
): string {
  if (many > 0) return `${plural(many, 'branch', 'branches')} in one, Enter lists them`;
  const fold = foldWords(graph, node);
  const shown = fold ? node : graph.shownOn(node);
  const label = shownLabel(graph, shown);
  const parts = fold
    ? [`${fold.title} folded`, fold.figures.replace(/tok$/, 'tokens')]
    : [`${isChapter ? 'Chapter' : NAMES[shown.kind]}: ${from ?? titleOfNode(shown, text)}`];
  if (name !== null) parts.unshift(`Branch ${name}`);
  const variant = fold ? null : variantOf(graph, node);
  if (variant) parts.push(`version ${variant.replace('/', ' of ')}`);
  if (stands !== null) parts.push(stands);
  if (label && label !== name) parts.push(`label ${label}`);
  if (graph.pinsOf(shown).length > 0) parts.push('pinned');
  if (!fold && stands === null && shown.tokens > 0) parts.push(`${formatTokens(shown.tokens)} tokens`);
  if (text.files.length > 0 && !fold) parts.push(`${plural(text.files.length, 'file')} changed`);
  if (hasHead && (node !== graph.head || isHeadShown(graph))) parts.push(state === null ? 'HEAD' : `HEAD, ${state}`);
  return [...parts, ...standing(graph, node, stands === null ? shown : node)].join(', ');
}

/** Children of one turn among which those that are not drawn are told apart. */
const MOST_COUNTED = 1_000;

/** What goes straight on from a turn, and branches. O(children), of very many O(1). */
function waysFrom(graph: BranchGraph, { children }: TurnNode): number {
  if (children.length < 2 || children.length > MOST_COUNTED) return children.length;
  const { variants } = graph.order;
  const isDrawn = (child: TurnNode): boolean =>
    !variants.isBehind(child) && (graph.hasHiddenShown || !graph.isHidden(child));
  return children.filter(isDrawn).length;
}

/** What a sighted person sees by colour and place. `shown`: the variant that a stack shows, which it is told of. */
export function standing(graph: BranchGraph, node: TurnNode, shown = node): string[] {
  const region = graph.regionOf(shown);
  const place = {
    seen: 'on the active path',
    summarised: 'on the active path, summarised',
    aside: 'on another branch',
  };
  const parts = [place[region]];
  const branches = waysFrom(graph, node);
  if (shown.failed) parts.push('failed');
  if (shown.ended) parts.push(shown.ended.words);
  if (shown.stopped) parts.push('stopped');
  const behind = wordsBehind(graph, node);
  if (behind) parts.push(behind.replace('Behind', 'behind'));
  if (branches > 1) parts.push(`${branches} branches`);
  if (graph.isHidden(shown)) parts.push('hidden');
  return parts;
}
