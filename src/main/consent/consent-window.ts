import { join } from 'node:path';
import { BrowserWindow, nativeTheme } from 'electron';
import { CONSENT_CHANNELS } from '@shared/ipc/consent';
import { CONSENT_ORIGIN, windowPreferences } from '../pages';
import type { Log } from '../ports';
import { type ConsentQuestion, drawnQuestion, oneAtATime, type ShowConsent } from './consent';
import { consentSession } from './consent-session';
const WIDTH = 560;
const LOWEST = 180;
/** Of the main window's height, so that both edges of the question stay in view. */
const HIGHEST_SHARE = 0.9;
const SHEET = { light: '#ffffff', dark: '#242320' };

export interface ConsentWindows {
  parent: () => BrowserWindow | null;
  /** The folder of the built app. */
  built: string;
  devServer: string | undefined;
  log: Log;
}

/** Asks in modal windows, one at a time. When the main window closes, the answer is null; undefined where nothing could be shown. */
export function consentWindows(options: ConsentWindows): {
  show: ShowConsent;
  /** Brings the question that is open to the front; nothing where none is. */
  toFront: () => void;
} {
  let open: BrowserWindow | null = null;
  const note = (window: BrowserWindow): void => {
    open = window;
  };
  return {
    show: oneAtATime((question) => show(question, options, note)),
    toFront: () => {
      // One that is not drawn yet comes to the front by itself.
      if (open && !open.isDestroyed() && open.isVisible()) open.focus();
    },
  };
}

function show(
  question: ConsentQuestion,
  { parent, built, devServer, log }: ConsentWindows,
  note: (window: BrowserWindow) => void,
): ReturnType<ShowConsent> {
  const owner = parent();
  if (!owner || owner.isDestroyed()) return Promise.resolve(undefined);
  const theme = nativeTheme.shouldUseDarkColors ? 'dark' : 'light';
  const window = new BrowserWindow({
    parent: owner,
    modal: true,
    show: false,
    width: WIDTH,
    height: LOWEST,
    useContentSize: true,
    minimizable: false,
    maximizable: false,
    fullscreenable: false,
    title: question.title,
    backgroundColor: SHEET[theme],
    autoHideMenuBar: true,
    webPreferences: {
      ...windowPreferences(join(built, 'preload/consent.js')),
      session: consentSession(join(built, 'renderer'), devServer),
    },
  });
  note(window);
  const { webContents: contents } = window;
  return new Promise((resolve) => {
    const end = (answer: string | null | undefined): void => {
      resolve(answer);
      if (!window.isDestroyed()) window.destroy();
    };
    const fail = (reason: string) => (): void => {
      log.warn(`A question (${question.kind}) was taken for cancelled: ${reason}.`);
      // What was on the screen may have been meant to be cancelled; what never was can't have been.
      end(window.isDestroyed() || window.isVisible() ? null : undefined);
    };
    const closeWithOwner = (): void => end(null);
    window.once('closed', () => {
      if (!owner.isDestroyed()) owner.removeListener('close', closeWithOwner);
      resolve(null);
    });
    owner.once('close', closeWithOwner);
    contents.once('preload-error', fail('its preload failed'));
    contents.once('render-process-gone', fail('its process ended'));
    // These channels exist on this window's own contents alone: no other page can ask or answer.
    contents.ipc.handle(CONSENT_CHANNELS.question, () => drawnQuestion(question, theme));
    contents.ipc.handle(CONSENT_CHANNELS.drawn, (_event, height: unknown) => place(window, owner, height));
    contents.ipc.once(CONSENT_CHANNELS.answer, (_event, answer: unknown) =>
      end(typeof answer === 'string' ? answer : null),
    );
    window.loadURL(`${CONSENT_ORIGIN}/consent.html`).catch(fail('its page could not be loaded'));
  });
}

/** Makes the window as high as its text, within the main window, and shows it over its middle. */
function place(window: BrowserWindow, owner: BrowserWindow, height: unknown): void {
  const bounds = owner.getBounds();
  const wanted = typeof height === 'number' && Number.isFinite(height) ? Math.ceil(height) : LOWEST;
  const most = Math.max(LOWEST, Math.floor(bounds.height * HIGHEST_SHARE));
  window.setContentSize(WIDTH, Math.min(Math.max(wanted, LOWEST), most));
  const [width = WIDTH, full = LOWEST] = window.getSize();
  window.setPosition(
    Math.round(bounds.x + (bounds.width - width) / 2),
    Math.round(bounds.y + (bounds.height - full) / 3),
  );
  window.show();
  window.focus();
}
