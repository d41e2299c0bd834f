import { homedir } from 'node:os';
import { FolderImport } from '../folder-import/folder-import';
import { piSessions } from '../folder-import/pi-place';
import type { FileWorkers } from '../files/file-workers';
import { toFailure } from '../ipc/failure';
import type { Emit, Log, SessionStore } from '../ports';
import type { SessionHost } from '../session/host/session-host';
import type { TrustDesk } from '../trust/trust-desk';

interface Around {
  files: FileWorkers;
  store: SessionStore;
  host: SessionHost;
  trustDesk: TrustDesk;
  emit: Emit;
  log: Log;
}

/** The import of all sessions of a folder (IM1–IM6), with what it does in the rest of main. */
export function openImports({ files, store, host, trustDesk, emit, log }: Around): FolderImport {
  return new FolderImport({
    ...{ files, store, log },
    piPlace: piSessions(process.env, homedir()),
    took: (listed, isGrown) => host.took(listed, isGrown),
    mayLetGo: (sessionId) => host.mayLetGo(sessionId),
    isMissing: (folder) => trustDesk.isMissing(folder),
    tell: (state) => emit({ type: 'imports_changed', state }),
    tellGrown: (sessionId) => emit({ type: 'copies_differ', sessionId }),
    wordsOf: (error) => toFailure(error).failure.message,
  });
}
