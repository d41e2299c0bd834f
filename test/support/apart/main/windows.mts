import { EventEmitter } from 'node:events';
import type { FromPage, Scheme, Size, ToPage } from '../link.ts';
import { HeldEvent } from './events.mts';
import { Ipc, ipcMain } from './ipc.mts';
import { tell } from './link.mts';
import { addressFor } from './pages.mts';
import type { PortMain } from './ports.mts';

/** What a window needs of the app around it. */
interface Around {
  browser(): Promise<{ port: number; switches: [string, string][]; profile: string }>;
  scheme(): Scheme;
  created(contents: WebContents): void;
  allClosed(): void;
}
let around: Around;
export function surround(given: Around): void {
  around = given;
}

interface Rectangle extends Size {
  x: number;
  y: number;
}

let count = 0;
const open = new Map<number, BrowserWindow>();

/** A page in Chromium, which the test opens and passes messages to and from. */
export class WebContents extends EventEmitter {
  readonly ipc = new Ipc();
  readonly session = {};
  readonly id: number;
  url = '';
  zoomLevel = 0;
  #isDestroyed = false;
  #isCrashed = false;
  #ports = new Map<number, PortMain>();
  #portCount = 0;

  constructor() {
    super();
    count += 1;
    this.id = count;
  }

  isDestroyed = (): boolean => this.#isDestroyed;
  isCrashed = (): boolean => this.#isCrashed;
  getURL = (): string => this.url;
  // The page can't leave its origin: no name but its own is found (the app's own switch), and no link opens a window here.
  setWindowOpenHandler(): void {}
  setWebRTCIPHandlingPolicy(): void {}

  send(channel: string, value: unknown): void {
    this.postMessage(channel, value, []);
  }

  postMessage(channel: string, value: unknown, ports: PortMain[]): void {
    const numbers = ports.map((port) => this.#keepPort(port));
    this.#tell({ type: 'event', channel, value, ports: numbers });
  }

  reload(): void {
    this.#isCrashed = false;
    tell({ kind: 'reload', contents: this.id });
  }

  receive(message: FromPage): void {
    if (this.#isDestroyed) return;
    if (message.type === 'begin') {
      this.#closePorts();
      this.emit('did-start-navigation', { isMainFrame: true, isSameDocument: false, url: this.url });
    } else if (message.type === 'port') this.#ports.get(message.port)?.postMessage(message.value);
    else if (message.type === 'port-closed') this.#ports.get(message.port)?.close();
    else if (message.type === 'send') {
      if (!this.ipc.emit(message.channel, this.#event(), ...message.values))
        ipcMain.emit(message.channel, this.#event(), ...message.values);
    } else void this.#answer(message);
  }

  async #answer({ id, channel, values }: Extract<FromPage, { type: 'invoke' }>): Promise<void> {
    try {
      const handler = this.ipc.handlerOf(channel) ?? ipcMain.handlerOf(channel);
      if (!handler) throw new Error(`No handler registered for '${channel}'`);
      this.#tell({ type: 'answer', id, value: await handler(this.#event(), ...values) });
    } catch (error) {
      this.#tell({ type: 'answer', id, error: `Error invoking remote method '${channel}': ${String(error)}` });
    }
  }

  crashed(): void {
    this.#isCrashed = true;
    this.#closePorts();
    this.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 11 });
  }

  destroyed(): void {
    this.#isDestroyed = true;
    this.#closePorts();
    this.emit('destroyed');
  }

  #event() {
    return { sender: this, senderFrame: { url: this.url, parent: null } };
  }

  #tell(message: ToPage): void {
    if (!this.#isDestroyed) tell({ kind: 'to-page', contents: this.id, message });
  }

  #keepPort(port: PortMain): number {
    this.#portCount += 1;
    const number = this.#portCount;
    this.#ports.set(number, port);
    port.on('message', ({ data }: { data: unknown }) => this.#tell({ type: 'port', port: number, value: data }));
    port.once('close', () => this.#ports.delete(number));
    port.start();
    return number;
  }

  #closePorts(): void {
    for (const port of this.#ports.values()) port.close();
    this.#ports.clear();
  }
}

interface WindowOptions extends Partial<Rectangle> {
  title?: string;
  parent?: BrowserWindow;
  webPreferences: { preload: string };
}

export class BrowserWindow extends EventEmitter {
  static getAllWindows = (): BrowserWindow[] => [...open.values()];
  static getFocusedWindow = (): BrowserWindow | null => [...open.values()].at(-1) ?? null;
  static fromWebContents = (contents: WebContents): BrowserWindow | null => open.get(contents.id) ?? null;

  readonly webContents = new WebContents();
  readonly id = this.webContents.id;
  readonly #preload: string;
  readonly #parent: BrowserWindow | null;
  #bounds: Rectangle;
  #isDestroyed = false;
  #isVisible = false;
  #isMaximized = false;

  constructor({ x = 0, y = 0, width = 800, height = 600, parent, webPreferences }: WindowOptions) {
    super();
    this.#parent = parent ?? null;
    this.#preload = webPreferences.preload;
    this.#bounds = { x, y, width, height };
    open.set(this.id, this);
    around.created(this.webContents);
  }

  async loadURL(url: string): Promise<void> {
    this.webContents.url = url;
    const loaded = new Promise<void>((resolve) => this.webContents.once('did-finish-load', () => resolve()));
    const { width, height } = this.#bounds;
    const page = {
      address: addressFor(url),
      preload: this.#preload,
      size: { width, height },
      scheme: around.scheme(),
      browser: await around.browser(),
    };
    if (this.#isDestroyed) return;
    tell({ kind: 'open', contents: this.id, page });
    await loaded;
    this.emit('ready-to-show');
  }

  show(): void {
    this.#isVisible = true;
  }
  focus(): void {}
  restore(): void {}
  maximize(): void {
    this.#isMaximized = true;
  }
  isVisible = (): boolean => this.#isVisible;
  isMinimized = (): boolean => false;
  isMaximized = (): boolean => this.#isMaximized;
  isDestroyed = (): boolean => this.#isDestroyed;
  getBounds = (): Rectangle => ({ ...this.#bounds });
  getNormalBounds = this.getBounds;
  getSize = (): number[] => [this.#bounds.width, this.#bounds.height];
  getContentSize = this.getSize;
  getParentWindow = (): BrowserWindow | null => this.#parent;

  // There is no frame around a page, so the whole window is its content.
  setContentSize(width: number, height: number): void {
    this.#bounds = { ...this.#bounds, width, height };
    tell({ kind: 'resize', contents: this.id, size: { width, height } });
    this.emit('resize');
  }
  // A browser's own window stands around the page.
  setBackgroundColor(): void {}
  setPosition(x: number, y: number): void {
    this.#bounds = { ...this.#bounds, x, y };
    this.emit('move');
  }

  close(): void {
    if (this.#isDestroyed) return;
    const event = new HeldEvent();
    this.emit('close', event);
    if (!event.defaultPrevented) this.destroy();
  }

  destroy(): void {
    if (this.#isDestroyed) return;
    this.#isDestroyed = true;
    open.delete(this.id);
    this.webContents.destroyed();
    tell({ kind: 'close', contents: this.id });
    this.emit('closed');
    if (open.size === 0) around.allClosed();
  }
}

export function contentsOf(id: number): WebContents | undefined {
  return open.get(id)?.webContents;
}
