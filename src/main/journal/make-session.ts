import type { SessionHeader } from '@shared/session/entry';
import { serializeHeader } from '@shared/session/serialize-entry';
import type { MadeFrom, SessionLog } from '../ports';
import { describeSession } from './describe-session';
import type { JournalFs } from './fs';
import type { MetaStore } from './meta-store';
import type { SessionFiles } from './session-files';
import { emptyMeta } from './session-meta';
import { writeNewFile } from './write-whole';

interface MakingSurroundings {
  fs: JournalFs;
  files: SessionFiles;
  metas: MetaStore;
  /** Unix milliseconds. */
  clock: () => number;
  log: { warn(message: string, detail?: unknown): void };
  /** Opens the session once its journal is there. */
  open: () => Promise<SessionLog>;
}

/**
 * Makes a session whose journal is there as a whole or not at all. What only its sidecar says comes first: a process that dies in between
 * leaves a session that is known for what it is.
 * @throws StorageError, or what `batches` throws: then nothing is there
 */
export async function makeSession(
  { fs, files, metas, clock, log, open }: MakingSurroundings,
  header: SessionHeader,
  { workspace, title = '', demo = false, tour = false }: MadeFrom,
  batches: AsyncIterable<string[]>,
): Promise<SessionLog> {
  const { id } = header;
  const own = { ...(title ? { title } : {}), ...(tour ? { tour } : {}), workspace, demo };
  metas.put(id, { ...emptyMeta(workspace, clock()), titleSource: title ? 'auto' : 'none', ...own });
  try {
    await metas.save(id);
    await writeNewFile(fs, files.journal(id), linesOf(header, batches), log);
  } catch (error) {
    metas.forget(id);
    await fs.remove(files.meta(id)).catch(() => undefined);
    throw error;
  }
  const made = await open();
  const { suggestion: _own, ...meta } = await describeSession(made, clock());
  metas.put(id, { ...meta, ...own });
  await metas.saveMade(id);
  return made;
}

async function* linesOf(header: SessionHeader, batches: AsyncIterable<string[]>): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`${serializeHeader(header)}\n`);
  for await (const lines of batches) yield Buffer.from(lines.map((line) => `${line}\n`).join(''));
}
