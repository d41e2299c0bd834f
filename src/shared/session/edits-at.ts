import { textOf } from './message-text';
import { isRecord } from '../own';
import { dataOf } from './path-state';
import type { SessionTree } from './tree';
import type { TreeNode } from './tree-node';
import type { PruneMode, ViewEdit } from './view-edits';

/** View edits in force at a node, by target. Latest first, so the first seen of a kind wins. O(edits on the path). */
export function viewEditsAt(tree: SessionTree, leaf: TreeNode): Map<string, ViewEdit> {
  const edits = new Map<string, ViewEdit>();
  const pruneSeen = new Set<string>();
  for (let node = tree.stateOf(leaf).edit; node; node = node.parent ? tree.stateOf(node.parent).edit : null) {
    if (node.facts.type === 'context_edit') addContextEdit(edits, node);
    else if (node.facts.customType === 'espalier.omit') addOmit(edits, node);
    else addPrune(edits, pruneSeen, node);
  }
  return edits;
}

function editOf(edits: Map<string, ViewEdit>, targetId: string): ViewEdit {
  const known = edits.get(targetId);
  if (known) return known;
  const edit: ViewEdit = { omitted: false };
  edits.set(targetId, edit);
  return edit;
}

function addContextEdit(edits: Map<string, ViewEdit>, node: TreeNode): void {
  const { targetId, replacement } = (node.body ?? {}) as { targetId?: unknown; replacement?: unknown };
  if (typeof targetId !== 'string') return;
  const edit = editOf(edits, targetId);
  if (edit.replacement !== undefined) return;
  edit.replacement = isRecord(replacement) ? { content: replacement.content } : null;
}

function addOmit(edits: Map<string, ViewEdit>, node: TreeNode): void {
  const { targets } = dataOf(node.body);
  if (!Array.isArray(targets)) return;
  for (const target of targets) if (typeof target === 'string') editOf(edits, target).omitted = true;
}

function addPrune(edits: Map<string, ViewEdit>, seen: Set<string>, node: TreeNode): void {
  const { action, items } = dataOf(node.body);
  if (!Array.isArray(items)) return;
  for (const item of items.filter(isRecord)) {
    const targetId = textOf(item.targetId);
    if (seen.has(targetId)) continue;
    seen.add(targetId);
    const { mode, tokens } = item;
    if (action !== 'prune' || !isPruneMode(mode)) continue;
    editOf(edits, targetId).prune = { mode, tokens: typeof tokens === 'number' ? tokens : 0 };
  }
}

function isPruneMode(mode: unknown): mode is PruneMode {
  return mode === 'elide' || mode === 'shorten' || mode === 'images';
}
