import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test, type Frame, type Page } from '@playwright/test';
import type { EspalierBridge } from '../../src/shared/ipc/contract';
import { launchApp, removeHome, type RunningApp } from '../support/electron-app';
import { answered, LONG, send } from '../support/e2e/chat';

/**
 * Electron's security checklist (QC1), what only the running app can show; numbers are the checklist's. The
 * items that can be read off the sources, and with them the rest of the twenty, are in
 * test/unit/app/security-checklist.test.ts.
 */

let app: RunningApp;
let page: Page;
/** Requests that reached a server outside; there must never be one. */
const reached: string[] = [];
const outside = createServer((request, response) => {
  reached.push(`${request.method} ${request.url}`);
  response.setHeader('access-control-allow-origin', '*').end('outside');
});
let origin = '';

test.beforeAll(async () => {
  await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`;
  app = await launchApp({ env: { ESPALIER_DEMO_SPEED: '4000' } });
  page = app.page;
  // Nobody is there to answer a dialog: each is noted and answered with its cancel button, nothing leaves the app.
  await app.electron.evaluate(({ dialog, shell }) => {
    const noted = { asked: [] as string[], opened: [] as string[], answer: 1 };
    Object.assign(globalThis, { noted });
    dialog.showMessageBox = (...args: unknown[]) => {
      const options = args.at(-1) as { message: string; detail?: string };
      noted.asked.push(`${options.message} ${options.detail ?? ''}`);
      return Promise.resolve({ response: noted.answer, checkboxChecked: false });
    };
    shell.openExternal = (url: string) => {
      noted.opened.push(url);
      return Promise.resolve();
    };
  });
});
test.afterAll(async () => {
  await app.close();
  outside.close();
  removeHome(app.home);
});

interface Noted {
  asked: string[];
  opened: string[];
  answer: number;
}
const noted = (): Promise<Noted> => app.electron.evaluate(() => (globalThis as unknown as { noted: Noted }).noted);

test('WN4, QC1 2, 3, 4, 6, 8, 9, 10, 11: the window runs with the preferences that the sources name', async () => {
  // Not in Electron's types, and there since its first versions.
  type Told = { getLastWebPreferences(): Electron.WebPreferences };
  const preferences = await app.electron.evaluate(({ webContents }) =>
    webContents.getAllWebContents().map((contents) => (contents as unknown as Told).getLastWebPreferences()),
  );
  expect(preferences).toHaveLength(1);
  expect(preferences[0]).toMatchObject({
    nodeIntegration: false,
    nodeIntegrationInSubFrames: false,
    contextIsolation: true,
    sandbox: true,
    webSecurity: true,
    allowRunningInsecureContent: false,
    experimentalFeatures: false,
    webviewTag: false,
  });
  expect(preferences[0]?.enableBlinkFeatures ?? '').toBe('');
});

test('QC1 2: the page has no Node', async () => {
  const found = await page.evaluate(() =>
    ['require', 'process', 'module', 'exports', 'Buffer', 'global', '__dirname', 'electron'].filter(
      (name) => name in globalThis,
    ),
  );
  expect(found).toEqual([]);
});

test('QC1 3, 20: the bridge is four frozen functions, and the page cannot reach the world behind it', async () => {
  const seen = await page.evaluate(async () => {
    const bridge = window.espalier as EspalierBridge & Record<string, unknown>;
    const tried = (change: () => void): string => {
      try {
        change();
        return 'done';
      } catch {
        return 'refused';
      }
    };
    const changes = [
      tried(() => Object.assign(bridge, { request: () => 'mine' })),
      tried(() => Object.assign(bridge, { extra: 1 })),
      tried(() => Object.assign(window, { espalier: null })),
    ];
    // What the preload checks names with must be its own, not the page's.
    const { has } = Set.prototype;
    Set.prototype.has = () => true;
    const refusal = await bridge.request('shell.openExternal' as never, {} as never).catch(String);
    Set.prototype.has = has;
    return {
      names: Object.keys(bridge).sort(),
      frozen: Object.isFrozen(bridge),
      types: Object.values(bridge).map((value) => typeof value),
      changes,
      refusal: String(refusal),
      stillThere: typeof window.espalier?.request,
    };
  });
  expect(seen.names).toEqual(['bulk', 'offerFiles', 'onEvents', 'request']);
  expect(new Set(seen.types)).toEqual(new Set(['function']));
  expect(seen.frozen).toBe(true);
  expect(seen.changes).toEqual(['refused', 'refused', 'refused']);
  expect(seen.refusal).toContain('Unknown request');
  expect(seen.stillThere).toBe('function');
});

test('QC1 20: listeners get the batch alone, without Electron’s event object', async () => {
  await page.evaluate(() => {
    const events: number[] = [];
    Object.assign(window, { events });
    (window.espalier as EspalierBridge).onEvents((...args: unknown[]) => events.push(args.length));
  });
  await send(page, 'Hello');
  await answered(page, 'For a real model');
  const counts = await page.evaluate(() => (window as unknown as { events: number[] }).events);
  expect(new Set(counts)).toEqual(new Set([1]));
});

test('QC1 4: the renderer runs in the sandbox', async () => {
  test.skip(process.platform !== 'linux', 'not run: only Linux tells it in /proc');
  test.skip(process.getuid?.() === 0, 'not run: as root Chromium has no sandbox');
  const pids = await app.electron.evaluate(({ app: electron }) =>
    electron.getAppMetrics().flatMap(({ type, pid }) => (type === 'Tab' ? [pid] : [])),
  );
  expect(pids.length).toBeGreaterThan(0);
  for (const pid of pids) {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    expect(status).toMatch(/^Seccomp:\t2$/m);
    expect(status).toMatch(/^NoNewPrivs:\t1$/m);
  }
});

test('QC1 5: every permission is denied', async () => {
  const answers = await page.evaluate(async () => {
    const outcome = async (task: () => Promise<unknown>): Promise<string> => {
      try {
        return String(await task());
      } catch (error) {
        return `refused: ${(error as Error).name}`;
      }
    };
    const state = (name: string): Promise<string> =>
      outcome(async () => (await navigator.permissions.query({ name: name as PermissionName })).state);
    return {
      states: await Promise.all(
        ['camera', 'microphone', 'geolocation', 'notifications', 'clipboard-read', 'midi'].map(state),
      ),
      camera: await outcome(() => navigator.mediaDevices.getUserMedia({ video: true, audio: true })),
      screen: await outcome(() => navigator.mediaDevices.getDisplayMedia({ video: true })),
      notification: await outcome(() => Notification.requestPermission()),
      place: await outcome(
        () => new Promise((resolve, reject) => navigator.geolocation.getCurrentPosition(resolve, reject)),
      ),
      clipboard: await outcome(() => navigator.clipboard.readText()),
    };
  });
  expect(new Set(answers.states)).toEqual(new Set(['denied']));
  expect(answers.notification).toBe('denied');
  for (const refused of [answers.camera, answers.screen, answers.place, answers.clipboard])
    expect(refused).toMatch(/^refused/);
});

test('QC1 5: the app’s own page may put text on the clipboard', async () => {
  await app.electron.evaluate(({ clipboard }) => clipboard.writeText('before'));
  const message = page.getByRole('article').filter({ hasText: 'For a real model' });
  await message.hover();
  await message.getByRole('button', { name: 'Copy message' }).first().click();
  await expect
    .poll(() => app.electron.evaluate(({ clipboard }) => clipboard.readText()), { timeout: LONG })
    .toContain('For a real model');
});

test('RD13, QC1 7: pages come with the committed policy and a new nonce each time', async () => {
  const fetchPolicy = (): Promise<string> =>
    app.electron.evaluate(async ({ net }) => {
      const { headers } = await net.fetch('app://app/index.html');
      return headers.get('content-security-policy') ?? '';
    });
  const [first, second] = [await fetchPolicy(), await fetchPolicy()];
  const nonce = (policy: string): string => /'nonce-([^']+)'/.exec(policy)?.[1] ?? '';
  expect(nonce(first).length).toBeGreaterThan(20);
  expect(nonce(first)).not.toBe(nonce(second));
  const committed = readFileSync(join(process.cwd(), 'resources', 'csp.txt'), 'utf8')
    .replace(/\s*\n\s*/g, ' ')
    .trim();
  expect(first).toBe(committed.replaceAll('{nonce}', nonce(first)));
});

/** What the policy reports of the attempts below, each at its own time. */
const REFUSED = [
  'base-uri',
  'connect-src',
  'form-action',
  'frame-src',
  'img-src',
  'media-src',
  'require-trusted-types-for',
  'script-src-elem',
  'style-src-elem',
];

test('QC1 1, 7: injected code, styles, frames and requests are blocked', async () => {
  const { violated, ran } = await page.evaluate(
    async ([address, expected]) => {
      const directives = new Set<string>();
      const violation = new EventTarget();
      document.addEventListener('securitypolicyviolation', (event) => {
        directives.add(event.effectiveDirective);
        violation.dispatchEvent(new Event('noted'));
      });
      /** Waits for the report of something that the policy refuses: what was refused before it has been reported by then. */
      const reported = (directive: string): Promise<void> =>
        new Promise((resolve) => {
          const look = (): void => void (directives.has(directive) && resolve());
          violation.addEventListener('noted', look);
          look();
        });
      const inserted: Element[] = [];
      const insert = (tag: string, properties: Record<string, string>, text = ''): void => {
        const element = document.createElement(tag);
        for (const [name, value] of Object.entries(properties)) element.setAttribute(name, value);
        element.append(text);
        document.body.append(element);
        inserted.push(element);
      };
      // Later, outside the debugger's call, which is exempt from the policy.
      const attempt = (task: () => unknown): Promise<void> =>
        new Promise((resolve) =>
          setTimeout(() => {
            try {
              void Promise.resolve(task()).catch(() => undefined);
            } catch {
              // refused, as it should be
            }
            resolve();
          }),
        );
      await attempt(() => insert('script', {}, 'globalThis.ran = "inline"'));
      await attempt(() => insert('script', { src: `${address}/script.js` }));
      // What a script's own element cannot reach past the Trusted Types, a preload still would.
      await attempt(() => insert('link', { rel: 'preload', as: 'script', href: `${address}/preload.js` }));
      await attempt(() => eval('globalThis.ran = "eval"'));
      await attempt(() => document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="globalThis.ran = 1">'));
      await attempt(() => insert('style', {}, `body { background: url(${address}/style.png) }`));
      await attempt(() => insert('link', { rel: 'stylesheet', href: `${address}/style.css` }));
      await attempt(() => insert('img', { src: `${address}/image.png` }));
      await attempt(() => insert('iframe', { src: `${address}/frame` }));
      // Older Chromium stops this at the Trusted Types, newer at object-src.
      await attempt(() => insert('object', { data: `${address}/object` }));
      await attempt(() => insert('base', { href: address }));
      await attempt(() => insert('video', { src: `${address}/video.mp4` }));
      await attempt(() => fetch(`${address}/fetch`));
      await attempt(() => navigator.sendBeacon(`${address}/beacon`));
      await attempt(() => new WebSocket(`${address.replace('http', 'ws')}/socket`));
      await attempt(() => new EventSource(`${address}/events`));
      await attempt(() => {
        insert('form', { action: `${address}/form`, method: 'post' });
        (inserted.at(-1) as HTMLFormElement).submit();
      });
      for (const directive of expected) await reported(directive);
      inserted.forEach((element) => element.remove());
      return { violated: [...directives].sort(), ran: (globalThis as { ran?: unknown }).ran };
    },
    [origin, REFUSED] as const,
  );
  expect(ran).toBeUndefined();
  expect(violated).toEqual(expect.arrayContaining(REFUSED));
  expect(reached).toEqual([]);
});

test('QC1 1, 13: the page cannot be led elsewhere', async () => {
  const home = page.url();
  await page.evaluate((address) => {
    const link = document.createElement('a');
    link.href = `${address}/link`;
    document.body.append(link);
    link.click();
    link.remove();
    location.href = `${address}/location`;
  }, origin);
  await page.evaluate(() => void (location.href = 'file:///etc/hostname'));
  await page.evaluate(() => void (location.href = 'app://app/mermaid-frame/index.html'));
  await page.evaluate(() => void (location.href = 'data:text/html,hello'));
  // Playwright takes each of them for a navigation that is still to come, until the page reports one that ended.
  await page.evaluate(() => history.replaceState(null, '', location.href));
  // A request later the page is still the same one, with its state.
  await send(page, 'Are you still there');
  await answered(page, 'Are you still there');
  expect(page.url()).toBe(home);
  expect(reached).toEqual([]);
});

test('QC1 12, 14: no second window, no webview', async () => {
  const before = (await noted()).asked.length;
  const opened = await page.evaluate(
    (address) => [`${address}/open`, 'about:blank', 'app://app/index.html'].map((url) => window.open(url) === null),
    origin,
  );
  expect(opened).toEqual([true, true, true]);
  const webview = await page.evaluate(() => {
    const element = document.createElement('webview') as HTMLElement & { loadURL?: unknown };
    element.setAttribute('src', 'https://example.com/');
    document.body.append(element);
    const working = typeof element.loadURL === 'function';
    element.remove();
    return working;
  });
  expect(webview).toBe(false);
  const contents = await app.electron.evaluate(({ webContents }) => webContents.getAllWebContents().length);
  expect(contents).toBe(1);
  // The one http address was shown to the person, who said no.
  await expect.poll(async () => (await noted()).asked.length).toBe(before + 1);
  expect((await noted()).asked.at(-1)).toContain(`${origin}/open`);
  expect((await noted()).opened).toEqual([]);
});

test('RD10, QC1 15: a link leaves the app only as http, https or mailto, and only after a yes to its whole address', async () => {
  const open = async (url: string): Promise<unknown> =>
    JSON.parse(
      await page.evaluate(
        (address) => (window.espalier as EspalierBridge).request('app.openExternal', { url: address }),
        url,
      ),
    );
  const before = (await noted()).asked.length;
  for (const url of ['file:///etc/passwd', 'javascript:alert(1)', 'smb://host/share', 'data:text/html,x'])
    expect(await open(url)).toEqual({ ok: true, value: { opened: false } });
  expect((await noted()).asked).toHaveLength(before);

  const address = 'https://example.com/a/long/path?with=query#and-part';
  expect(await open(address)).toEqual({ ok: true, value: { opened: false } });
  expect((await noted()).asked.at(-1)).toContain(address);
  await app.electron.evaluate(() => ((globalThis as unknown as { noted: Noted }).noted.answer = 0));
  expect(await open(address)).toEqual({ ok: true, value: { opened: true } });
  expect((await noted()).opened).toEqual([address]);
});

test('QC1 17: frames have no bridge, and another window’s messages are refused', async () => {
  const frame = await page.evaluateHandle(() => {
    const element = document.createElement('iframe');
    element.src = 'app://app/mermaid-frame/index.html';
    document.body.append(element);
    return element;
  });
  const inner = (await frame.asElement()?.contentFrame()) as Frame;
  await inner.waitForLoadState();
  expect(await inner.evaluate(() => typeof window.espalier)).toBe('undefined');
  await frame.evaluate((element) => (element as Element).remove());

  const [other] = await Promise.all([
    app.electron.waitForEvent('window'),
    app.electron.evaluate(
      ({ BrowserWindow }, preload) => {
        const window = new BrowserWindow({ show: false, webPreferences: { preload, sandbox: true } });
        void window.loadURL('app://app/mermaid-frame/index.html');
      },
      join(process.cwd(), 'out/preload/index.js'),
    ),
  ]);
  await other.waitForLoadState();
  const answer = await other.evaluate(() => (window.espalier as EspalierBridge).request('app.bootstrap', {}));
  expect(JSON.parse(answer)).toMatchObject({ ok: false, error: { code: 'refused' } });
  await other.close();
});

test('QC1 18: app:// serves the built window and nothing else', async () => {
  const status = await app.electron.evaluate(async ({ net }) => {
    const addresses = [
      'app://app/index.html',
      'app://app/',
      'app://app/../../package.json',
      'app://app/..%2f..%2fpackage.json',
      'app://app/%2e%2e/%2e%2e/package.json',
      'app://app/..%5c..%5cpackage.json',
      'app://app/%252e%252e/main/index.js',
      'app://app//etc/passwd',
      'app://app/../main/index.js',
      'app://other/index.html',
    ];
    const answers = await Promise.all(
      addresses.map(async (address) => [address, (await net.fetch(address).catch(() => null))?.status ?? 0] as const),
    );
    return Object.fromEntries(answers);
  });
  const { 'app://app/index.html': index, 'app://app/': root, ...others } = status;
  expect([index, root]).toEqual([200, 200]);
  expect(new Set(Object.values(others))).toEqual(new Set([404]));
});
