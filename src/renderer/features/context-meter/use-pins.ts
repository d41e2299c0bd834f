import { useEffect, useState } from 'react';
import type { PinList } from '@shared/compaction/pin-list';
import { toAppError } from '../../bridge';
import { useApp, useLive, useSession, useSettings } from '../../state/hooks';

interface Pins {
  list: PinList | null;
  problem: string | null;
}

/** The pins of the path against their limit; asked for again whenever they, the path, the model or the limit change. */
export function usePins(): Pins {
  const { client } = useApp();
  const session = useSession();
  const pins = useLive(session, (live) => live.pins);
  const leafId = useLive(session, (live) => live.leafId);
  const model = useLive(session, (live) => live.model);
  const window = useLive(session, (live) => live.usage?.window);
  const percent = useSettings((state) => state.settings['pins.maxPercent']);
  const [known, setKnown] = useState<Pins>({ list: null, problem: null });
  const isNone = pins.length === 0;
  useEffect(() => {
    let isWanted = true;
    if (isNone) return setKnown({ list: null, problem: null });
    client.request('session.pins', { sessionId: session.id }).then(
      (list) => isWanted && setKnown({ list, problem: null }),
      (cause: unknown) => isWanted && setKnown({ list: null, problem: toAppError(cause).message }),
    );
    return () => {
      isWanted = false;
    };
  }, [client, session, isNone, pins, leafId, model, window, percent]);
  return known;
}
