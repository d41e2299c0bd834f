import { AsyncLocalStorage } from 'node:async_hooks';
import type { MainLink } from './links';

/** Whose code is at work. */
const current = new AsyncLocalStorage<MainLink>();

/** Runs code of an extension: what it writes to the terminal as a notification is a notice of it. */
export function noticing<T>(link: MainLink, work: () => T): T {
  return current.run(link, work);
}

/** Of one write; longer ones are no notifications. */
const MAX_CHARS = 10_000;
/** OSC 777 (title and text), 9 (text), and 99 (parts, `p=` says which), each up to BEL or ST. */
const SEQUENCE = /\u001b\](777;notify;|99;([^;]{0,200});|9;)([^\u0007\u001b]{0,2000})(?:\u0007|\u001b\\)/g;

/** The texts of the notifications that a terminal would show. Pure. */
function notificationsIn(written: string): string[] {
  const found: string[] = [];
  for (const [, kind = '', parts = '', text = ''] of written.slice(0, MAX_CHARS).matchAll(SEQUENCE)) {
    const [title = '', ...rest] = kind.startsWith('777') ? text.split(';') : [text];
    const words = [title, rest.join(';')].filter(Boolean).join(': ');
    // 99 tells a title, and its body with the next sequence.
    if (/(?:^|:)p=body(?:$|:)/.test(parts) && found.length > 0) found.push(`${found.pop() ?? ''}: ${words}`);
    else if (words !== '') found.push(words);
  }
  return found;
}

/** Listens to what this process writes: there is no terminal that would show it. */
export function hearNotifications(): void {
  const { stdout } = process;
  const write = stdout.write.bind(stdout) as (...args: unknown[]) => boolean;
  let title: { text: string; link: MainLink } | undefined;
  stdout.write = ((...args: unknown[]) => {
    const [chunk] = args;
    const link = current.getStore();
    if (link && typeof chunk === 'string' && chunk.includes('\u001b]'))
      try {
        title = tell(chunk, link, title);
      } catch {
        // Its session is closed: nobody is there to be told.
      }
    return write(...args);
  }) as typeof stdout.write;
}

/** Kitty's come in two writes: a title that is not done yet waits for its body. */
function tell(
  chunk: string,
  link: MainLink,
  before: { text: string; link: MainLink } | undefined,
): { text: string; link: MainLink } | undefined {
  const begins = /\u001b\]99;[^;]*d=0/.test(chunk) && !/p=body/.test(chunk);
  const ends = before?.link === link && /\u001b\]99;[^;]*p=body/.test(chunk);
  const texts = notificationsIn(chunk);
  if (begins) return { text: texts[0] ?? '', link };
  for (const text of texts) link.notify(ends ? `${before.text}: ${text}` : text, 'info');
  return undefined;
}
