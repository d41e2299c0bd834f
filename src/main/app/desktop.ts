import { app, BrowserWindow, nativeImage, Notification } from 'electron';
import type { Settings } from '@shared/settings';
import { AttentionDesk, type Desktop, type DesktopNote, dotBitmap } from '../attention/attention-desk';
import type { EventChannel } from '../ipc/event-channel';
import type { Log } from '../ports';

interface Around {
  window: () => BrowserWindow | null;
  showWindow: () => void;
  log: Pick<Log, 'warn'>;
}

/** Tells the person outside the window what `AttentionDesk` hears. */
export function startAttention(around: Around & { channel: EventChannel }, settings: () => Settings): AttentionDesk {
  const { channel } = around;
  const desk = new AttentionDesk({
    desktop: electronDesktop(around),
    settings,
    now: Date.now,
    soon: setImmediate,
    tellWindow: (event) => {
      channel.emit(event);
      return channel.connected;
    },
  });
  app.on('browser-window-focus', () => desk.cameHere());
  return desk;
}

/** Pixels of the mark over the icon in Windows' task bar. */
const OVERLAY = 16;

/** What each system can do at the app's icon, beside the notification that all share (NT3). */
type AtIcon = Pick<Desktop, 'setCount' | 'call' | 'calm'> & { hasBadge: () => boolean };

/** The system around the window, through Electron. `platform`: as Node names it. */
export function electronDesktop(around: Around, platform: string = process.platform): Desktop {
  const { hasBadge, ...atIcon } = iconOf(platform, around);
  const shown = new Set<Notification>();
  const careful = (what: string, step: () => void): void => {
    try {
      step();
    } catch (error) {
      // Without it the window shows the same.
      around.log.warn(`${what} failed: ${String(error)}`);
    }
  };

  function notify({ title, body, isSilent, onClick }: DesktopNote): () => void {
    if (!Notification.isSupported()) return () => undefined;
    const note = new Notification({ title, body, silent: isSilent });
    // Held: one that is collected no longer answers a click.
    shown.add(note);
    const takeBack = (): void => careful('Taking a notification back', () => shown.delete(note) && note.close());
    note.once('click', () => {
      // Some systems leave it standing.
      takeBack();
      onClick();
    });
    note.once('failed', (_event, error) => {
      shown.delete(note);
      around.log.warn(`A notification failed: ${error}`);
    });
    note.show();
    return takeBack;
  }

  return {
    support() {
      let notifications = false;
      let badge = false;
      careful('Asking for notifications', () => (notifications = Notification.isSupported()));
      careful('Asking for a count', () => (badge = hasBadge()));
      return { notifications, badge };
    },
    isHere: () => BrowserWindow.getFocusedWindow() !== null,
    notify: (note) => {
      let takeBack = (): void => undefined;
      careful('A notification', () => (takeBack = notify(note)));
      return () => takeBack();
    },
    setCount: (waiting) => careful('The count at the icon', () => atIcon.setCount(waiting)),
    call: () => careful('Marking the icon', () => atIcon.call()),
    calm: () => careful('Marking the icon', () => atIcon.calm()),
    bringForward: () =>
      careful('Showing the window', () => {
        around.showWindow();
        // Where another app is in front, its windows stay in front of ours otherwise.
        if (platform === 'darwin') app.focus({ steal: true });
      }),
  };
}

function iconOf(platform: string, { window }: Around): AtIcon {
  const open = (): BrowserWindow | null => {
    const found = window();
    return found && !found.isDestroyed() ? found : null;
  };
  switch (platform) {
    case 'darwin': {
      let bounce: number | undefined;
      return {
        hasBadge: () => true,
        setCount: (waiting) => app.dock?.setBadge(waiting > 0 ? String(waiting) : ''),
        call: () => {
          bounce ??= app.dock?.bounce('critical');
        },
        calm: () => {
          if (bounce !== undefined) app.dock?.cancelBounce(bounce);
          bounce = undefined;
        },
      };
    }
    case 'win32':
      return {
        hasBadge: () => true,
        setCount: (waiting) => {
          const words = `${waiting} ${waiting === 1 ? 'session needs' : 'sessions need'} you`;
          open()?.setOverlayIcon(waiting > 0 ? overlay() : null, waiting > 0 ? words : '');
        },
        call: () => open()?.flashFrame(true),
        calm: () => open()?.flashFrame(false),
      };
    default:
      return {
        // It says whether the desktop takes one.
        hasBadge: () => app.setBadgeCount(app.badgeCount),
        setCount: (waiting) => void app.setBadgeCount(waiting),
        call: () => undefined,
        calm: () => undefined,
      };
  }
}

function overlay(): Electron.NativeImage {
  return nativeImage.createFromBitmap(dotBitmap(OVERLAY), { width: OVERLAY, height: OVERLAY });
}
