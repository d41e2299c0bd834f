import { useEffect } from 'react';
import { beginningOf } from '@shared/cut-text';
import { MAX_COMPOSER_CHARS } from '@shared/extensions/ui';
import { useApp, useLive, useSession } from '../../state/hooks';

/** Milliseconds without a key after which extensions are told. */
const QUIET_MS = 200;

/** Tells main what the composer holds while an extension runs in the session, which may ask (EX16). */
export function useComposerMirror(): void {
  const app = useApp();
  const session = useSession();
  const isHere = useLive(session, (live) => live.extensionShows.isHere);
  useEffect(() => {
    if (!isHere) return;
    const { state } = session.draft;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tell = (): void => {
      const text = beginningOf(state.getState().text, MAX_COMPOSER_CHARS);
      // An editor of an extension has it, and maybe more by now.
      if (text === app.terminals.typed.get(session.id)) return;
      // Nobody is told: what an extension reads may be a moment old.
      app.client.request('extensions.composer', { sessionId: session.id, text }).catch(() => undefined);
    };
    tell();
    const stop = state.subscribe((now, before) => {
      if (now.text === before.text) return;
      clearTimeout(timer);
      timer = setTimeout(tell, QUIET_MS);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [app, session, isHere]);
}
