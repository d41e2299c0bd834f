import { Clock, CornerDownRight, Paperclip, X } from 'lucide-react';
import { beginningOf } from '@shared/cut-text';
import { visibleString } from '@shared/policy/visible-text';
import type { QueueItem } from '@shared/types';
import { act } from '../../actions/menus';
import { ACTIONS } from '../../actions/registry';
import { ActionButton } from '../../parts/action-button';
import { IconButton, Spinner } from '../../ui';
import { useApp, useLive, useSession, useView } from '../../state/hooks';
import { plural } from '../../state/format';
import styles from './composer.module.css';

/** Characters of a waiting message on its line. */
const SHOWN = 300;

/** Messages that were typed but are not in the session yet (QU6). */
export function QueueStrip() {
  const session = useSession();
  const queue = useLive(session, (live) => live.queue);
  const pending = useView(session, (view) => view.pending);
  const held = queue.filter((item) => item.held).length;
  if (queue.length + pending.length === 0) return null;
  return (
    <section className={styles.queue} aria-label="Unsent messages">
      {held > 0 && (
        <div className={styles.held}>
          <span>{plural(held, 'message')} not sent.</span>
          <ActionButton id="queue.send" target={session} size="small" tone="primary" />
        </div>
      )}
      <ul>
        {queue.map((item) => (
          <QueuedMessage key={item.id} item={item} />
        ))}
        {pending.map((prompt) => (
          <li key={prompt.itemId} className={styles.queued}>
            <Spinner />
            <span className={styles.queuedText} dir="auto">
              {lineOf(prompt.text) || plural(prompt.attachments.length, 'file')}
            </span>
            <span className={styles.queuedWhen}>sending</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function QueuedMessage({ item }: { item: QueueItem }) {
  const session = useSession();
  const app = useApp();
  const remove = (): void => act(app, 'queue.remove', { sessionId: session.id, itemId: item.id });
  // While the person is asked, nothing of the reply runs.
  const runsTools = useLive(session, ({ tools, approvals }) => tools.length > 0 && approvals.length === 0);
  const steers = item.mode === 'steer';
  const Icon = steers ? CornerDownRight : Clock;
  return (
    <li className={styles.queued}>
      <Icon size={14} aria-hidden />
      <span className={styles.queuedText} dir="auto">
        {lineOf(item.text) || plural(item.attachments.length, 'file')}
      </span>
      {item.attachments.length > 0 && (
        <span className={styles.queuedWhen}>
          <Paperclip size={12} aria-hidden /> {item.attachments.length}
        </span>
      )}
      <span className={styles.queuedWhen}>{whenOf(item, runsTools)}</span>
      <IconButton label={ACTIONS['queue.remove'].label} size="small" onClick={remove}>
        <X size={13} />
      </IconButton>
    </li>
  );
}

/** A waiting message on one line, in visible form. */
function lineOf(text: string): string {
  return visibleString(beginningOf(text, SHOWN).replace(/\s+/g, ' ').trim());
}

function whenOf(item: QueueItem, runsTools: boolean): string {
  if (item.held) return 'held';
  if (item.mode !== 'steer') return 'after this answer';
  return runsTools ? 'after the running tools' : 'after this reply and its tools';
}
