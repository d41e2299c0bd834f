import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JournalFs, PickedFs } from '../../src/main/journal/file/fs';
import { createSessionStore } from '../../src/main/journal/session-store';
import type { JournalStore } from '../../src/main/journal/session-store';
import type { EntryDraft } from '@shared/session/records/entry';

/** A store in a folder of its own, and what tests need to look at its files. */
export interface StoreBench {
  home: string;
  dir: string;
  store: JournalStore;
  warnings: string[];
  /** What was told of entries of other programs that follow nothing. */
  strayed: [sessionId: string, entries: number][];
  /** Sessions whose files were opened and are not as they were left. */
  others: string[];
  /** What was told of sessions without a file that are back and could not be noted. */
  unnoted: [sessionId: string, why: unknown][];
  journal(id: string): string;
  index(id: string): string;
  /** Closes the store and opens another one over the same files, as after a restart. */
  restart(fs?: JournalFs): Promise<JournalStore>;
  dispose(): Promise<void>;
}

export const randomHex = (length: number): string => randomBytes(length).toString('hex').slice(0, length);

export async function openStoreBench({
  fs,
  picked,
  clock = Date.now,
}: { fs?: JournalFs; picked?: PickedFs; clock?: () => number } = {}): Promise<StoreBench> {
  const home = await mkdtemp(join(tmpdir(), 'espalier-journal-'));
  const dir = join(home, 'sessions');
  const warnings: string[] = [];
  const strayed: StoreBench['strayed'] = [];
  const others: string[] = [];
  const unnoted: StoreBench['unnoted'] = [];
  const open = (chosen?: JournalFs): Promise<JournalStore> =>
    createSessionStore({
      dir,
      trashDir: join(home, 'trash'),
      unsaidFile: join(home, 'unsaid.json'),
      exportsFile: join(home, 'exports.json'),
      importsFile: join(home, 'imports.json'),
      clock,
      randomHex,
      fs: chosen,
      picked,
      log: { warn: (message) => warnings.push(message) },
      onStrayed: (...told) => strayed.push(told),
      onOther: (sessionId) => others.push(sessionId),
      onUnnoted: (...told) => unnoted.push(told),
    });
  const bench: StoreBench = {
    home,
    dir,
    warnings,
    strayed,
    others,
    unnoted,
    store: await open(fs),
    journal: (id) => join(dir, `${id}.jsonl`),
    index: (id) => join(dir, `${id}.index`),
    restart: async (chosen) => {
      await bench.store.close();
      bench.store = await open(chosen);
      return bench.store;
    },
    dispose: async () => {
      await bench.store.close();
      await rm(home, { recursive: true, force: true });
    },
  };
  return bench;
}

export const user = (text: string): EntryDraft => ({
  type: 'message',
  message: { role: 'user', content: [{ type: 'text', text }], timestamp: 1_700_000_000_000 },
});

export const assistant = (text: string): EntryDraft => ({
  type: 'message',
  message: {
    role: 'assistant',
    content: [{ type: 'text', text }],
    api: 'openai-completions',
    provider: 'demo',
    model: 'demo-1',
    usage: {
      input: 10,
      output: 5,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 15,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    },
    stopReason: 'stop',
    timestamp: 1_700_000_001_000,
  },
});

export const modelChange: EntryDraft = { type: 'model_change', provider: 'demo', modelId: 'demo-1' };

/** Texts of the messages on the path to the leaf. */
export async function textsOf(log: {
  tree: { pathTo(id: string | null): { id: string }[]; leafId: string | null };
  loadBodies(ids: readonly string[]): Promise<unknown[]>;
}): Promise<string[]> {
  const bodies = (await log.loadBodies(log.tree.pathTo(log.tree.leafId).map(({ id }) => id))) as {
    message?: { content?: { text?: string }[] };
  }[];
  return bodies.flatMap((body) => body.message?.content?.map((block) => block.text ?? '') ?? []);
}
