import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { limitQuestions } from '../../../src/main/consent/ask-limit';
import type { AskConsent } from '../../../src/main/consent/consent';
import { TrustBook } from '../../../src/main/trust/trust-book';
import { TrustDesk } from '../../../src/main/trust/trust-desk';

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'espalier-desk-')));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const folder = (name: string): string => {
  const path = join(base, name);
  mkdirSync(path, { recursive: true });
  return path;
};

/** A desk whose person answers each question alike. */
async function deskOf(answer: string | null) {
  const asked: string[] = [];
  const askPicked: AskConsent = ({ subject }) => {
    asked.push(subject ?? '');
    return Promise.resolve(answer);
  };
  const book = await TrustBook.open({ file: join(base, 'trust.json'), scratchRoot: join(base, 'data/workspaces') });
  const desk = new TrustDesk({
    ask: limitQuestions(askPicked, () => undefined),
    askPicked,
    book,
    project: {
      look: () => Promise.resolve({ isTrusted: false, guidance: null }),
      facts: () => Promise.resolve([]),
      guidanceFiles: () => Promise.resolve([]),
    },
    dataDir: folder('data'),
    rules: () => [],
    workspaces: () => Promise.resolve([]),
  });
  return { desk, asked, book };
}

it('C3: each folder that the person picks has its sheet, however many were kept restricted just before', async () => {
  const { desk, asked } = await deskOf(null);
  const picked = ['a', 'b', 'c', 'd', 'e', 'f'].map(folder);
  for (const path of picked) expect(await desk.picked(path)).toBe(path);
  expect(asked).toEqual(picked);
});

it('C3: what only the page asked for rests after two cancels, and picking afterwards asks all the same', async () => {
  const { desk, asked, book } = await deskOf(null);
  const path = folder('a');
  for (let i = 0; i < 5; i++) expect(await desk.review(path)).toBe(false);
  expect(asked).toHaveLength(2);
  await desk.picked(path);
  expect(asked).toHaveLength(3);
  expect(await book.isTrusted(path)).toBe(false);
});
