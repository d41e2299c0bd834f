import { spawn, type ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type BrowserContext, type CDPSession, type ElectronApplication, type Page } from '@playwright/test';
import type { FromPage, OpenedPage, ToMain, ToPage, ToTest } from './link';
import { runPreload } from './page-side';

/** The project's folder. Not `import.meta`: Playwright loads this file as CommonJS. */
const root = process.cwd();
const BINDING = 'espalierToTest';
/** Under this name a page has its `PageSide`. */
export const PAGE_SIDE = 'espalierPageSide';

export interface ApartOptions {
  env: Record<string, string>;
  args: readonly string[];
  /** For each page that comes to be, before its code runs. */
  onPage: (page: Page) => void;
}

/** The half of Playwright's `ElectronApplication` that specs use. */
type Driven = Pick<ElectronApplication, 'evaluate' | 'windows' | 'process' | 'close' | 'firstWindow'>;

/**
 * The app's two halves on what ships: main in Node 24, its window in the system's Chromium. `ESPALIER_APART` (the set-up gives it)
 * names both. Driven as an `ElectronApplication`, so that a spec need not know.
 */
export function launchApart({ env, args, onPage }: ApartOptions): Driven {
  const { node, browser } = JSON.parse(process.env.ESPALIER_APART ?? '{}') as { node?: string; browser?: string };
  if (!node || !browser) throw new Error('Run through `npm run test:e2e`, which finds Node 24 and Chromium.');
  const entry = join(root, 'test/support/apart/main/main.mts');
  const child = spawn(node, ['--disable-warning=ExperimentalWarning', entry, ...args], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    serialization: 'advanced',
    // Of a group of its own, as the app in Electron: one that hangs is ended with all it started.
    detached: true,
  });
  return new ApartApp(child, new Window(child, browser, onPage)).driven();
}

class ApartApp {
  readonly #child: ChildProcess;
  readonly #window: Window;
  readonly #evaluations = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  readonly #gone: Promise<void>;
  #count = 0;

  constructor(child: ChildProcess, window: Window) {
    this.#child = child;
    this.#window = window;
    child.on('message', (message) => this.#receive(message as ToTest));
    this.#gone = new Promise((resolve) =>
      child.once('exit', () => {
        for (const { reject } of this.#evaluations.values()) reject(new Error('Main has ended'));
        void window.end().then(resolve);
      }),
    );
  }

  driven(): Driven {
    return {
      evaluate: ((run: unknown, argument: unknown) => this.#evaluate(String(run), argument)) as Driven['evaluate'],
      windows: () => this.#window.pages(),
      process: () => this.#child as ReturnType<Driven['process']>,
      firstWindow: () => this.#window.first(),
      close: () => {
        this.#tell({ kind: 'quit' });
        return this.#gone;
      },
    };
  }

  #evaluate(source: string, argument: unknown): Promise<unknown> {
    this.#count += 1;
    const id = this.#count;
    return new Promise((resolve, reject) => {
      this.#evaluations.set(id, { resolve, reject });
      this.#tell({ kind: 'evaluate', id, source, argument });
    });
  }

  #receive(message: ToTest): void {
    if (message.kind !== 'evaluated') return this.#window.receive(message);
    const { resolve, reject } = this.#evaluations.get(message.id) ?? {};
    this.#evaluations.delete(message.id);
    if (message.error === undefined) resolve?.(message.value);
    else reject?.(new Error(message.error));
  }

  #tell(message: ToMain): void {
    if (this.#child.connected) this.#child.send(message);
  }
}

interface OpenPage {
  page: Page;
  debug: CDPSession;
  /** What runs the page's code now; undefined before it began. */
  context: number | undefined;
}

/** Chromium and the app's pages in it. What main says of a page is done in its order. */
class Window {
  readonly #child: ChildProcess;
  readonly #browser: string;
  readonly #onPage: (page: Page) => void;
  readonly #open = new Map<number, OpenPage>();
  readonly #told = new EventEmitter();
  #chromium: Promise<BrowserContext> | undefined;
  #work: Promise<unknown> = Promise.resolve();
  #hasEnded = false;

  constructor(child: ChildProcess, browser: string, onPage: (page: Page) => void) {
    this.#child = child;
    this.#browser = browser;
    this.#onPage = onPage;
  }

  pages(): Page[] {
    return [...this.#open.values()].map(({ page }) => page);
  }

  first(): Promise<Page> {
    const [page] = this.pages();
    if (page) return Promise.resolve(page);
    return new Promise((resolve, reject) => {
      this.#told.once('page', resolve);
      this.#told.once('failed', reject);
      this.#child.once('exit', (code) => reject(new Error(`Main ended with ${code} before it opened a window`)));
    });
  }

  receive(message: Exclude<ToTest, { kind: 'evaluated' }>): void {
    this.#work = this.#work
      .then(() => this.#act(message))
      .catch((error: unknown) => {
        // A page that closes takes what was meant for it along.
        if (this.#hasEnded || (message.kind !== 'open' && !this.#open.has(contentsOf(message)))) return;
        this.#told.emit('failed', error);
        process.stderr.write(`The window could not ${message.kind}: ${String(error)}\n`);
      });
  }

  /** Main has ended, and the browser with it. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    await (await this.#chromium?.catch(() => undefined))?.close();
  }

  async #act(message: Exclude<ToTest, { kind: 'evaluated' }>): Promise<void> {
    if (message.kind === 'open') return this.#openPage(message.contents, message.page);
    if (message.kind === 'theme') {
      for (const page of this.pages()) await page.emulateMedia({ colorScheme: message.scheme });
      return;
    }
    const open = this.#open.get(message.contents);
    if (!open) return;
    if (message.kind === 'resize') await open.page.setViewportSize(message.size);
    else if (message.kind === 'reload') void open.page.reload().catch(() => undefined);
    else if (message.kind === 'close') {
      this.#open.delete(message.contents);
      await open.page.close();
    } else this.#toPage(open, message.message);
  }

  /** Not waited for: the debugger keeps the order, and what comes too late for a page is lost as in Electron. */
  #toPage({ debug, context }: OpenPage, message: ToPage): void {
    const functionDeclaration = `function (message) { this.${PAGE_SIDE}.receive(message) }`;
    debug
      .send('Runtime.callFunctionOn', {
        functionDeclaration,
        arguments: [{ value: message }],
        executionContextId: context,
      })
      .catch(() => undefined);
  }

  async #openPage(contents: number, { address, preload, size, scheme, browser }: OpenedPage): Promise<void> {
    const isFirst = this.#chromium === undefined;
    this.#chromium ??= this.#start(browser, size);
    const chromium = await this.#chromium;
    const page = (isFirst ? chromium.pages()[0] : undefined) ?? (await chromium.newPage());
    const debug = await chromium.newCDPSession(page);
    const open: OpenPage = { page, debug, context: undefined };
    debug.on('Runtime.bindingCalled', ({ name, payload, executionContextId }) => {
      if (name !== BINDING) return;
      const message = JSON.parse(payload) as FromPage;
      if (message.type === 'begin') open.context = executionContextId;
      this.#tell({ kind: 'from-page', contents, message });
    });
    await debug.send('Runtime.enable');
    await debug.send('Runtime.addBinding', { name: BINDING });
    await page.addInitScript({
      content: `(${String(runPreload)})('${BINDING}', '${PAGE_SIDE}', (require, module, exports) => {\n${readFileSync(preload, 'utf8')}\n});`,
    });
    page.on('crash', () => this.#tell({ kind: 'crashed', contents }));
    page.on('load', () => this.#tell({ kind: 'loaded', contents }));
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme: scheme });
    this.#open.set(contents, open);
    this.#onPage(page);
    this.#told.emit('page', page);
    // Its code asks main while it loads, and main's answers stand behind this in the order.
    void page.goto(address).catch((error: unknown) => this.#told.emit('failed', error));
  }

  #start({ port, switches, profile }: OpenedPage['browser'], viewport: OpenedPage['size']): Promise<BrowserContext> {
    const given = new Map(switches);
    // The two hosts of the app's pages are found where main serves them; then the app's own rule: nothing else is found.
    const own = ['app', 'consent'].map((host) => `MAP ${host}.localhost:80 127.0.0.1:${port}`);
    given.set('host-resolver-rules', [...own, given.get('host-resolver-rules') ?? []].flat().join(','));
    return chromium.launchPersistentContext(profile, {
      executablePath: this.#browser,
      chromiumSandbox: process.getuid?.() !== 0,
      args: ['--disable-gpu', ...[...given].map(([name, value]) => `--${name}=${value}`)],
      viewport,
    });
  }

  #tell(message: ToMain): void {
    if (this.#child.connected) this.#child.send(message);
  }
}

const contentsOf = (message: ToTest): number => ('contents' in message ? message.contents : -1);
