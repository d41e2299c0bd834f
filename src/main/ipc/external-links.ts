import { dialog, shell, type BrowserWindow } from 'electron';
import type { Patiently } from '../consent/ask-limit';
import { classifyUrl } from '@shared/policy/url';

let isAsking = false;

/**
 * The only caller of `openExternal` (security checklist 15). The person sees the real address first; anything but
 * http, https and mailto is refused. Returns whether it was opened; a second link is not asked about while the
 * first is, and none for a minute after some were cancelled.
 */
export async function openExternalLink(
  raw: string,
  window: BrowserWindow | null,
  patiently: Patiently,
): Promise<boolean> {
  const url = classifyUrl(raw);
  if (!url.ok || isAsking) return false;
  const options = {
    type: 'question' as const,
    title: 'Open a link',
    message:
      url.scheme === 'mailto' ? 'Write to this address in your mail program?' : `Open ${url.host} in your browser?`,
    detail: [url.display, url.warning].filter(Boolean).join('\n\n'),
    buttons: ['Open', 'Cancel'],
    defaultId: 1,
    cancelId: 1,
    noLink: true,
  };
  isAsking = true;
  try {
    const answer = await patiently('open-link', async () => {
      const { response } = window ? await dialog.showMessageBox(window, options) : await dialog.showMessageBox(options);
      return response === 0 ? 'open' : null;
    });
    if (answer === null) return false;
  } finally {
    isAsking = false;
  }
  await shell.openExternal(url.href);
  return true;
}
