import { GitFork } from 'lucide-react';
import type { TurnNode } from '@shared/graph/turns';
import { visibleString } from '@shared/policy/visible-text';
import type { ForkLink } from '../../state/forks';
import { useSessions } from '../../state/hooks';
import { shownTitle } from '../../state/sessions-store';
import { type GraphScope, useGraph } from './context';
import styles from './rail.module.css';

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
