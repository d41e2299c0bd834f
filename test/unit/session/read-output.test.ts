import { execFileSync } from 'node:child_process';
import { mkdir, rm, symlink, writeFile, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { readOutput } from '../../../src/main/session/read-output';
import type { EntryDraft } from '@shared/session/records/entry';
import { openStoreBench, user, type StoreBench } from '../../support/journal';

/** Told of each file that is opened. */
const opened = vi.hoisted(() => ({ tell: null as ((path: unknown, handle: FileHandle) => void) | null }));
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  const open: typeof real.open = async (...args) => {
    const handle = await real.open(...args);
    opened.tell?.(args[0], handle);
    return handle;
  };
  return { ...real, open };
});

let bench: StoreBench;
let outputs: string;
beforeEach(async () => {
  bench = await openStoreBench();
  outputs = join(bench.home, 'outputs');
});
afterEach(() => bench.dispose());

/** A session with a command whose output is in `folder`; its id, and that of the entry. */
async function withOutput(folder: (own: string) => string): Promise<{ sessionId: string; entryId: string }> {
  const log = await bench.store.create({ workspace: bench.home });
  const path = join(outputs, folder(log.sessionId), 'x.txt');
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, 'all of it');
  const details = { fullOutputPath: path };
  const message = { role: 'toolResult', toolCallId: 'c', toolName: 'bash', content: [], isError: false, timestamp: 1 };
  const result = { type: 'message', message: { ...message, details } } as unknown as EntryDraft;
  const [, record] = await log.append([user('hello'), result]);
  return { sessionId: log.sessionId, entryId: record?.entry.id ?? '' };
}

const read = (at: { sessionId: string; entryId: string }): Promise<string> =>
  readOutput(bench.store, outputs, { ...at, offset: 0 }).then(
    ({ text }) => text,
    (error: Error) => error.message,
  );

it('E1: a session that was set apart shows the outputs of the one it was; nobody else does', async () => {
  expect(await read(await withOutput((own) => own))).toBe('all of it');
  const apart = await withOutput(() => 'the-other');
  expect(await read(apart)).toBe('That file is not an output of this session.');
  const conflict = { with: 'the-other', there: 1, here: 1, since: null, isRead: true };
  await bench.store.setMeta(apart.sessionId, { conflict });
  expect(await read(apart)).toBe('all of it');
  await bench.store.setMeta(apart.sessionId, { conflict: { ...conflict, with: '..' } });
  expect(await read(apart)).toBe('That file is not an output of this session.');
  // On the other computer.
  await rm(join(outputs, 'the-other'), { recursive: true });
  expect(await read(apart)).toBe('The full output is no longer on this computer. What the model saw is still here.');
});

it.skipIf(process.platform === 'win32')('a pipe or a link in its place is not opened', async () => {
  const at = await withOutput((own) => own);
  const path = join(outputs, at.sessionId, 'x.txt');
  const gone = 'The full output is no longer on this computer. What the model saw is still here.';
  await rm(path);
  execFileSync('mkfifo', [path]);
  expect(await read(at)).toBe(gone);
  await rm(path);
  await symlink('/etc/passwd', path);
  expect(await read(at)).toBe(gone);
});

it('D4: one that does not tell what it is is closed again', async () => {
  const at = await withOutput((own) => own);
  const handles: FileHandle[] = [];
  opened.tell = (path, handle) => {
    if (!String(path).endsWith('x.txt')) return;
    handles.push(handle);
    vi.spyOn(handle, 'stat').mockRejectedValue(new Error('EIO'));
  };
  expect(await read(at)).toBe('The full output is no longer on this computer. What the model saw is still here.');
  opened.tell = null;
  expect(handles.map(({ fd }) => fd)).toEqual([-1]);
});

it('what an entry names elsewhere is not looked at', async () => {
  const at = await withOutput(() => join('..', '..', 'elsewhere'));
  expect(await read(at)).toBe('The full output is no longer on this computer. What the model saw is still here.');
});
