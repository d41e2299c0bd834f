import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Scheme } from '../link.ts';
import { HeldEvent } from './events.mts';
import { ipcMain } from './ipc.mts';
import { tell } from './link.mts';
import { HOST_OF_APP, HOST_OF_CONSENT, serveHost, startPages } from './pages.mts';
import { MessageChannelMain } from './ports.mts';
import { utilityProcess } from './utility-process.mts';
import { BrowserWindow, surround } from './windows.mts';

/**
 * What main uses of the module `electron`, for main in plain Node: as little as the app needs, and honest about the rest (a call
 * that nobody wrote is no function). What belongs to the system answers as on a machine without a keyring and without a person.
 */

const manifest = JSON.parse(readFileSync(join(process.cwd(), 'package.json'), 'utf8')) as {
  productName: string;
  version: string;
};

class App extends EventEmitter {
  readonly isPackaged = false;
  readonly name = manifest.productName;
  readonly commandLine = {
    hasSwitch: (name: string) => process.argv.includes(`--${name}`),
    appendSwitch: (name: string, value = '') => void this.switches.push([name, value]),
  };
  readonly switches: [string, string][] = [];
  #profile = join(homedir(), '.config', manifest.productName);
  #isQuitting = false;

  getName = (): string => this.name;
  getVersion = (): string => manifest.version;
  getAppPath = (): string => process.cwd();
  getPath(name: string): string {
    if (name !== 'userData') throw new Error(`No path for ${name} here`);
    return this.#profile;
  }
  setPath(_name: 'userData', path: string): void {
    this.#profile = path;
  }
  requestSingleInstanceLock = (): boolean => true;
  enableSandbox(): void {}
  setAppUserModelId(): void {}
  readonly badgeCount = 0;
  setBadgeCount = (): boolean => false;
  isReady = (): boolean => true;
  whenReady = (): Promise<void> => Promise.resolve();

  quit(): void {
    const event = new HeldEvent();
    this.emit('before-quit', event);
    if (event.defaultPrevented) return;
    this.#isQuitting = true;
    for (const window of BrowserWindow.getAllWindows()) window.close();
    if (BrowserWindow.getAllWindows().length > 0) return;
    this.emit('will-quit', new HeldEvent());
    this.exit(0);
  }
  exit(code = 0): void {
    process.exit(code);
  }
  allClosed(): void {
    if (!this.#isQuitting) this.emit('window-all-closed');
  }
}
const app = new App();

class NativeTheme extends EventEmitter {
  #source: 'system' | 'light' | 'dark' = 'system';
  get themeSource(): 'system' | 'light' | 'dark' {
    return this.#source;
  }
  set themeSource(source: 'system' | 'light' | 'dark') {
    if (source === this.#source) return;
    this.#source = source;
    tell({ kind: 'theme', scheme: this.scheme });
    this.emit('updated');
  }
  get scheme(): Scheme {
    return this.#source === 'system' ? null : this.#source;
  }
  get shouldUseDarkColors(): boolean {
    return this.#source === 'dark';
  }
}
const nativeTheme = new NativeTheme();

/** The browser's permissions and requests: Chromium itself is started without a network (the app's own switch). */
function sessionFor(host: string) {
  return {
    setPermissionRequestHandler(): void {},
    setPermissionCheckHandler(): void {},
    setDevicePermissionHandler(): void {},
    webRequest: { onBeforeRequest(): void {} },
    protocol: {
      handle: (_scheme: 'app', serve: (request: Request) => Promise<Response>) => serveHost(host, serve),
    },
  };
}
const defaultSession = sessionFor(HOST_OF_APP);

interface MenuItem {
  label: string;
  role?: string;
  submenu?: Menu;
  click(): void;
}
interface MenuTemplate {
  label?: string;
  role?: string;
  submenu?: MenuTemplate[];
  click?: () => void;
}
class Menu {
  static #application: Menu | null = null;
  static setApplicationMenu = (menu: Menu): void => void (Menu.#application = menu);
  static getApplicationMenu = (): Menu | null => Menu.#application;
  static buildFromTemplate = (template: MenuTemplate[]): Menu => new Menu(template.map(itemOf));
  readonly items: MenuItem[];
  constructor(items: MenuItem[]) {
    this.items = items;
  }
}
function itemOf({ label = '', role, submenu, click }: MenuTemplate): MenuItem {
  const run = (): void => (role === 'quit' ? app.quit() : click?.());
  return { label, role, submenu: submenu && Menu.buildFromTemplate(submenu), click: run };
}

/** As on a desktop that shows none. */
class Notification {
  static isSupported = (): boolean => false;
}

/** Tests put their answer in a call's place; without one nobody is there to answer. */
const nobody = (what: string) => () => Promise.reject(new Error(`Nobody answers ${what} in this test.`));

let clipboard = '';

surround({
  browser: async () => ({ port: await pages, switches: app.switches, profile: app.getPath('userData') }),
  scheme: () => nativeTheme.scheme,
  created: (contents) => void app.emit('web-contents-created', {}, contents),
  allClosed: () => app.allClosed(),
});
const pages = startPages();

export const electron = {
  app,
  BrowserWindow,
  ipcMain,
  Menu,
  MessageChannelMain,
  nativeTheme,
  Notification,
  clipboard: { readText: () => clipboard, writeText: (text: string) => void (clipboard = text) },
  dialog: {
    showOpenDialog: nobody('a dialog for files'),
    showSaveDialog: nobody('a dialog for files'),
    showMessageBox: nobody('a question of the system'),
    showErrorBox: (title: string, text: string) => void process.stderr.write(`${title}: ${text}\n`),
  },
  protocol: { registerSchemesAsPrivileged(): void {}, handle: defaultSession.protocol.handle },
  safeStorage: { isEncryptionAvailable: () => false, getSelectedStorageBackend: () => 'basic_text' },
  screen: { getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1440, height: 900 } }] },
  session: { defaultSession, fromPartition: () => sessionFor(HOST_OF_CONSENT) },
  shell: {
    openExternal: nobody('a link'),
    openPath: nobody('a folder'),
    showItemInFolder: nobody('a folder'),
    trashItem: nobody('the bin'),
  },
  utilityProcess,
  webContents: { getAllWebContents: () => BrowserWindow.getAllWindows().map((window) => window.webContents) },
};
