import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { importByDialog, importPaths } from '../../../src/renderer/state/session-actions';
import type { App } from '../../../src/renderer/state/app';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** An app whose imports take so long; a file named `bad` is refused. It notes what stands on screen after each change. */
function makeApp(importMs: number, chosen: string[] = []): { app: App; seen: string[][] } {
  const toasts = new Map<string, string>();
  const seen: string[][] = [];
  const note = (): void => void seen.push([...toasts.values()]);
  const request = async (name: string, { path }: { path?: string }): Promise<unknown> => {
    if (name === 'sessions.chooseImport') return { paths: chosen };
    await new Promise((resolve) => setTimeout(resolve, importMs));
    if (path?.includes('bad')) throw new Error(`${path} is no session.`);
    return { id: path, title: path, entryCount: 2 };
  };
  const app = {
    client: { request },
    sessions: { setState: () => undefined },
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
    async attempt(task: () => Promise<unknown>) {
      return task().catch((cause: Error) => void app.toast({ text: cause.message } as never));
    },
  } as unknown as App;
  return { app, seen };
}

const DONE = 'Imported “/home/a.jsonl”: 2 entries. The original file is unchanged.';

it('a quick import is told once it is done', async () => {
  const { app, seen } = makeApp(100);
  const done = importPaths(app, ['/home/a.jsonl']);
  await vi.runAllTimersAsync();
  await done;
  expect(seen).toEqual([[DONE]]);
});

it('a slow one is told while it lasts, and no longer', async () => {
  const { app, seen } = makeApp(20_000, ['/home/a.jsonl']);
  const done = importByDialog(app);
  await vi.runAllTimersAsync();
  await done;
  expect(seen).toEqual([['Importing a.jsonl…'], [], [DONE]]);
});

it('of several each is named with its place, also where one is refused', async () => {
  const { app, seen } = makeApp(20_000);
  const done = importPaths(app, ['C:\\here\\bad.jsonl', '/home/a.jsonl']);
  await vi.runAllTimersAsync();
  await done;
  const refusal = 'C:\\here\\bad.jsonl is no session.';
  expect(seen).toEqual([
    ['Importing bad.jsonl (1 of 2)…'],
    ['Importing bad.jsonl (1 of 2)…', refusal],
    [refusal],
    [refusal, 'Importing a.jsonl (2 of 2)…'],
    [refusal],
    [refusal, DONE],
  ]);
});
