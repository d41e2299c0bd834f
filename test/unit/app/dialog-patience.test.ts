import { beforeEach, expect, it, vi } from 'vitest';

const says = vi.hoisted(() => ({ yes: false, boxes: 0, dialogs: 0, opened: [] as string[] }));
vi.mock('electron', () => ({
  app: {},
  nativeTheme: {},
  shell: { openExternal: (url: string) => Promise.resolve(void says.opened.push(url)) },
  dialog: {
    showMessageBox: () => Promise.resolve({ response: says.yes ? 0 : 1, checkboxChecked: void (says.boxes += 1) }),
    showOpenDialog: () => {
      says.dialogs += 1;
      return Promise.resolve({ canceled: !says.yes, filePaths: says.yes ? ['/a'] : [] });
    },
    showSaveDialog: () => {
      says.dialogs += 1;
      return Promise.resolve({ canceled: !says.yes, filePath: says.yes ? '/b' : '' });
    },
  },
}));

import { openExternalLink } from '../../../src/main/ipc/external-links';
import { AskLimit, DIALOG_PATIENCE, patience } from '../../../src/main/consent/ask-limit';
import { choose, chooseTarget } from '../../../src/main/ipc/handlers/app-handlers';

let now: number;
let told: number;
let parts: Parameters<typeof choose>[0];
beforeEach(() => {
  Object.assign(says, { yes: false, boxes: 0, dialogs: 0, opened: [] });
  now = 0;
  told = 0;
  const patiently = patience(() => (told += 1), new AskLimit(DIALOG_PATIENCE, () => now));
  parts = { patiently, window: () => ({}) as never };
});
const openLink = (url = 'https://example.com'): Promise<boolean> => openExternalLink(url, null, parts.patiently);

it('C3: a page that opens the box of a link again after each Cancel is not served for a minute', async () => {
  for (let i = 0; i < 10; i++) expect(await openLink(`https://example.com/${i}`)).toBe(false);
  expect([says.boxes, told]).toEqual([3, 1]);
  says.yes = true;
  expect(await openLink()).toBe(false);
  expect(says.opened).toEqual([]);
  now = 60_000;
  expect(await openLink()).toBe(true);
  expect(says.opened).toEqual(['https://example.com/']);
});

it('C3: so it is with dialogs for files, whichever of them', async () => {
  for (let i = 0; i < 5; i++) {
    expect(await choose(parts, {})).toEqual([]);
    expect(await chooseTarget(parts, {})).toBeNull();
  }
  expect([says.dialogs, told]).toEqual([3, 1]);
  // A link is another matter.
  says.yes = true;
  expect(await openLink()).toBe(true);
});

it('who chooses is served as often as they like', async () => {
  says.yes = true;
  for (let i = 0; i < 10; i++) {
    expect(await openLink()).toBe(true);
    expect(await choose(parts, {})).toEqual(['/a']);
    expect(await chooseTarget(parts, {})).toBe('/b');
  }
  expect(told).toBe(0);
});
