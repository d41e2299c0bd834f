import { visibleString } from '@shared/policy/visible-text';
import { Visible } from '../../ui';
import styles from './branches.module.css';

/** Files named in a line before the rest is only counted. */
const SHOWN = 6;

/** Paths in one line that can be read whole by hovering. */
export function FileNames({ title, paths }: { title: string; paths: readonly string[] }) {
  if (paths.length === 0) return null;
  const more = paths.length - SHOWN;
  return (
    <p className={styles.files} title={paths.map(visibleString).join('\n')}>
      {title}:{' '}
      {paths.slice(0, SHOWN).map((path) => (
        <code key={path}>
          <Visible text={path} place="path" />
        </code>
      ))}
      {more > 0 && <span>and {more.toLocaleString('en')} more</span>}
    </p>
  );
}
