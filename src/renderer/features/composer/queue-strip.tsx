import { Clock, CornerDownRight, Paperclip, X } from 'lucide-react';
import type { QueueItem } from '@shared/ipc/types';
import { Button, IconButton, Spinner } from '../../ui';
import { useApp, useLive, useView } from '../../state/hooks';
import type { OpenSession } from '../../state/open-session';
import { plural } from '../../state/format';
import styles from './composer.module.css';

/** Characters of a waiting message on its line. */
const SHOWN = 300;

/** Messages that were typed but are not in the session yet (QU6). */
export function QueueStrip({ session }: { session: OpenSession }) {
  const app = useApp();
  const queue = useLive(session, (live) => live.queue);
  const pending = useView(session, (view) => view.pending);
  const held = queue.filter((item) => item.held).length;
  if (queue.length + pending.length === 0) return null;
  const send = (): void => void app.attempt(() => app.client.request('queue.send', { sessionId: session.id }));
  return (
    <section className={styles.queue} aria-label="Messages not sent yet">
      {held > 0 && (
        <div className={styles.held}>
          <span>{plural(held, 'message')} not sent yet.</span>
          <Button size="small" tone="primary" onClick={send}>
            Send
          </Button>
        </div>
      )}
      <ul>
        {queue.map((item) => (
          <QueuedMessage key={item.id} item={item} session={session} />
        ))}
        {pending.map((prompt) => (
          <li key={prompt.itemId} className={styles.queued}>
            <Spinner />
            <span className={styles.queuedText}>
              {prompt.text.slice(0, SHOWN) || plural(prompt.attachments.length, 'file')}
            </span>
            <span className={styles.queuedWhen}>sending</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function QueuedMessage({ item, session }: { item: QueueItem; session: OpenSession }) {
  const app = useApp();
  const remove = (): void => {
    const params = { sessionId: session.id, itemId: item.id };
    void app.attempt(() => app.client.request('queue.remove', params));
  };
  const steers = item.mode === 'steer';
  const Icon = steers ? CornerDownRight : Clock;
  return (
    <li className={styles.queued}>
      <Icon size={14} aria-hidden />
      <span className={styles.queuedText}>{item.text.slice(0, SHOWN) || plural(item.attachments.length, 'file')}</span>
      {item.attachments.length > 0 && (
        <span className={styles.queuedWhen}>
          <Paperclip size={12} aria-hidden /> {item.attachments.length}
        </span>
      )}
      <span className={styles.queuedWhen}>{whenOf(item)}</span>
      <IconButton label="Remove this message" size="small" onClick={remove}>
        <X size={13} />
      </IconButton>
    </li>
  );
}

function whenOf(item: QueueItem): string {
  if (item.held) return 'held';
  return item.mode === 'steer' ? 'after the running tools' : 'after this answer';
}
