import { useCallback, useEffect, useRef, useState } from 'react';
import { PreviewFigures } from '@shared/compaction/preview-figures';
import { toAppError } from '../bridge';
import { useApp, useLive } from './hooks';
import type { OpenSession } from './open-session';

/** Milliseconds between two looks at a session that grows while the sheet is open. */
const PAUSE_MS = 1000;

export interface PreviewState {
  figures: PreviewFigures | null;
  problem: string | null;
  /** Asks again after a failure. */
  again: () => void;
}

/** The preview of a session, asked again when the session goes on: what is shown is what would be compacted. */
export function usePreview(session: OpenSession): PreviewState {
  const { client } = useApp();
  const leafId = useLive(session, (live) => live.leafId);
  const [figures, setFigures] = useState<PreviewFigures | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [attempt, setAttempt] = useState(0);
  const hasOne = useRef(false);
  useEffect(() => {
    let isWanted = true;
    const timer = setTimeout(
      () => {
        client.request('session.compactPreview', { sessionId: session.id }).then(
          (preview) => {
            if (!isWanted) return;
            hasOne.current = true;
            setFigures(new PreviewFigures(preview));
            setProblem(null);
          },
          (cause: unknown) => isWanted && setProblem(toAppError(cause).message),
        );
      },
      hasOne.current ? PAUSE_MS : 0,
    );
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [client, session, leafId, attempt]);
  const again = useCallback(() => {
    setProblem(null);
    setAttempt((n) => n + 1);
  }, []);
  return { figures, problem, again };
}
