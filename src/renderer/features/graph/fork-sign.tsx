import { GitFork } from 'lucide-react';
import { beginningOf } from '@shared/cut-text';
import type { Branch } from '@shared/graph/branches';
import type { TurnNode } from '@shared/graph/turns';
import { visibleString } from '@shared/policy/visible-text';
import type { SessionSummary } from '@shared/types';
import type { ForkLink } from '../../state/forks';
import { useSessions } from '../../state/hooks';
import { shownTitle } from '../../state/sessions-store';
import type { MenuItem } from '../../ui';
import { type GraphScope, useGraph } from './context';
import styles from './rail.module.css';
import { firstOfRun } from './turn-facts';

/** What a turn leads to in other sessions (GR18). */
function forkLinkOf({ app, session }: GraphScope, node: TurnNode): ForkLink | undefined {
  return session.forks(app.sessions.getState().byId).get(node);
}

/** The sign of a turn that leads to other sessions: a click on it opens the one, or asks which (GR18). */
export function ForkSign({ node }: { node: TurnNode }) {
  const { session } = useGraph();
  const link = useSessions(({ byId }) => session.forks(byId).get(node));
  if (!link) return null;
  const words = forkWords(link);
  return (
    <span className={styles.fork} role="img" aria-label={words} title={words} data-fork>
      <GitFork size={12} aria-hidden />
    </span>
  );
}

/** `Forked to “X”, “Y”`, `Forked from “Z”`. */
function forkWords({ forks, source }: ForkLink): string {
  const parts = forks.length > 0 ? [`Forked to ${forks.map((fork) => `“${shownTitle(fork)}”`).join(', ')}`] : [];
  if (source && 'id' in source) parts.push(`Forked from “${shownTitle(source)}”`);
  else if (source) parts.push(`Forked from ${goneName(source.gone)}`);
  return parts.join('. ');
}

function goneName(title: string): string {
  const name = visibleString(title);
  return name === '' ? 'a session that is no longer here' : `“${name}”, which is no longer here`;
}

/** Opens the session that a turn leads to; false: there are several, or none that is here. */
export function openFork(scope: GraphScope, node: TurnNode): boolean {
  const link = forkLinkOf(scope, node);
  const ids = [...(link?.forks ?? []), ...(link?.source && 'id' in link.source ? [link.source] : [])];
  const [only] = ids;
  if (!only || ids.length > 1) return false;
  scope.app.activate(only.id);
  return true;
}

/** Forks that a menu has room for. */
const MOST_OFFERED = 20;

/** Forks that were made at a turn, newest first. */
export function forksAt(scope: GraphScope, node: TurnNode): readonly SessionSummary[] {
  return forkLinkOf(scope, node)?.forks ?? [];
}

/** Those that were made from any turn of a branch. */
export function forksOfBranch({ app, session, store }: GraphScope, { first }: Pick<Branch, 'first'>): SessionSummary[] {
  const links = session.forks(app.sessions.getState().byId);
  return [...links].flatMap(([node, { forks }]) => (firstOfRun(store, node) === first ? forks : []));
}

/** A menu in which each fork is offered, in the place of the newest one of the last turn (GR18). */
export function withForks({ app }: GraphScope, items: MenuItem[], forks: readonly SessionSummary[]): MenuItem[] {
  const one = items.findIndex(({ id }) => id === 'node.toFork');
  const at = one < 0 ? items.findIndex(({ id }) => id === 'entry.fork') + 1 : one;
  const offers = forks.slice(0, MOST_OFFERED).map((fork): MenuItem => ({
    ...{ id: `fork.${fork.id}`, label: `Open its fork “${beginningOf(shownTitle(fork), 40)}”` },
    onSelect: () => app.activate(fork.id),
  }));
  return forks.length === 0 ? items : [...items.slice(0, at), ...offers, ...items.slice(one < 0 ? at : at + 1)];
}
