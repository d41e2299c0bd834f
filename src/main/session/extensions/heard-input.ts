import type { DurableQueue } from '../../agent/durable-queue';
import type { Input } from '../../extensions/run-events';
import { askInput } from '../../extensions/run-hooks';
import type { SessionEvents } from '../../extensions/session-events';
import type { Attachment, QueueItem } from '@shared/types';

/** After this time a message that extensions look at is kept in the queue, as unsent: whoever dies meanwhile loses nothing. */
const KEPT_AFTER_MS = 150;
const WAITS = 'An extension is looking at it.';

/**
 * `input` (QU3): what becomes of a message before it is decided whether it starts a run or waits. Null: there is nothing to send,
 * because an extension has dealt with it or the person took it back meanwhile.
 */
export async function hearInput(
  { events, queue }: { events: SessionEvents; queue: DurableQueue },
  item: QueueItem,
  how: Pick<Input, 'source' | 'streamingBehavior'>,
): Promise<Pick<QueueItem, 'text' | 'attachments'> | null> {
  const { text, attachments } = item;
  if (!events.has('input')) return { text, attachments };
  let kept: Promise<void> | null = null;
  const timer = setTimeout(() => {
    kept = queue.add({ ...item, held: true, problem: WAITS }).catch(() => undefined);
  }, KEPT_AFTER_MS);
  const pictures = attachments.filter(({ kind }) => kind === 'image');
  const images = pictures.map(({ data, mimeType }) => ({ type: 'image' as const, data, mimeType }));
  const answer = await askInput(events, { text, ...(images.length > 0 ? { images } : {}), ...how });
  clearTimeout(timer);
  if (kept !== null) {
    await (kept as Promise<void>);
    // Taken back, or sent as it was, by the person.
    if (!(await queue.remove(item.id).catch(() => true))) return null;
  }
  if (answer === null) return null;
  const files = attachments.filter(({ kind }) => kind !== 'image');
  return { text: answer.text, attachments: [...files, ...picturesOf(answer.images ?? [], pictures)] };
}

/** Pictures of an extension; one that was there before keeps its name. */
function picturesOf(images: NonNullable<Input['images']>, before: readonly Attachment[]): Attachment[] {
  return images.map(({ data, mimeType }, at) => {
    const known = before.find((picture) => picture.data === data);
    return known ?? { kind: 'image', name: `image ${at + 1}`, mimeType, data };
  });
}
