import { useEffect, useRef } from 'react';
import { GitBranchPlus } from 'lucide-react';
import { Button, Kbd } from '../../ui';
import { useApp, useLive, useSession, useUi, useView } from '../../state/hooks';
import { abandonBranching } from '../../actions/moves';
import styles from './composer.module.css';

/** Says that the next message makes a branch, and leads back without a trace. */
export function BranchStrip() {
  const session = useSession();
  const app = useApp();
  const branching = useUi((ui) => (ui.branching?.sessionId === session.id ? ui.branching : null));
  const leafId = useLive(session, (live) => live.leafId);
  const isSending = useView(session, (view) => view.pending.length > 0);
  const isThere = branching !== null && branching.leafId === leafId;
  const wasThere = useRef(false);
  useEffect(() => {
    // Whatever moves the leaf on ends it: the message was sent, or the person went elsewhere.
    if (branching && wasThere.current && !isThere) app.ui.setState({ branching: null });
    wasThere.current = isThere;
  }, [app, branching, isThere]);
  if (!isThere || isSending) return null;
  return (
    <div className={styles.branching} role="status">
      <GitBranchPlus size={14} aria-hidden />
      <span className={styles.branchingText}>
        {branching.kind === 'edit'
          ? 'Editing a copy of your message. Sending it starts a new branch; the original stays.'
          : 'Your next message starts a new branch here.'}
      </span>
      <Button size="small" onClick={() => void abandonBranching(app)}>
        Cancel <Kbd>Esc</Kbd>
      </Button>
    </div>
  );
}
