import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { branchySession, writeBranchySession, type BranchySession } from '../support/branchy-session';
import { launchApp, newHome, removeHome, type RunningApp } from '../support/electron-app';
import { GraphPage } from '../support/e2e/graph';
import { AppWindow } from '../support/e2e/window';

/** The branch graph on an imported session: every drag with its twins, search, folds, outline, what is remembered. */
test.describe.configure({ mode: 'serial' });

const home = newHome();
const file = join(home, 'branchy.jsonl');
const SHAPE = { turns: 14, branches: 2, branchLength: 3, compactions: 1, labels: 1 };
const EXPECTED: BranchySession = branchySession(SHAPE);
let app: RunningApp;
let window: AppWindow;
let graph: GraphPage;
let sessionId: string;

async function start(): Promise<void> {
  app = await launchApp({ home, graph: true, size: { width: 1280, height: 800 } });
  window = new AppWindow(app);
  graph = new GraphPage(app.page);
}

test.beforeAll(start);
test.afterAll(async () => {
  await app.close();
  removeHome(home);
});

test('a new window shows the pane, which says what it is for', async () => {
  await expect(graph.pane).toContainText('No branches yet');
});

test('an imported session stands there with HEAD on its last turn', async () => {
  writeBranchySession(file, SHAPE);
  await window.importByMenu([file]);
  sessionId = await window.shownId();
  await expect(graph.head).toContainText(/Write the test|Dual write/);
  await window.shot('graph-14');
});
