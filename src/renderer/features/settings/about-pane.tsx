import { BrandMark } from '../../ui';
import { useSettings } from '../../state/hooks';
import { Pane } from './pane';
import { ThirdParty } from './third-party';
import styles from './settings.module.css';

/** What this is, and which version. */
export function AboutPane() {
  const version = useSettings((state) => state.version);
  return (
    <Pane title="About">
      <div className={styles.about}>
        <BrandMark size={44} />
        <div>
          <b>Espalier {version}</b>
          <p>A desktop chat app for very long agent sessions. MIT licence.</p>
        </div>
      </div>
      <p className={styles.lead}>
        An espalier is a tree trained flat against a frame by pruning and tying its branches. A session is such a tree:
        you can see it, branch it and compact it without losing a word.
      </p>
      <p className={styles.lead}>Espalier includes third-party software under its own licences.</p>
      <ThirdParty />
    </Pane>
  );
}
