import type { FoundEntry } from '@shared/ipc/tree-types';
import { useApp } from '../../state/hooks';
import { goToFound } from '../../actions/branches';
import { Button, Dialog } from '../../ui';
import styles from './branches.module.css';

/** A reference led to a message of a branch that is not shown. */
export function ElsewhereDialog({ found, onClose }: { found: FoundEntry; onClose: () => void }) {
  const app = useApp();
  const go = (): void => {
    onClose();
    void goToFound(app, found);
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="This message is on another branch"
      lead="Go there to see that branch. The current branch stays."
      footer={
        <>
          <Button tone="primary" onClick={go}>
            Go there
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </>
      }
    >
      <blockquote className={styles.quote}>{found.preview || 'A message without text'}</blockquote>
    </Dialog>
  );
}
