import { useEffect, useRef } from 'react';
import { serveEscape } from '../../actions/escape';
import { useApp, type useSession } from '../../state/hooks';

type Submit = (mode: 'steer' | 'followUp', text: string) => void;

/** Keys of an extension's editor that are the composer's: what it sends is what the composer sends (EX24). */
export function useEditorKeys(session: ReturnType<typeof useSession>, submit: Submit): void {
  const app = useApp();
  const latest = useRef(submit);
  latest.current = submit;
  useEffect(
    () =>
      app.terminals.onKey(session.id, ({ does, text }) => {
        if (does === 'escape') return void serveEscape(app, session);
        session.draft.set({ text, problem: null });
        latest.current(does === 'submit' ? 'steer' : 'followUp', text);
      }),
    [app, session],
  );
}
