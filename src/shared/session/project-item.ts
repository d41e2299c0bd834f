import type { PlanItem } from './plan-item';
import type { ProjectedMessage, SessionEntry } from './entry';
import { MissingBodiesError } from './errors';
import { pinnedMessage } from './pinned';
import { projectEntry } from './project-entry';
import type { TreeNode } from './tree-node';
import { applyEdit } from './view-edits';

/**
 * The message of a planned item, view edits applied.
 * @param bodyOf where the bodies are; default: in the tree
 * @throws MissingBodiesError
 */
export function projectItem(
  { node, edit, pinned }: PlanItem,
  bodyOf: (node: TreeNode) => SessionEntry = residentBody,
): ProjectedMessage {
  if (pinned) return pinnedMessage(pinned.map(bodyOf), node.timeMs);
  const message = projectEntry(bodyOf(node), node.timeMs);
  return edit ? applyEdit(message, edit) : message;
}

function residentBody(node: TreeNode): SessionEntry {
  if (!node.body) throw new MissingBodiesError([node.id]);
  return node.body;
}
