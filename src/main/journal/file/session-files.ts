import { basename, join } from 'node:path';
import type { JournalFs } from './fs';
import { SessionError } from './session-error';

const JOURNAL = '.jsonl';
const ORIGINAL = '.original.jsonl';

/** Names that are safe as file names on every system. */
const SAFE_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,119}$/;

/**
 * True if an id may name files: it comes from outside (a header, the window). Names that every object has are none: the window
 * keeps what it knows of sessions by id.
 */
export function isSafeSessionId(id: string): boolean {
  return SAFE_ID.test(id) && !(id in Object.prototype);
}

/** The id, where it can be one. Throws `SessionError`. */
export function checkedSessionId(id: string): string {
  if (!isSafeSessionId(id)) throw new SessionError('There is no such session.');
  return id;
}

/** Windows takes these for a device, whatever ending follows. */
const DEVICE = /^(con|prn|aux|nul|conin|conout|com\d|lpt\d)$/i;

/** True if an id of another program may name files that come to another computer. One that is in use here stays. */
export function isPortableSessionId(id: string): boolean {
  return isSafeSessionId(id) && !DEVICE.test(id);
}

/** Where the files of a session lie. */
export class SessionFiles {
  constructor(readonly dir: string) {}

  journal(id: string): string {
    return join(this.dir, id + JOURNAL);
  }
  index(id: string): string {
    return join(this.dir, `${id}.index`);
  }
  meta(id: string): string {
    return join(this.dir, `${id}.meta.json`);
  }
  /** Facts about the import that a session came from. */
  importFacts(id: string): string {
    return join(this.dir, `${id}.import.json`);
  }
  /** The bytes that were imported, where the journal itself does not begin with them. */
  original(id: string): string {
    return join(this.dir, id + ORIGINAL);
  }

  /** Ids of the sessions that have a journal here. */
  async ids(fs: JournalFs): Promise<string[]> {
    const names = await fs.list(this.dir);
    return names
      .filter((name) => name.endsWith(JOURNAL) && !name.endsWith(ORIGINAL))
      .map((name) => name.slice(0, -JOURNAL.length))
      .filter(isSafeSessionId);
  }

  /** Messages that wait (agent/durable-queue.ts). */
  queue(id: string): string {
    return join(this.dir, `${id}.queue.json`);
  }

  /** Names of the files that say something of a session beside its journal. */
  sidecars(id: string): string[] {
    return [this.index(id), this.meta(id), this.importFacts(id), this.original(id), this.queue(id)].map((path) =>
      basename(path),
    );
  }

  /** Names of all that is here of a session, what was set aside of it too. An id has no dot: nothing of another session begins so. */
  async namesOf(fs: JournalFs, id: string): Promise<string[]> {
    return (await fs.list(this.dir)).filter((name) => name.startsWith(`${id}.`));
  }
}

/** Where a log writes on whose file was replaced under it: the next comparison makes a session of it. */
export function apartPath(journal: string, now: number): string {
  return `${journal.slice(0, -'.jsonl'.length)}.apart-${now}.jsonl`;
}
