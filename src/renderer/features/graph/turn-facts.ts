/** Names of files and branches as they are shown, found and completed (GR16, GR19). */
import { own } from '@shared/checks';
import { absolutePath } from '@shared/compaction/file-activity';
import type { TurnFacts } from '@shared/graph/query';
import { visibleString } from '@shared/policy/visible-text';
import type { TurnNode } from '@shared/graph/turns';
import { formatPath } from '../../state/format';
import { nameOfTurn, namingTurn, type ShownName } from '../../state/branch-names';
import { titleOf } from '../../state/sessions-store';
import type { GraphScope } from './context';
import { shownLabel, titleOfNode } from './words';

type Parts = Pick<GraphScope, 'app' | 'session' | 'store' | 'texts'>;

/** What filters and search ask of turns. A file has one name, however its calls wrote it (FA4): from the workspace on, if it is in there. */
export function createTurnFacts(scope: Parts): TurnFacts {
  const { app, session, store } = scope;
  const names = new Map<string, string>();
  const summary = () => own(app.sessions.getState().byId, session.id);
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
  // Every turn of a search is asked for it, and that of HEAD's branch is O(path).
  let namesOf: { of: readonly unknown[]; byFirst: Map<TurnNode, string> } = { of: [], byFirst: new Map() };
  const branchName = (node: TurnNode): string => {
    const of = [store.graph, store.state.getState().version, session.live.getState().names, summary()?.title];
    if (of.some((value, at) => value !== namesOf.of[at])) namesOf = { of, byFirst: new Map() };
    const first = firstOfRun(store, node);
    const known = namesOf.byFirst.get(first);
    if (known !== undefined) return known;
    const name = branchNameOf(scope, first)?.text ?? '';
    if (name !== '') namesOf.byFirst.set(first, name);
    return name;
  };
  return {
    fileName,
    label: (node) => shownLabel(store.graph, node),
    branchName,
    startOf: (node) => (firstOfRun(store, node) === node ? branchName(node) : ''),
    isOnPath: (node) => store.graph.isActive(node),
  };
}

/** What the branch of a turn is called (GR16); null: its first words are not in memory. O(1), O(path) for HEAD's. */
export function branchNameOf(scope: Parts, node: TurnNode): ShownName | null {
  const { store, texts } = scope;
  const name = nameInMemory(scope, node);
  if (name.from !== 'words' || name.text !== '…') return name;
  // Bodies leave the cache; what a turn says was kept.
  const turn = namingTurn(firstOfRun(store, node));
  const text = texts(turn);
  return text.isPartial ? null : { ...name, text: titleOfNode(turn, text) };
}

/** The same, with `…` for first words that are not in memory. O(1), O(path) for HEAD's. */
export function nameInMemory({ app, session }: Pick<Parts, 'app' | 'session'>, node: TurnNode): ShownName {
  const summary = own(app.sessions.getState().byId, session.id);
  return nameOfTurn(session, summary ? titleOf(summary) : '', node);
}

/** `from ‹name›`, of a branch summary (GR16); null: it is none, or the branch or its name is not known. */
export function fromName(scope: Parts, node: TurnNode): string | null {
  const source = sourceOf(scope, node);
  const name = source && branchNameOf(scope, source);
  return name && `from ‹${name.text}›`;
}

/** The turn whose branch a summary tells of. */
export function sourceOf({ store }: Pick<Parts, 'store'>, { kind, fromId }: TurnNode): TurnNode | null {
  if (kind !== 'summary' || fromId === null) return null;
  return store.graph.turns.place(fromId)?.node ?? null;
}

/** The first turn of the branch of a turn (GR16). O(1). */
export function firstOfRun({ graph }: GraphScope['store'], node: TurnNode): TurnNode {
  return graph.order.runOf(node).first;
}
