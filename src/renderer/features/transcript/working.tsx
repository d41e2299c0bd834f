import { useEffect, useState } from 'react';
import type { ExtensionIndicator } from '@shared/extensions/ui';
import { visibleString } from '@shared/policy/visible-text';
import { AnsiText } from '../../parts/ansi-text';
import { useLive, useSession } from '../../state/hooks';
import { Spinner } from '../../ui';
import styles from './transcript.module.css';

/** Work goes on before the first word; an extension may have other words and another sign for it, or show it elsewhere (EX16). */
export function Working({ words, isStatus }: { words: string; isStatus?: true }) {
  const session = useSession();
  const given = useLive(session, (live) => live.extensionShows.working);
  const indicator = useLive(session, (live) => live.extensionShows.indicator);
  const isHidden = useLive(session, (live) => live.extensionShows.isWorkingHidden);
  if (isHidden) return null;
  return (
    <div className={styles.working} role={isStatus && 'status'}>
      {indicator ? <Indicator {...indicator} /> : <Spinner size={13} />} {given === null ? words : visibleString(given)}
    </div>
  );
}

/** Frames of text, one after the other; for who wants no motion the first alone. */
function Indicator({ frames, everyMs }: ExtensionIndicator) {
  const [at, setAt] = useState(0);
  const moves = frames.length > 1 && !matchMedia('(prefers-reduced-motion: reduce)').matches;
  useEffect(() => {
    if (!moves) return;
    const timer = setInterval(() => setAt((before) => before + 1), everyMs);
    return () => clearInterval(timer);
  }, [moves, everyMs]);
  const frame = frames[at % frames.length];
  if (frame === undefined) return null;
  return (
    <span aria-hidden data-indicator>
      <AnsiText text={frame} />
    </span>
  );
}
