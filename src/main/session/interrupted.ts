import { shownCallId } from '@shared/beginning';
import type { Failure } from '@shared/types';
import type { ToolResultMessage } from '@shared/session/entry';
import type { TreeNode } from '@shared/session/tree-node';
import { lastMessage, turnEnd } from '@shared/session/turn-end';
import { storedFailure } from '../agent/failure-cards';
import { openCalls } from '../agent/open-calls';
import type { SessionLog } from '../ports';

export interface LeftTurn {
  interrupted: boolean;
  /** Calls of it that can't have begun, as the window knows their ids (AG11). */
  neverBegan: string[];
  /** By open call: the entry of what the person made of its command. */
  edits: Record<string, string>;
  /** Calls of it have no result, or nothing was ever said after it: whoever comes back to it is told. */
  isOpen: boolean;
  failure: Failure | null;
}

const isLast = (node: TreeNode | null): boolean => node?.children.every(({ facts }) => facts.side) === true;

/**
 * How a session that is reopened left its newest turn. One that a crash or a quit cut off is shown as interrupted; its tools are
 * never run again. One that the person had stopped is not: what came of its last call says so. Reads two bodies at most.
 */
export async function readTurnEnd(
  log: SessionLog,
  firstUnbegun?: (replyId: string) => string | null,
): Promise<LeftTurn> {
  const end = turnEnd(log.tree);
  if (end === 'none' || end === 'finished' || end === 'stopped') return NOTHING_LEFT;
  const node = lastMessage(log.tree);
  const [entry] = node ? await log.loadBodies([node.id]) : [];
  const message = entry && 'message' in entry ? (entry.message as Stored) : {};
  if (end === 'failed') return { ...NOTHING_LEFT, failure: storedFailure(message.errorMessage) };
  if (message.role === 'toolResult' && message.espalier?.stopped === true) return NOTHING_LEFT;
  const open = await openCalls(log, firstUnbegun);
  const neverBegan = open.filter((each) => each.neverBegan).map(({ call }) => shownCallId(call.id));
  const edits = open.flatMap(({ call, edit }) => (edit ? [[shownCallId(call.id), edit.entryId] as const] : []));
  return {
    ...{ interrupted: true, neverBegan, failure: null },
    ...{ edits: Object.fromEntries(edits), isOpen: open.length > 0 || isLast(node) },
  };
}

type Stored = Partial<Pick<ToolResultMessage, 'espalier'>> & { role?: string; errorMessage?: string };

const NOTHING_LEFT: LeftTurn = { interrupted: false, neverBegan: [], edits: {}, isOpen: false, failure: null };
