/** A branch as what actions act on, from the list of branches as from the drawer (GR17). */
import type { Branch } from '@shared/graph/branches';
import type { TurnNode } from '@shared/graph/turns';
import type { NodeTarget } from '../../actions/action';
import { act, menuItems } from '../../actions/menus';
import type { ShownName } from '../../state/branch-names';
import type { MenuItem } from '../../ui';
import type { GraphScope } from './context';
import { forksOfBranch, withForks } from './fork-sign';
import { targetAt } from './view';

/** The turn that a branch ends with: of HEAD's the one that HEAD is on. */
export function endOfBranch({ graph }: GraphScope['store'], { state, tip }: Branch): TurnNode {
  return state === 'head' && graph.head ? graph.head : tip;
}

/** The turn at which a branch is shown to be read: where it begins, HEAD's where HEAD is. */
export function readAt({ graph }: GraphScope['store'], { state, first }: Branch): TurnNode {
  return state === 'head' && graph.head ? graph.head : first;
}

export function targetOfBranch(scope: GraphScope, branch: Branch, name: ShownName): NodeTarget {
  return { ...targetAt(scope, endOfBranch(scope.store, branch)), id: branch.id, branch: name };
}

/** Has a branch read where it begins, HEAD's where HEAD is, from wherever it is listed (GR17). */
export function readBranch(scope: GraphScope, branch: Branch): void {
  const { store } = scope;
  act(scope.app, 'node.read', targetAt(scope, readAt(store, branch), endOfBranch(store, branch)));
}

export function menuOfBranch(scope: GraphScope, branch: Branch, name: ShownName): MenuItem[] {
  const items = menuItems(scope.app, 'branch', targetOfBranch(scope, branch, name)).map((item) =>
    item.id === 'node.read' ? { ...item, onSelect: () => readBranch(scope, branch) } : item,
  );
  return [{ kind: 'label', id: 'name', label: name.text }, ...withForks(scope, items, forksOfBranch(scope, branch))];
}
