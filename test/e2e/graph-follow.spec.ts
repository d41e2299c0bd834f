import { expect } from '@playwright/test';
import type { RunningApp } from '../support/electron-app';
import { answered } from '../support/e2e/chat';
import { GraphPage } from '../support/e2e/graph';
import { endpointOn, gate, modelOf } from '../support/e2e/loopback';
import { test } from '../support/e2e/shared-app';
import { AppWindow } from '../support/e2e/window';
import type { ModelServer } from '../support/model-server';

/** HEAD stays in view with what is above it, whatever becomes of the tree (GR10): by the places on screen, after each of many steps. */
test.describe.configure({ mode: 'serial' });

let app: RunningApp;
let window: AppWindow;
let graph: GraphPage;
let server: ModelServer;
let sessionId: string;

/** A turn as the test made it: its prompt, the end of its answer, and the turn above it. */
interface Turn {
  prompt: string;
  leaf: string;
  above: Turn | null;
}
const turns: Turn[] = [];
let head: Turn;

/** The same numbers each time. */
let seed = 20;
function below(end: number): number {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return seed % end;
}

test.beforeAll(async ({ shared }) => {
  ({ app, server } = await shared.take({ graph: true }));
  window = new AppWindow(app);
  graph = new GraphPage(app.page);
  sessionId = await window.startSession('Many ways', modelOf(endpointOn(server.url, 'loopback')));
});
test.afterAll(() => {
  expect(app.problems).toEqual([]);
});

/** Says something where HEAD is. */
async function say(above: Turn | null): Promise<void> {
  const n = turns.length;
  server.script(`Answer ${n}.`);
  await window.say(`Question ${n}`);
  await answered(app.page, `Answer ${n}.`);
  await window.rested(sessionId);
  const { rows } = await window.request('session.open', { sessionId });
  const prompt = rows.findLast(({ kind }) => kind === 'user')?.id ?? '';
  head = { prompt, leaf: rows.at(-1)?.id ?? '', above };
  turns.push(head);
}

async function goTo(turn: Turn): Promise<void> {
  await window.request('session.go', { sessionId, targetId: turn.leaf, choice: { summarize: false } });
  head = turn;
}

/** Of HEAD, the turn above it and the one above that: those that are not wholly on the plane, or lie below what floats there. */
function notInView(): Promise<string[]> {
  const wanted = [head, head.above, head.above?.above].flatMap((turn) => turn?.prompt ?? []);
  return graph.covered(...wanted.map((id) => `[data-entry="${id}"]`));
}

async function step(nth: number): Promise<void> {
  const target = turns[below(turns.length)] ?? head;
  const branches = nth % 2 === 0 && target !== head;
  await goTo(target);
  if (branches) await say(target);
  await expect.poll(notInView, { message: `after step ${nth}, HEAD on ${head.prompt}` }).toEqual([]);
  await expect(graph.node(head.prompt)).toHaveAttribute('data-head', 'true');
}

test('GR10: after each of 25 branchings and navigations HEAD and what is above it are in view on the rail', async () => {
  for (let n = 0; n < 6; n++) await say(turns.at(-1) ?? null);
  for (let nth = 0; nth < 25; nth++) await step(nth);
});

test('GR10: and after 25 more on the canvas', async () => {
  await graph.showCanvas();
  for (let nth = 25; nth < 50; nth++) await step(nth);
});

test('GR15: HEAD says what goes on, and for how long, on the canvas and on the rail', async () => {
  const held = gate();
  server.script({ text: 'Late.', holdAt: { frame: 1, until: held.until } });
  await window.say('Take your time');
  await expect(graph.head).toContainText(/streaming · 0:0\d/);
  await graph.pane.getByRole('button', { name: 'Show as rail' }).click();
  await expect(graph.head).toContainText(/streaming · 0:[0-5]\d/);
  await window.shot('graph-streaming');
  held.open();
  await answered(app.page, 'Late.');
  await expect(graph.head).not.toContainText('streaming');
});
