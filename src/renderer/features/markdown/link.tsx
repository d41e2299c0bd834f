import type { KeyboardEvent, ReactNode } from 'react';
import { classifyUrl } from '@shared/policy/url';
import { useMarkdownEnvironment } from './environment';
import styles from './markdown.module.css';

export interface MessageLinkProps {
  url: string;
  /** What the link says, as plain text: the host is added where it does not show it. */
  text: string;
  children: ReactNode;
}

/**
 * A link of a message. It has no `href`, so that no click, drag or middle click can navigate: it asks the app, which shows
 * the real address first. A refused address stays text, with the address beside it.
 */
export function MessageLink({ url, text, children }: MessageLinkProps) {
  const { openLink } = useMarkdownEnvironment();
  const verdict = classifyUrl(url);
  if (!verdict.ok) {
    const shown = verdict.display !== text && !verdict.display.startsWith('#') && verdict.display !== '';
    return (
      <>
        {children}
        {shown && (
          <>
            {' '}
            <code className={styles.refused} title={verdict.warning ?? undefined}>
              {verdict.display.length > 120 ? `${verdict.display.slice(0, 120)}…` : verdict.display}
            </code>
          </>
        )}
      </>
    );
  }
  const open = (): void => openLink(verdict.href);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    open();
  };
  return (
    <>
      <a
        role="link"
        tabIndex={0}
        className={styles.link}
        title={verdict.display}
        data-link={verdict.href}
        onClick={open}
        onKeyDown={onKeyDown}
      >
        {children}
      </a>
      {!namesHost(text, verdict.host) && (
        <span className={styles.host} data-chrome>
          {' '}
          ({verdict.host})
        </span>
      )}
    </>
  );
}

/** Whether the text is the address itself. Text that merely contains the name could still name another site. */
function namesHost(text: string, host: string): boolean {
  const bare = text
    .trim()
    .toLowerCase()
    .replace(/^(https?:\/\/|mailto:)/, '');
  return bare === host || bare.startsWith(`${host}/`) || bare.endsWith(`@${host}`) || bare.startsWith(`${host}?`);
}
