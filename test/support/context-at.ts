import { bodyIdsOf, planContext } from '@shared/session/context/context-plan';
import type { ProjectedMessage } from '@shared/session/records/entry';
import { projectItem } from '@shared/session/messages/projection';
import type { SessionTree } from '@shared/session/tree/tree';

/** The context at a leaf as the app plans it, each item made into its message (CX1). Parameters as in `planContext`. */
export function contextAt(tree: SessionTree, leafId?: string | null, { asOf }: { asOf?: number } = {}) {
  const { items, thinkingLevel, model } = planContext(tree, leafId, asOf);
  const projection = items.map((item) => ({
    sourceId: item.sourceId,
    kind: item.kind,
    message: projectItem(item),
  }));
  const messages: ProjectedMessage[] = projection.map(({ message }) => message);
  return { projection, messages, thinkingLevel, model };
}

/** Ids of the bodies that the context at a leaf needs and that are not resident. */
export function contextBodyIds(tree: SessionTree, leafId?: string | null, asOf?: number): string[] {
  return [...bodyIdsOf(planContext(tree, leafId, asOf))].filter((id) => !tree.body(id));
}
