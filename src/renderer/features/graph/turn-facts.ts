/** Names of files and branches as they are shown, found and completed (GR16, GR19). */
import { absolutePath } from '@shared/compaction/file-activity';
import type { TurnFacts } from '@shared/graph/query';
import { visibleString } from '@shared/policy/visible-text';
import type { TurnNode } from '@shared/graph/turns';
import { formatPath } from '../../state/format';
import { shownTitle } from '../../state/sessions-store';
import type { GraphScope } from './context';
import { shownLabel, titleOfNode } from './words';

type Parts = Pick<GraphScope, 'app' | 'session' | 'store' | 'texts'>;

/** What filters and search ask of turns. A file has one name, however its calls wrote it (FA4): from the workspace on, if it is in there. */
export function createTurnFacts({ app, session: { id }, store, texts }: Parts): TurnFacts {
  const names = new Map<string, string>();
  const summary = () => app.sessions.getState().byId[id];
  const fileName = (raw: string): string => {
    const known = names.get(raw);
    if (known !== undefined) return known;
    const { home } = app.settings.getState();
    const root = summary()?.workspace ?? '';
    const path = absolutePath(raw, { root, home });
    const name = visibleString(path.startsWith(`${root}/`) ? path.slice(root.length + 1) : formatPath(path, home));
    names.set(raw, name);
    return name;
  };
  const branchName = (node: TurnNode): string => {
    const { graph } = store;
    const first = firstOfRun(store, node);
    const label = shownLabel(graph, first);
    if (label !== undefined) return label;
    const session = summary();
    if (first.parent === null && graph.isActive(first) && session) return shownTitle(session);
    const text = texts(first);
    return text.isPartial ? '' : titleOfNode(first, text);
  };
  return {
    fileName,
    label: (node) => shownLabel(store.graph, node),
    branchName,
    startOf: (node) => (firstOfRun(store, node) === node ? branchName(node) : ''),
    isOnPath: (node) => store.graph.isActive(node),
  };
}

/** The first turn of the branch of a turn (GR16). O(1). */
export function firstOfRun({ graph }: GraphScope['store'], node: TurnNode): TurnNode {
  return graph.order.runOf(node).first;
}
