import type { Page } from '@playwright/test';

const NODE = '[data-pane="graph"] .react-flow [data-node][data-entry]';
/** Where a click reads: not at the edge, where the row's own signs and those of the pane are. */
const EDGE_PX = 24;
/** Of the closed branches that are met so many are opened, to click on what is in them. */
const OPENS = 0.7;
/** Heights of the pane that are gone through to meet a node. */
const MOST_STEPS = 60;
/** From where fewer are left down to HEAD it goes up. */
const FEW = MOST_STEPS;
/** On the canvas branches stand beside HEAD's path. */
const ASIDE_PX = 300;
/** Longest that a click is waited for. */
const LIMIT_MS = 10_000;
/** The view has come to rest, and the texts of its cells are there. */
const REST_MS = 350;

export interface Click {
  entryId: string;
  isOnHead: boolean;
  /** From the release of the button to the painted frame with the message. */
  ms: number;
}

interface ClickOptions {
  /** Entries of HEAD's path. */
  onHead: ReadonlySet<string>;
  /** How long the picture is, from HEAD up. */
  lengthPx: number;
  random: () => number;
}

/**
 * Clicks on nodes all over the graph that is shown, with the mouse, in turns one of HEAD's path and one of another, and notes how long it
 * takes until the message is drawn where it is seen.
 */
export async function clickNodes(
  page: Page,
  count: number,
  { onHead, lengthPx, random }: ClickOptions,
): Promise<Click[]> {
  const clicks: Click[] = [];
  for (let tries = 0; clicks.length < count; tries++) {
    if (tries > 5 * count) throw new Error(`${clicks.length} of ${count} nodes were found.`);
    const isOnHead = clicks.length % 2 === 0;
    const isWanted = ({ entryId }: NodeInView): boolean => onHead.has(entryId) === isOnHead;
    let nodes = await findNodes(page, isWanted, { x: isOnHead ? 0 : ASIDE_PX, y: -random() * lengthPx });
    const closed = nodes.find(({ kind }) => kind === 'branch');
    if (closed && random() < OPENS) {
      await page.mouse.click(closed.toggleX, closed.y);
      await page.waitForTimeout(REST_MS);
      nodes = (await page.evaluate(nodesInView, [NODE, EDGE_PX] as const)).filter(isWanted);
    }
    const node = nodes[Math.floor(random() * nodes.length)];
    if (!node) continue;
    const { entryId, x, y } = node;
    await page.mouse.move(x, y);
    await page.evaluate(watchFor, [entryId, LIMIT_MS] as const);
    await page.mouse.click(x, y);
    const ms = await page.evaluate(() => (window as unknown as { drawn: Promise<number> }).drawn);
    clicks.push({ entryId, isOnHead, ms });
    // Whoever clicks looks at what came.
    await page.waitForTimeout(REST_MS);
    if (!(await page.evaluate(isInView, entryId))) throw new Error(`${entryId} was drawn and is out of view again.`);
  }
  return clicks;
}

/** Brings HEAD into the view of the graph. */
export async function goToHead(page: Page): Promise<void> {
  await page.locator('[data-pane="graph"] [data-graph]').focus();
  await page.keyboard.press('h');
  await page.locator('[data-pane="graph"] [data-head]').waitFor();
  await page.waitForTimeout(REST_MS);
}

/** From HEAD the wheel takes the view to any place of the session, and from there on until a node of the kind that is wanted is in it. */
async function findNodes(
  page: Page,
  isWanted: (node: NodeInView) => boolean,
  far: { x: number; y: number },
): Promise<NodeInView[]> {
  await goToHead(page);
  const { x, y, height } = await page.evaluate(freePlace);
  await page.mouse.move(x, y);
  await page.mouse.wheel(far.x, far.y);
  for (let steps = 0; steps < MOST_STEPS; steps++) {
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    const isThere = (await page.evaluate(nodesInView, [NODE, EDGE_PX] as const)).some(isWanted);
    if (isThere) break;
    await page.mouse.wheel(0, far.y < -FEW * height ? height : -height);
  }
  await page.waitForTimeout(REST_MS);
  return (await page.evaluate(nodesInView, [NODE, EDGE_PX] as const)).filter(isWanted);
}

/** Runs in the page: a place of the plane that no card lies on, and how high the plane is. */
function freePlace(): { x: number; y: number; height: number } {
  const frame = document.querySelector('[data-pane="graph"] [data-graph]')!.getBoundingClientRect();
  for (const part of [0.5, 0.2, 0.8, 0.05, 0.95]) {
    const [x, y] = [frame.left + 15, frame.top + part * frame.height];
    if (document.elementFromPoint(x, y)?.closest('.react-flow')) return { x, y, height: frame.height };
  }
  throw new Error('The plane of the graph is covered.');
}

interface NodeInView {
  entryId: string;
  kind: string;
  x: number;
  /** Where the rail's row is opened. */
  toggleX: number;
  y: number;
}

/** Runs in the page: the nodes that can be clicked. */
function nodesInView([selector, edge]: readonly [string, number]): NodeInView[] {
  const frame = document.querySelector('[data-pane="graph"] [data-graph]')!.getBoundingClientRect();
  return [...document.querySelectorAll<HTMLElement>(selector)].flatMap((element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const x = (left + right) / 2;
    const y = (top + bottom) / 2;
    const isClear = y > frame.top + edge && y < frame.bottom - edge && x > frame.left + edge && x < frame.right - edge;
    const hit = document.elementFromPoint(x, y);
    if (!isClear || !hit?.closest('.react-flow')) return [];
    const kind = element.dataset.kind ?? '';
    if (kind !== 'turn' && kind !== 'branch') return [];
    return [{ entryId: element.dataset.entry ?? '', kind, x, toggleX: left + 43, y }];
  });
}

/** Runs in the page: whether a message is in the part of the transcript that is seen, with its text. */
function isInView(entryId: string): boolean {
  const row = document.querySelector(`[data-transcript] [data-entry="${entryId}"]`);
  const frame = document.querySelector('[data-transcript]')?.getBoundingClientRect();
  const box = row?.getBoundingClientRect();
  if (!row || !box || !frame || row.querySelector('[aria-label="Loading"]')) return false;
  return box.height > 0 && box.top < frame.bottom && box.bottom > frame.top;
}

/** Runs in the page: from the next release of the button `window.drawn` waits for the frame in which the message stands in view. */
function watchFor([entryId, limit]: readonly [string, number]): void {
  const seen = (): boolean => {
    const row = document.querySelector(`[data-transcript] [data-entry="${entryId}"]`);
    const frame = document.querySelector('[data-transcript]')?.getBoundingClientRect();
    const box = row?.getBoundingClientRect();
    if (!row || !box || !frame || row.querySelector('[aria-label="Loading"]')) return false;
    return box.height > 0 && box.top < frame.bottom && box.bottom > frame.top;
  };
  const drawn = new Promise<number>((resolve, reject) => {
    addEventListener(
      'pointerup',
      ({ timeStamp }) => {
        const look = (): void => {
          if (performance.now() - timeStamp > limit) return reject(new Error(`${entryId} was not drawn.`));
          if (!seen()) return void requestAnimationFrame(look);
          // A task after this frame's callbacks runs once the frame is painted.
          const painted = new MessageChannel();
          painted.port1.onmessage = () => resolve(performance.now() - timeStamp);
          painted.port2.postMessage(null);
        };
        requestAnimationFrame(look);
      },
      { capture: true, once: true },
    );
  });
  Object.assign(window, { drawn });
}
