/** What main and the consent window's preload say to each other. Apart from the contract: the app's page has no part in it. */

export interface DrawnQuestion {
  kind: string;
  theme: 'light' | 'dark';
  title: string;
  subject: string | null;
  paragraphs: string[];
  facts: { label: string; value: string; warn: boolean }[];
  choices: { id: string; label: string; tone: 'primary' | 'plain' | 'danger' }[];
  cancel: string;
}

/** Channels of the consent window's own web contents; nothing listens to them on any other. */
export const CONSENT_CHANNELS = {
  /** → the `DrawnQuestion`. */
  question: 'espalier-consent:question',
  /** The height that it needs, in CSS pixels → when the window is on the screen. */
  drawn: 'espalier-consent:drawn',
  /** The id of a choice, or null. */
  answer: 'espalier-consent:answer',
} as const;

/** Milliseconds that the window must have been in view, or have its focus back, before a choice counts. */
export const CONSENT_ARM_MS = 500;
