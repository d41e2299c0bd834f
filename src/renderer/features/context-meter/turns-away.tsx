import type { ContextUsage } from '@shared/types';
import { plural } from '../../state/format';
import { useLive, useSession, useView } from '../../state/hooks';
import { turnsAway } from './estimate-turns';

/** How far off the next automatic compaction is, where that can be told. */
export function TurnsAway({ usage }: { usage: ContextUsage }) {
  const session = useSession();
  const rows = useView(session, (view) => view.rows);
  const seenFrom = useLive(session, (live) => live.seenFrom);
  const away = turnsAway(rows, usage, seenFrom);
  if (away === null) return null;
  return <span>{away === 0 ? 'within the next turn' : `about ${plural(away, 'turn')} away`}</span>;
}
