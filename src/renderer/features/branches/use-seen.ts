import { useEffect, useState } from 'react';
import type { ContextHead, ContextPart } from '@shared/ipc/tree-types';
import { toAppError } from '../../bridge';
import { useApp } from '../../state/hooks';

export interface Seen {
  head: ContextHead | null;
  parts: readonly ContextPart[];
  isDone: boolean;
  problem: string | null;
}

const NOTHING: Seen = { head: null, parts: [], isDone: false, problem: null };

/** What the model saw for an entry, or sees now (null), chunk by chunk. */
export function useSeen(sessionId: string, entryId: string | null): Seen {
  const { client } = useApp();
  const [seen, setSeen] = useState(NOTHING);
  useEffect(() => {
    let isWanted = true;
    setSeen(NOTHING);
    const handle = client.bulk('session.context', { sessionId, entryId }, ({ head, parts }) => {
      if (!isWanted) return;
      setSeen((before) => ({ ...before, head: head ?? before.head, parts: [...before.parts, ...parts] }));
    });
    handle.done.then(
      () => isWanted && setSeen((before) => ({ ...before, isDone: true })),
      (cause: unknown) => isWanted && setSeen((before) => ({ ...before, problem: toAppError(cause).message })),
    );
    return () => {
      isWanted = false;
      handle.cancel();
    };
  }, [client, sessionId, entryId]);
  return seen;
}
