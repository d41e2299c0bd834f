import { createContext, useContext } from 'react';

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
