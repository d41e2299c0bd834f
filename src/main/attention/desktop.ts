/** What the system around the window can show. `app/desktop.ts` does it with Electron. Nothing here throws. */
import type { DesktopSupport } from '@shared/types';

export interface DesktopNote {
  /** In visible form, one short line. */
  title: string;
  body: string;
  isSilent: boolean;
  onClick: () => void;
}

export interface Desktop {
  support(): DesktopSupport;
  /** Whether the person is at a window of this app. */
  isHere(): boolean;
  /** Shows a notification. Returns what takes it back, also once it is gone already. */
  notify(note: DesktopNote): () => void;
  /** At the app's icon: how many sessions wait for the person. */
  setCount(waiting: number): void;
  /** Makes the app's icon stand out, until the person comes or `calm`. */
  call(): void;
  calm(): void;
  /** Brings the window to the front; one that was closed is opened. */
  bringForward(): void;
}
