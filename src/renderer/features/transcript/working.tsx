import { visibleString } from '@shared/policy/visible-text';
import { useLive, useSession } from '../../state/hooks';
import { Spinner } from '../../ui';
import styles from './transcript.module.css';

/** Work goes on before the first word; an extension may have other words for it (EX16). */
export function Working({ words, isStatus }: { words: string; isStatus?: true }) {
  const given = useLive(useSession(), (live) => live.extensionShows.working);
  return (
    <div className={styles.working} role={isStatus && 'status'}>
      <Spinner size={13} /> {given === null ? words : visibleString(given)}
    </div>
  );
}
