import { createContext, type KeyboardEvent, type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import { Check, Copy, X } from 'lucide-react';
import { classifyUrl } from '@shared/policy/url';
import { IconButton } from '../../ui';
import styles from './markdown.module.css';

/** What rendered text may ask of the app. Nothing in a message opens or copies anything by itself. */
export interface MarkdownEnvironment {
  /** The person asked to open an address that `classifyUrl` accepted; the app shows it and asks. */
  openLink(href: string): void;
  /** Puts text on the clipboard, after a press of a button. Resolves false when that failed. */
  copyText(text: string): Promise<boolean>;
  /** The person asked for the message that `[entry:<id>]` names; absent: such a reference stays text. */
  openEntry?: (entryId: string) => void;
}

const Context = createContext<MarkdownEnvironment | null>(null);

export const MarkdownEnvironmentProvider = Context.Provider;

/** The environment; a component outside a provider is a bug and throws. */
export function useMarkdownEnvironment(): MarkdownEnvironment {
  const environment = useContext(Context);
  if (!environment) throw new Error('Rendered markdown stands outside a MarkdownEnvironmentProvider.');
  return environment;
}

const SHOWN_MS = 1_600;

type CopyState = 'idle' | 'copied' | 'failed';

/** A function where the text is long: it is joined when it is wanted. */
type CopyText = string | (() => string | Promise<string>);

/** Copies text and says for a moment whether it worked. */
export function useCopied(text: CopyText): [CopyState, () => void] {
  const { copyText } = useMarkdownEnvironment();
  const [state, setState] = useState<CopyState>('idle');
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async (): Promise<void> => {
    const copied = await copyText(typeof text === 'string' ? text : await text());
    setState(copied ? 'copied' : 'failed');
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setState('idle'), SHOWN_MS);
  };
  return [state, () => void copy()];
}

/** A button that copies and says whether it worked. */
export function CopyButton({ text, label = 'Copy' }: { text: CopyText; label?: string }) {
  const [state, copy] = useCopied(text);
  const names = { idle: label, copied: 'Copied', failed: 'Could not copy' };
  return (
    <IconButton label={names[state]} size="small" onClick={copy}>
      {state === 'idle' ? <Copy size={13} /> : state === 'copied' ? <Check size={13} /> : <X size={13} />}
    </IconButton>
  );
}

interface MessageLinkProps {
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
