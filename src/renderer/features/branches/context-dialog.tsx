import type { ContextHead } from '@shared/ipc/tree-types';
import { formatTokens, plural } from '../../state/format';
import { useApp, useSession, useSettings } from '../../state/hooks';
import { openReference } from '../../actions/branches';
import { modelName } from '../../state/settings-store';
import { Dialog, EmptyState, Notice, Spinner } from '../../ui';
import { ContextParts } from './context-parts';
import { useSeen } from './use-seen';
import styles from './branches.module.css';

const WIDTH_PX = 860;

interface ContextDialogProps {
  /** The reply whose request is shown; null: what the next one would hold. */
  entryId: string | null;
  onClose: () => void;
}

/** What the model saw in the request that a reply answers, or sees now: system prompt, tools, every message. */
export function ContextDialog({ entryId, onClose }: ContextDialogProps) {
  const session = useSession();
  const app = useApp();
  const { head, parts, isDone, problem } = useSeen(session.id, entryId);
  const providers = useSettings((state) => state.providers);
  const model = head?.model ? modelName(providers, head.model.provider, head.model.modelId) : null;
  const goTo = (id: string): void => {
    onClose();
    void openReference(app, session.id, id);
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={entryId === null ? 'What the model sees now' : 'What the model saw here'}
      lead={head ? leadOf(head, model) : 'Reading the session.'}
      size="large"
      width={WIDTH_PX}
      flush
    >
      <div className={styles.contextFrame}>
        <div className={styles.contextHead}>
          {problem !== null && (
            <Notice level="error" title="Couldn’t show this">
              {problem} The session is unchanged.
            </Notice>
          )}
          {head && <Head head={head} />}
          {!isDone && parts.length === 0 && problem === null && (
            <div className={styles.loading}>
              <Spinner label="Reading what the model sees" size={18} />
            </div>
          )}
          {isDone && parts.length === 0 && problem === null && (
            <EmptyState title="No messages yet">The model has seen nothing on this branch yet.</EmptyState>
          )}
        </div>
        {parts.length > 0 && <ContextParts parts={parts} onGo={goTo} />}
      </div>
    </Dialog>
  );
}

function leadOf({ messages, tokens, thinkingLevel }: ContextHead, model: string | null): string {
  const thinking = thinkingLevel === 'off' ? null : `thinking: ${thinkingLevel}`;
  return [model, thinking, plural(messages, 'message'), `${formatTokens(tokens)} tokens`].filter(Boolean).join(' · ');
}

/** What precedes the messages: the same in every request, so it is folded. */
function Head({ head }: { head: ContextHead }) {
  return (
    <>
      <details className={styles.details}>
        <summary>System prompt ({plural(head.systemPrompt.length, 'character')})</summary>
        <div className={styles.foldText} tabIndex={0} role="region" aria-label="System prompt">
          {head.systemPrompt || 'None.'}
        </div>
      </details>
      <details className={styles.details}>
        <summary>{plural(head.tools.length, 'tool')}</summary>
        <ul className={styles.foldText} tabIndex={0} aria-label="Tools">
          {head.tools.map(({ name, description }) => (
            <li key={name}>
              <b>{name}</b> {description}
            </li>
          ))}
        </ul>
      </details>
    </>
  );
}
