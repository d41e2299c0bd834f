import { FolderImport } from '../../../src/main/folder-import/folder-import';
import { findSessionFiles, readSessionHeads } from '../../../src/main/files/found-sessions';
import { createSessionStore } from '../../../src/main/journal/session-store';
import { randomHex } from '../../../src/main/random-hex';
import { join } from 'node:path';

/** A process that imports all sessions of a folder as the app does, and can be killed: `node <this> <folder> <home>`. It says "done" at the end. */
const [folder = '', home = ''] = process.argv.slice(2);

async function importAll(): Promise<void> {
  const store = await createSessionStore({
    dir: join(home, 'sessions'),
    trashDir: join(home, 'trash'),
    importsFile: join(home, 'imports.json'),
    clock: Date.now,
    randomHex,
    log: { warn: () => undefined },
  });
  const imports: FolderImport = new FolderImport({
    store,
    // Here what hangs in a folder may hang all: the process is killed anyway.
    files: {
      run: async (kind: string, params: { folder: string; names?: string[] }) =>
        kind === 'sessionFiles' ? findSessionFiles(params.folder) : readSessionHeads(params.folder, params.names ?? []),
    } as never,
    piPlace: folder,
    took: () => undefined,
    mayLetGo: () => Promise.resolve(true),
    isMissing: () => Promise.resolve(false),
    tell: (state) => {
      if (state.phase === 'done') process.stdout.write('done\n');
    },
    tellGrown: () => undefined,
    wordsOf: String,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  });
  const state = await imports.look(null);
  if (state.phase !== 'offered') throw new Error(JSON.stringify(state));
  process.stdout.write('begins\n');
  imports.start(state.offer.groups.map(({ id }) => id));
  await imports.settled();
  await store.close();
}

void importAll();
