import { beginningOf, MAX_NAME_CHARS } from '../beginning';
import type { CustomEntry, SessionEntry } from './entry';
import { isFailedReply } from './facts';
import { textOf } from './message-text';
import { isRecord } from '../own';
import type { ModelChoice, PathState, TreeNode } from './tree-node';

/** The state before the first entry. */
export const EMPTY_STATE: PathState = {
  thinkingLevel: 'off',
  model: null,
  compaction: null,
  reset: null,
  edit: null,
  requests: null,
};

/** The state after one more entry on the path; the same object if the entry changes nothing. O(1). */
export function nextState(before: PathState, node: TreeNode, hasRequests: boolean): PathState {
  const changed = change(before, node);
  if (!hasRequests) return changed ? { ...before, ...changed } : before;
  return { ...before, ...changed, requests: node };
}

function change(before: PathState, node: TreeNode): Partial<PathState> | null {
  const { facts, body } = node;
  switch (facts.type) {
    case 'message': {
      const { reply } = facts;
      if (!reply || isFailedReply(reply)) return null;
      const model = choiceOf(reply.provider, reply.model);
      const same = before.model?.provider === model.provider && before.model.modelId === model.modelId;
      return same ? null : { model };
    }
    case 'model_change': {
      const model = body && modelChangeOf(body);
      return model ? { model } : null;
    }
    case 'thinking_level_change':
      return {
        thinkingLevel: named(textOf((body as { thinkingLevel?: unknown } | undefined)?.thinkingLevel)) || 'off',
      };
    case 'compaction':
      return { compaction: node };
    case 'reset_boundary':
      return { reset: node };
    case 'context_edit':
      return { edit: node };
    case 'custom':
      return isViewEditType(facts.customType) ? { edit: node } : null;
    default:
      return null;
  }
}

/** True for our view edits (SF11). */
function isViewEditType(customType: string | undefined): boolean {
  return customType === 'espalier.prune' || customType === 'espalier.omit';
}

/**
 * The model that a `model_change` chooses, or null if it chooses none. oh-my-pi writes `model` ("provider/id", split at the
 * first slash) and changes for roles other than `default`, which are not the session's (SF7).
 */
function modelChangeOf(entry: SessionEntry): ModelChoice | null {
  const change = entry as { provider?: unknown; modelId?: unknown; model?: unknown; role?: unknown };
  if (typeof change.role === 'string' && change.role !== 'default') return null;
  if (typeof change.provider === 'string' && typeof change.modelId === 'string') {
    return choiceOf(change.provider, change.modelId);
  }
  const model = textOf(change.model);
  const slash = model.indexOf('/');
  return slash < 0 ? null : choiceOf(model.slice(0, slash), model.slice(slash + 1));
}

/** Cut where they are read (JN46): the window is sent them, and no model has a name of that length. */
function choiceOf(provider: string, modelId: string): ModelChoice {
  return { provider: named(provider), modelId: named(modelId) };
}

function named(name: string): string {
  return beginningOf(name, MAX_NAME_CHARS);
}

/** The `data` of one of our entries as an object; empty if it holds none. */
export function dataOf(entry: SessionEntry | undefined): Record<string, unknown> {
  const data = (entry as CustomEntry | undefined)?.data;
  return isRecord(data) ? data : {};
}
