import { APP_ORIGIN } from '../asset-path';

/** What is needed of Electron's invoke event to know who asks; an interface so that it can be tested without a window. */
export interface Sender {
  /** Null when the frame is gone. */
  senderFrame: { url: string; parent: unknown } | null;
  sender: { id: number };
}

/**
 * Whether a message comes from our own page in our own window's main frame (security checklist 17). Sub-frames, other
 * origins and other windows are refused.
 */
export function isTrustedSender(event: Sender, windowId: number | undefined): boolean {
  const frame = event.senderFrame;
  if (!frame || frame.parent !== null || event.sender.id !== windowId) return false;
  try {
    const url = new URL(frame.url);
    return `${url.protocol}//${url.host}` === APP_ORIGIN;
  } catch {
    return false;
  }
}
