import { useEffect, useRef } from 'react';
import { useApp, useSession } from '../../state/hooks';
import { useTourMark } from '../tour/use-tour-mark';
import type { TranscriptItem } from './group-rows';

/** The tour opens at its cut line, and each coach mark there is brought into view once (WN18). */
export function useTourStart(items: readonly TranscriptItem[], isRemembered: boolean): void {
  const app = useApp();
  const { id: sessionId } = useSession();
  const mark = useTourMark();
  const isAtCut = mark === 'cut' || mark === 'undo';
  const cut = isAtCut ? items.find((item) => item.kind === 'cut') : undefined;
  const entryId = cut?.kind === 'cut' ? cut.row.id : null;
  const shown = useRef<string | null>(null);
  useEffect(() => {
    const place = entryId && `${mark} ${entryId}`;
    if (!place || shown.current === place) return;
    const isFirst = shown.current === null;
    shown.current = place;
    if (isFirst && isRemembered) return;
    app.ui.setState({ arrival: { sessionId, entryId, isStart: true } });
  }, [app, entryId, isRemembered, mark, sessionId]);
}
