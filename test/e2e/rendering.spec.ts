import { expect, test, type Page, type Request } from '@playwright/test';
import { launchApp, newHome, removeHome, writeEndpoint, type RunningApp } from '../support/electron-app';
import { PATIENCE } from '../support/patience';
import { writePayloadSession } from '../support/e2e/payload-session';
import { startTrap, type Trap } from '../support/e2e/trap';
import { takeShots } from '../support/e2e/shots';
import { AppWindow } from '../support/e2e/window';
import { markdownPayloads } from '../support/markdown-corpus';
import { EVERYTHING } from '../support/markdown-sample';
import { startModelServer, type ModelServer } from '../support/model-server';

const MODEL = { provider: 'loopback', modelId: 'loopback' };

/** One app for all: the first test wants a page that drew no formula yet, the last one makes what the policy refuses. */
test.describe.configure({ mode: 'serial' });

let home: string;
let trap: Trap;
let server: ModelServer;
let app: RunningApp;
let win: AppWindow;

test.beforeAll(async () => {
  home = newHome();
  trap = await startTrap();
  server = await startModelServer();
  writeEndpoint(home, {
    id: MODEL.provider,
    name: 'Loopback',
    api: 'openai-completions',
    baseUrl: `${server.url}/v1`,
    headers: {},
    models: [{ id: MODEL.modelId, contextWindow: 200_000, maxTokens: 8_192, images: false, reasoning: false }],
  });
  app = await launchApp({ home });
  win = new AppWindow(app);
  await app.page.evaluate(noteViolations);
});

test.afterAll(async () => {
  await app.close();
  await Promise.all([server.close(), trap.close()]);
  removeHome(home);
});

test('A2: the faces of formulas are there before the first one: one that arrives has all of the page laid out again', async () => {
  const loaded = (): Promise<string[]> =>
    app.page.evaluate(() =>
      [...document.fonts].filter(({ status }) => status === 'loaded').map(({ family }) => family),
    );
  await expect.poll(loaded).toEqual(expect.arrayContaining(['KaTeX_Main', 'KaTeX_Math']));
});

test('spike: all of markdown streams under the final policy, and so do the components', async () => {
  server.script({ text: EVERYTHING, chunkChars: 24, tokensPerSecond: 400 });
  const sessionId = await win.startSession('Everything', MODEL);
  await win.say('Show me everything.');
  await win.rested(sessionId);
  const { page, transcript } = win;
  await expect(transcript.locator('.katex')).not.toHaveCount(0);
  await expect(transcript.getByText('Prices: $5 and $10 stay text. Done.')).toBeVisible();
  await page.evaluate(() => document.querySelector('[data-transcript]')?.scrollBy(0, -900));
  const diagram = transcript.locator('img[src^="blob:"]');
  await expect(diagram).toHaveCount(1, { timeout: 30_000 * PATIENCE });
  expect(
    await diagram.evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth)),
  ).toBeGreaterThan(50);
  // Colours come from the worker that the one Trusted Types policy lets start.
  await expect(transcript.locator('pre code span').first()).toBeAttached();
  await expect(transcript.getByText('Open in browser')).toBeVisible();

  await page.keyboard.press('Control+k');
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Escape');
  await win.clickMenu('File', 'Settings…');
  await expect(page.getByRole('tab')).toHaveCount(11);
  for (const tab of await page.getByRole('tab').all()) {
    await tab.click();
    await expect(page.getByRole('tabpanel')).toBeVisible();
  }
  await page.keyboard.press('Escape');
  await win.row(sessionId).click({ button: 'right' });
  await expect(page.getByRole('menu')).toBeVisible();
  await page.keyboard.press('Escape');
  expect(await page.evaluate(readViolations)).toEqual([]);
  expect(app.problems).toEqual([]);
});

/** A prompt of so many lines is folded (TS12). */
const showAll = (): Promise<void> =>
  win.transcript.locator('[data-index="0"]').getByRole('button', { name: /^Show all \d/ }).click(); // prettier-ignore

test('of many formulas every one is drawn, a frame’s share at a time', async () => {
  const count = 200;
  const formula = (at: number): string => `$\\sum_{k=0}^{${at}} \\frac{k^{${at}}}{\\sqrt{${at} + 1}}$`;
  const { path } = writePayloadSession(home, [Array.from({ length: count }, (_, at) => formula(at)).join('\n\n')]);
  await win.show((await win.importFile(path)).id);
  await win.transcript.evaluate((scroller) => (scroller.scrollTop = 0));
  await showAll();
  const row = win.transcript.locator('[data-index="0"]');
  // They weigh what they become, so a message of that many comes in parts.
  await row.getByRole('button', { name: 'Show more' }).click();
  await expect(row.getByRole('button', { name: 'Show more' })).toHaveCount(0);
  await expect(row.locator('.katex')).toHaveCount(count);
});

test('long code gets all of its colors, a frame’s share at a time', async () => {
  const lines = Array.from(
    { length: 800 },
    (_, at) => `const part${at} = [${at}, 'text', { a: true, b: null }]; // note`,
  );
  const { path } = writePayloadSession(home, [`\`\`\`ts\n${lines.join('\n')}\n\`\`\``]);
  await win.show((await win.importFile(path)).id);
  await win.transcript.evaluate((scroller) => (scroller.scrollTop = 0));
  await showAll();
  const chunks = win.transcript.locator('[data-index="0"] code > span');
  await expect(chunks.filter({ has: app.page.locator('span') })).toHaveCount(10);
  await expect(chunks).toHaveCount(10);
});

test('RD12: diagrams are drawn in a process of their own, so that nothing of it stops the window', async () => {
  const { path } = writePayloadSession(home, ['```mermaid\ngraph LR\n  A --> B\n```']);
  await win.show((await win.importFile(path)).id);
  await win.transcript.evaluate((scroller) => (scroller.scrollTop = 0));
  await expect(win.transcript.locator('[data-index="0"] img[src^="blob:"]')).toHaveCount(1, {
    timeout: 30_000 * PATIENCE,
  });
  const processes = await app.electron.evaluate(({ BrowserWindow }) =>
    (BrowserWindow.getAllWindows()[0]?.webContents.mainFrame.framesInSubtree ?? []).map((frame) => frame.osProcessId),
  );
  expect(processes).toHaveLength(2);
  expect(new Set(processes).size).toBe(2);
});

test('RD12: a text that is no diagram is told in a sentence, the words of the program folded below', async () => {
  const { path } = writePayloadSession(home, ['```mermaid\ngraph LR\n  A -->> [B\n```']);
  await win.show((await win.importFile(path)).id);
  await win.transcript.evaluate((scroller) => (scroller.scrollTop = 0));
  const row = win.transcript.locator('[data-index="0"]');
  await expect(row).toContainText('This diagram was not drawn. Mermaid does not understand its text, in or before line 2.', { timeout: 30_000 * PATIENCE }); // prettier-ignore
  const words = row.getByText(/^Parse error on line/);
  await expect(words).toBeHidden();
  await row.getByText('Details', { exact: true }).click();
  await expect(words).toBeVisible();
  await expect(row).toContainText('A -->> [B');
  await takeShots(app, 'diagram-not-drawn');
});

test('of more diagrams than are kept every one stands there as an image', async () => {
  const count = 45;
  const diagram = (at: number): string => `\`\`\`mermaid\ngraph LR\n  A${at} --> B${at}\n\`\`\``;
  const { path } = writePayloadSession(home, [Array.from({ length: count }, (_, at) => diagram(at)).join('\n\n')]);
  await win.show((await win.importFile(path)).id);
  await win.transcript.evaluate((scroller) => (scroller.scrollTop = 0));
  await showAll();
  const images = win.transcript.locator('[data-index="0"] img[src^="blob:"]');
  await expect(images).toHaveCount(count, { timeout: 120_000 * PATIENCE });
  const widths = await images.evaluateAll(
    (all: HTMLImageElement[]) =>
    Promise.all(all.map((image) => image.decode().then(() => image.naturalWidth, () => 0))), // prettier-ignore
  );
  expect(Math.min(...widths)).toBeGreaterThan(50);
});

test('QS2, QC3: hostile markdown fetches nothing, runs nothing and navigates nowhere', async () => {
  test.setTimeout(600_000 * PATIENCE);
  const payloads = markdownPayloads(trap.url);
  expect(payloads.length).toBeGreaterThanOrEqual(200);
  expect(new Set(payloads).size).toBe(payloads.length);
  const foreign = watchRequests(app.page);
  await answerLinkDialogs(app);
  const { path, rowIds } = writePayloadSession(home, payloads);
  const imported = await win.importFile(path);
  const address = app.page.url();
  const navigations: string[] = [];
  app.page.on('framenavigated', (frame) => frame === app.page.mainFrame() && navigations.push(frame.url()));
  await win.show(imported.id);
  await expect(win.transcript).toContainText('The end.');
  // Small letters: the walk shows more rows at a time.
  await app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.setZoomFactor(0.4));

  const walked = await app.page.evaluate(walkTranscript, rowIds);
  await app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.setZoomFactor(1));
  expect(walked.unseen).toEqual([]);
  // The payloads were drawn by the parts they were written for: a walk over nothing would prove nothing.
  expect(walked.clicked).toBeGreaterThan(100);
  expect(walked.diagrams).toBeGreaterThan(5);
  await expect.poll(() => app.page.locator('iframe').count()).toBeLessThanOrEqual(1);

  const dialogs = await app.electron.evaluate(() => (globalThis as unknown as LinkLog).linkLog);
  expect(dialogs.asked.length).toBeGreaterThan(20);
  expect(dialogs.opened).toHaveLength(dialogs.asked.length);
  for (const opened of dialogs.opened) expect(opened).toMatch(/^(https?|mailto):/);
  expect(trap.requests).toEqual([]);
  expect(foreign).toEqual([]);
  for (const frame of app.page.frames()) expect(await frame.evaluate(() => 'pwned' in window)).toBe(false);
  expect(navigations).toEqual([]);
  expect(app.page.url()).toBe(address);
  expect(app.electron.windows()).toHaveLength(1);
  expect(await app.page.evaluate(readViolations)).toEqual([]);
});

test('the policy is the one that the page runs under', async () => {
  const caught = await app.page.evaluate(tryToBreakOut, trap.url);
  expect(caught).toEqual({
    inlineScript: 'blocked',
    eval: 'blocked',
    innerHtml: 'blocked',
    fetch: 'blocked',
    policy: 'blocked',
  });
  // Scripts do not get as far as script-src: the Trusted Types refuse them first. Each report comes at its own time.
  for (const directive of ['img-src', 'connect-src', 'frame-src', 'require-trusted-types-for'])
    await expect.poll(async () => (await app.page.evaluate(readViolations)).join('\n')).toContain(directive);
  expect(trap.requests).toEqual([]);
});

/**
 * Every request of the page that is not for its own origin. The list fills as they are made. What Mermaid tries in its
 * frame counts unless the frame's policy refuses it before anything leaves.
 */
function watchRequests(page: Page): string[] {
  const foreign: string[] = [];
  const note = (request: Request): void => {
    if (!/^(app:\/\/app\/|blob:app:\/\/app\/|data:)/.test(request.url())) foreign.push(request.url());
  };
  const isInFrame = (request: Request): boolean => request.frame() !== page.mainFrame();
  page.on('request', (request) => isInFrame(request) || note(request));
  page.on('requestfinished', (request) => isInFrame(request) && note(request));
  page.on('requestfailed', (request) => isInFrame(request) && request.failure()?.errorText !== 'csp' && note(request));
  return foreign;
}

interface LinkLog {
  linkLog: { asked: string[]; opened: string[] };
}

/** The dialog that shows an address is noted and agreed to, which goes on for every link; nothing leaves the app. */
async function answerLinkDialogs({ electron }: RunningApp): Promise<void> {
  await electron.evaluate(({ dialog, shell }) => {
    const linkLog: LinkLog['linkLog'] = { asked: [], opened: [] };
    Object.assign(globalThis, { linkLog });
    dialog.showMessageBox = ((...parameters: unknown[]) => {
      linkLog.asked.push((parameters.at(-1) as { detail: string }).detail);
      return Promise.resolve({ response: 0, checkboxChecked: false });
    }) as typeof dialog.showMessageBox;
    shell.openExternal = (url) => {
      linkLog.opened.push(url);
      return Promise.resolve();
    };
  });
}

/** Runs in the page. */
function noteViolations(): void {
  const violations: string[] = [];
  Object.assign(window, { violations });
  document.addEventListener('securitypolicyviolation', (event) => {
    violations.push(`${event.effectiveDirective} ${event.blockedURI} ${event.sample}`);
  });
}

function readViolations(): string[] {
  return (window as unknown as { violations: string[] }).violations;
}

/** Runs in the page: shows every row from the first to the last, opens every fold, presses every link. */
async function walkTranscript(rowIds: string[]): Promise<{ unseen: string[]; clicked: number; diagrams: number }> {
  const scroller = document.querySelector('[data-transcript]');
  if (!scroller) throw new Error('No transcript.');
  const nextFrame = (): Promise<number> => new Promise((resolve) => void requestAnimationFrame(resolve));
  const unseen = new Set(rowIds);
  const pressed = new WeakSet<Element>();
  const images = new Set<string>();
  let clicked = 0;
  const visit = (): void => {
    for (const fold of scroller.querySelectorAll<HTMLElement>('[aria-expanded="false"]')) fold.click();
    for (const link of scroller.querySelectorAll<HTMLElement>('a, [title^="http"]')) {
      if (pressed.has(link)) continue;
      pressed.add(link);
      link.click();
      clicked += 1;
    }
    for (const image of scroller.querySelectorAll<HTMLImageElement>('img[src^="blob:"]')) images.add(image.alt);
    for (const row of scroller.querySelectorAll('[data-entry]')) {
      if (!row.querySelector('[aria-label="Loading"]')) unseen.delete(row.getAttribute('data-entry') ?? '');
    }
  };
  // A diagram stands as its code until it is drawn, or until a note says why not.
  const isDrawing = (): boolean =>
    scroller.querySelector('figure[aria-label="Code, mermaid"]:not(:has(+ [role="note"]))') !== null;
  // On a busy machine the bodies of the rows in view take their time.
  const isLoading = (): boolean => scroller.querySelector('[data-entry] [aria-label="Loading"]') !== null;
  // A message of which the frame had no room for all holds its place.
  const isPaced = (): boolean => scroller.querySelector('[data-entry] [style*="min-height"]:not([id])') !== null;
  // Rows above the first ones loaded still come in while the first are read.
  while (scroller.querySelector('[data-index="0"]')?.getAttribute('data-entry') !== rowIds[0]) {
    scroller.scrollTop = 0;
    await nextFrame();
  }
  for (let still = 0; still < 3;) {
    const before = scroller.scrollTop;
    visit();
    // Diagrams are drawn one after the other; the reading goes on when nothing of the rows in view is on its way.
    do await nextFrame().then(nextFrame);
    while (isDrawing() || isLoading() || isPaced());
    visit();
    scroller.scrollTop = before + scroller.clientHeight * 0.6;
    await nextFrame().then(nextFrame);
    still = scroller.scrollTop === before ? still + 1 : 0;
  }
  return { unseen: [...unseen], clicked, diagrams: images.size };
}

/** Runs in the page: what an injected script would try. */
async function tryToBreakOut(trapUrl: string): Promise<Record<string, string>> {
  const attempt = async (work: () => unknown): Promise<string> => {
    // Outside the debugger's call, which is exempt from the policy.
    await new Promise((resolve) => setTimeout(resolve));
    try {
      await work();
      return 'allowed';
    } catch {
      return 'blocked';
    }
  };
  const state = window as unknown as {
    ran?: boolean;
    trustedTypes?: { createPolicy(name: string, rules: object): unknown };
  };
  const found = {
    inlineScript: await attempt(async () => {
      const script = document.createElement('script');
      script.append('window.ran = true');
      document.body.append(script);
      if (!state.ran) throw new Error('did not run');
    }),
    eval: await attempt(() => (0, eval)('1')),
    innerHtml: await attempt(() => {
      document.createElement('div').innerHTML = '<b>x</b>';
    }),
    fetch: await attempt(() => fetch(trapUrl)),
    policy: await attempt(() => state.trustedTypes?.createPolicy('default', { createHTML: (text: string) => text })),
  };
  const image = new Image();
  image.src = `${trapUrl}/image`;
  const frame = document.createElement('iframe');
  frame.src = `${trapUrl}/frame`;
  document.body.append(image, frame);
  return found;
}
