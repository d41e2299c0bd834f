import { Clock, CornerDownRight, Paperclip, X } from 'lucide-react';
import { beginningOf } from '@shared/cut-text';
import { visibleString } from '@shared/policy/visible-text';
import type { QueueItem } from '@shared/types';
import { act, type SlashRefusal } from '../../actions/menus';
import { ACTIONS } from '../../actions/registry';
import { ActionButton } from '../../parts/action-button';
import { plural } from '../../state/format';
import { useApp, useLive, useSession, useView } from '../../state/hooks';
import { Button, IconButton, Notice, Spinner } from '../../ui';
import { PreparedBranch } from './branch-chip';
import styles from './composer.module.css';

/** Characters of a waiting message on its line. */
const SHOWN = 300;

/** Messages that were typed but are not in the session yet (QU6). */
export function QueueStrip() {
  const session = useSession();
  const queue = useLive(session, (live) => live.queue);
  const pending = useView(session, (view) => view.pending);
  const held = queue.filter((item) => item.held).length;
  // In the order in which they are sent (GR13).
  const forHead = queue.filter((item) => item.parentId === undefined);
  const prepared = queue.flatMap(({ parentId, ...item }) => (parentId === undefined ? [] : { ...item, parentId }));
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
        {forHead.map((item) => (
          <QueuedMessage key={item.id} item={item} />
        ))}
        {prepared.map((item) => (
          <PreparedBranch key={item.id} item={item} line={wordsOf(item)} />
        ))}
        {pending.map((prompt) => (
          <li key={prompt.itemId} className={styles.queued}>
            <Spinner />
            <span className={styles.queuedText} dir="auto">
              {wordsOf(prompt)}
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
  const isSummarised = useLive(session, ({ job }) => job !== null);
  const steers = item.mode === 'steer';
  const Icon = steers ? CornerDownRight : Clock;
  return (
    <li className={styles.queued}>
      <Icon size={14} aria-hidden />
      <span className={styles.queuedText} dir="auto">
        {wordsOf(item)}
      </span>
      {item.attachments.length > 0 && (
        <span className={styles.queuedWhen}>
          <Paperclip size={12} aria-hidden /> {item.attachments.length}
        </span>
      )}
      <span className={styles.queuedWhen}>{whenOf(item, { runsTools, isSummarised })}</span>
      <IconButton label={ACTIONS['queue.remove'].label} size="small" onClick={remove}>
        <X size={13} />
      </IconButton>
    </li>
  );
}

/** A waiting message on one line, in visible form. */
function wordsOf({ text, attachments }: Pick<QueueItem, 'text' | 'attachments'>): string {
  const line = visibleString(beginningOf(text, SHOWN).replace(/\s+/g, ' ').trim());
  return line || plural(attachments.length, 'file');
}

function whenOf(item: QueueItem, { runsTools, isSummarised }: { runsTools: boolean; isSummarised: boolean }): string {
  if (item.held) return 'held';
  if (isSummarised) return 'after the summary';
  if (item.mode !== 'steer') return 'after this answer';
  return runsTools ? 'after the running tools' : 'after this reply and its tools';
}

interface SlashNoticeProps {
  refusal: SlashRefusal;
  /** Carries out the command that was meant. */
  onMeant: (text: string) => void;
  onSend: () => void;
  onDismiss: () => void;
}

/** Why a slash command was not carried out; what was written stays in the field (CM4). */
export function SlashNotice({ refusal, onMeant, onSend, onDismiss }: SlashNoticeProps) {
  const { why, meant, canBeSent } = refusal;
  return (
    <Notice
      level="warning"
      className={styles.problem}
      onDismiss={onDismiss}
      actions={
        canBeSent && (
          <>
            {meant && (
              <Button size="small" onClick={() => onMeant(meant)}>
                Use {meant.split(/\s/, 1)}
              </Button>
            )}
            <Button size="small" onClick={onSend}>
              Send as text
            </Button>
          </>
        )
      }
    >
      {why}
    </Notice>
  );
}
