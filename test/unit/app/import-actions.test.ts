import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { importByDialog, importFiles } from '../../../src/renderer/actions/sessions';
import type { ChosenFile } from '../../../src/shared/types';
import type { App } from '../../../src/renderer/state/app-type';
import { createSessionsStore } from '../../../src/renderer/state/sessions-store';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** An app whose imports take so long; a file named `bad` is refused. It notes what stands on screen after each change. */
function makeApp(importMs: number, chosen: ChosenFile[] = []): { app: App; seen: string[][] } {
  const toasts = new Map<string, string>();
  const seen: string[][] = [];
  const note = (): void => void seen.push([...toasts.values()]);
  const request = async (name: string, { file }: { file?: string }): Promise<unknown> => {
    if (name === 'sessions.chooseImport') return { files: chosen };
    await new Promise((resolve) => setTimeout(resolve, importMs));
    if (file?.includes('bad')) throw new Error(`${file} is no session.`);
    return { id: file, title: file, entryCount: 2 };
  };
  const app = {
    client: { request },
    sessions: createSessionsStore(),
    activate: () => undefined,
    toast({ text }: { text: string }) {
      toasts.set(text, text);
      note();
      return text;
    },
    dismissToast(id: string) {
      toasts.delete(id);
      note();
    },
    ask: (name: string, params: { file?: string }) =>
      request(name, params).catch((cause: Error) => void app.toast({ text: cause.message } as never)),
  } as unknown as App;
  return { app, seen };
}

const A: ChosenFile = { handle: 'handle-a', name: 'a.jsonl' };
const BAD: ChosenFile = { handle: 'handle-bad', name: 'bad.jsonl' };
const DONE = 'Imported “handle-a”: 2 entries. The original file is unchanged.';

it('a quick import is told once it is done', async () => {
  const { app, seen } = makeApp(100);
  const done = importFiles(app, [A]);
  await vi.runAllTimersAsync();
  await done;
  expect(seen).toEqual([[DONE]]);
});

it('a slow one is told while it lasts, and no longer', async () => {
  const { app, seen } = makeApp(20_000, [A]);
  const done = importByDialog(app);
  await vi.runAllTimersAsync();
  await done;
  expect(seen).toEqual([['Importing a.jsonl…'], [], [DONE]]);
});

it('of several each is named with its place, also where one is refused', async () => {
  const { app, seen } = makeApp(20_000);
  const done = importFiles(app, [BAD, A]);
  await vi.runAllTimersAsync();
  await done;
  const refusal = 'handle-bad is no session.';
  expect(seen).toEqual([
    ['Importing bad.jsonl (1 of 2)…'],
    ['Importing bad.jsonl (1 of 2)…', refusal],
    [refusal],
    [refusal, 'Importing a.jsonl (2 of 2)…'],
    [refusal],
    [refusal, DONE],
  ]);
});
