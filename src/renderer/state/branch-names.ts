/** What branches are called on screen (GR16): every name in visible form and bounded (docs/specs/safety.md C1). */
import { isRecord, own } from '@shared/checks';
import { beginningOf } from '@shared/cut-text';
import { firstLineOf } from '@shared/excerpt';
import { type Branch, type BranchName, nameOf } from '@shared/graph/branches';
import type { TurnNode } from '@shared/graph/turns';
import { visibleString } from '@shared/policy/visible-text';
import { blocksOf, isText, textOf } from '@shared/session/records/message-text';
import type { OpenSession } from './open-session';

/** Characters of a name that are shown; of a text in which its first line is looked for. */
const MAX_NAME = 80;
const MAX_READ = 4000;

/** What each state of a branch is called (GR17). */
export const BRANCH_STATES: Record<Branch['state'], string> = {
  head: 'HEAD',
  open: 'open',
  merged: 'merged',
  hidden: 'dead end',
};

const KINDS: Record<TurnNode['kind'], string> = {
  turn: 'Branch',
  answer: 'Another answer',
  bash: 'Command',
  compaction: 'Compaction',
  summary: 'Branch summary',
  start: 'Start',
};

export interface ShownName extends Pick<BranchName, 'from' | 'entryId'> {
  text: string;
}

/** A name on one line. */
function shownName(name: string): string {
  return visibleString(beginningOf(name.replace(/\s+/g, ' ').trim(), MAX_NAME));
}

/**
 * What a branch of the loaded graph is called. `title`: that of the session, `words`: those that stand for a branch without a name. O(1),
 * O(path) for HEAD's.
 */
export function nameOfBranch(
  session: OpenSession,
  title: string,
  branch: Pick<Branch, 'first' | 'state'>,
  head = session.graph.graph.head,
  words: (first: TurnNode) => string = (first) => wordsOf(session, namingTurn(first)),
): ShownName {
  const { names } = session.live.getState();
  const { from, text, entryId } = nameOf(session.graph.graph, names, branch, head);
  if (text !== null) return { from, entryId, text: shownName(text) || words(branch.first) };
  return {
    from,
    entryId,
    text: from === 'session' ? shownName(title) || 'New session' : words(branch.first),
  };
}

/** What the branch is called on which an entry stands; null: the graph is not loaded, or has no such entry. */
export function nameAtEntry(session: OpenSession, title: string, entryId: string): ShownName | null {
  const node = session.graph.graph.turns.place(entryId)?.node;
  return node ? nameOfTurn(session, title, node) : null;
}

/** `2/3`: which of its variants a turn is that stands in a stack (GR5), to follow the name of its branch; null: it has none. O(variants). */
export function variantAt(session: OpenSession, node: TurnNode): string | null {
  const stack = session.graph.graph.stackOf(node);
  const at = stack?.members.indexOf(node) ?? -1;
  return stack && at >= 0 ? `${at + 1}/${stack.members.length}` : null;
}

/** What the branch of a turn of the loaded graph is called. O(1), O(path) for HEAD's. */
export function nameOfTurn(session: OpenSession, title: string, node: TurnNode): ShownName {
  const { graph } = session.graph;
  const run = graph.order.runOf(node);
  const isHere = graph.head !== null && graph.order.runOf(graph.head) === run;
  return nameOfBranch(session, title, { first: run.first, state: isHere ? 'head' : 'open' });
}

/** What a branch is called that begins with an entry, as long as the graph is not loaded; empty: its words are not in memory. */
export function nameFrom(session: OpenSession, firstId: string): string {
  const { labels, names } = session.live.getState();
  const entry = session.entry(firstId);
  return shownName(own(labels, firstId) ?? own(names, firstId) ?? '') || (entry ? firstWords(entry) : '');
}

/** The entry whose words stand for the branch of another one, if it has no name. */
export function wordsEntryAt(session: OpenSession, entryId: string): string | null {
  const { graph } = session.graph;
  const node = graph.turns.place(entryId)?.node;
  return node ? wordsEntry(namingTurn(graph.order.runOf(node).first)) : null;
}

/** The entry whose words stand for a turn; null: it has none. */
export function wordsEntry({ promptId, replies }: TurnNode): string | null {
  return promptId ?? replies[0] ?? null;
}

/**
 * The turn whose words stand for a branch that begins with `first`: of one that begins with a summary what was said next, as the summary begins
 * in our own words, the same for every branch. O(1).
 */
export function namingTurn(first: TurnNode): TurnNode {
  const [next] = first.children;
  return first.kind === 'summary' && next && next.promptId !== null ? next : first;
}

/** The first words of a turn, as far as they are in memory. */
export function wordsOf(session: OpenSession, node: TurnNode): string {
  const id = wordsEntry(node);
  const entry = id === null ? undefined : session.entry(id);
  return (entry && firstWords(entry)) || (id !== null && !entry ? '…' : KINDS[node.kind]);
}

function firstWords(entry: object): string {
  const { summary, message } = entry as { summary?: unknown; message?: unknown };
  if (typeof summary === 'string') return lineOf(summary);
  if (!isRecord(message)) return '';
  if (message.role === 'bashExecution') return `$ ${lineOf(textOf(message.command))}`;
  let text = '';
  for (const block of blocksOf(message.content)) {
    if (isText(block)) text += `${block.text}\n`;
    if (text.length > MAX_READ) break;
  }
  return lineOf(text);
}

function lineOf(text: string): string {
  return shownName(firstLineOf(text.slice(0, MAX_READ)));
}
