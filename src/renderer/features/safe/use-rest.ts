import { useEffect } from 'react';
import { useApp, useView } from '../../state/hooks';
import type { OpenSession } from '../../state/open-session';

/** So long a session stands on screen before it counts as drawn. */
const REST_MS = 2_000;

/** Tells main when a session has been on screen for a while and the page still answers. */
export function useRest(session: OpenSession): void {
  const { client } = useApp();
  const isShown = useView(session, (view) => view.status !== 'loading');
  useEffect(() => {
    if (!isShown) return;
    const timer = setTimeout(() => {
      client.request('app.drawing', { sessionId: session.id, state: 'rests' }).catch(() => undefined);
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [client, session, isShown]);
}
