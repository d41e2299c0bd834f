import { randomBytes } from 'node:crypto';
import { lstat, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isTourMark, type TourMark } from '@shared/tour';
import type { SessionSummary } from '@shared/types';
import { readOwnFile, type OwnFileRead, type OwnFileSpec } from '../own-files/own-file';
import { errorCode, toStorageError, unlessMissing } from '../own-files/storage-error';
import { writeOwnFile } from '../own-files/write-own';
import type { AppPaths } from '../paths';
import type { Log, SessionStore } from '../ports';
import type { SessionHost } from '../session/host/session-host';
import { SessionRefusal } from '../session/machine/slot';
import type { SyncService } from '../sync/sync-service';

/** Where the session that ships says that it was made; its copy says where its project is here. */
const RECORDED_AT = '/home/sam/importer';
const TITLE = 'Tour: a faster importer';
/** Lines that are made at once: some milliseconds. */
const BATCH = 50;

interface TourState {
  /** It was made once: it never comes by itself again. */
  isMade: boolean;
  /** Coach marks that were done or skipped. */
  seen: TourMark[];
}

const SPEC: OwnFileSpec<TourState> = {
  name: 'The notes about the tour',
  parse(json) {
    const { isMade, seen } = json as { isMade?: unknown; seen?: unknown };
    const value = { isMade: isMade === true, seen: Array.isArray(seen) ? seen.filter(isTourMark) : [] };
    return { value, bad: [], kept: value };
  },
  empty: () => ({ isMade: false, seen: [] }),
  // What nobody can read was there: the tour was made, and its marks are not shown a second time.
  instead: () => ({ isMade: true, seen: ['cut', 'undo', 'branch'] }),
};

export interface TourPorts {
  /** This computer has no trace of an earlier start, and nobody switched the tour off. */
  isWanted: boolean;
  host: Pick<SessionHost, 'list' | 'makeFrom'>;
  store: Pick<SessionStore, 'trashed'>;
  /** Is told of the session at once. */
  sync: Pick<SyncService, 'noteMade'>;
  log: Log;
}

/** Where it is kept what was made and seen, and the workspace in which the project of the tour becomes a folder. */
type TourPlaces = Pick<AppPaths, 'tour' | 'scratch'>;

/**
 * The session that the app first opens on (WN18): recorded by the app's own engine, copied once, then a session as any other. What it
 * was made from is text: nothing of it runs, and nothing is asked of the network.
 */
export class Tour {
  private saving: Promise<void> = Promise.resolve();
  private beginning: Promise<void> | null = null;
  private making: Promise<SessionSummary> | null = null;

  private constructor(
    private readonly places: TourPlaces,
    private readonly ports: TourPorts,
    private readonly read: OwnFileRead<TourState>,
  ) {}

  static async open(places: TourPlaces, ports: TourPorts): Promise<Tour> {
    const tour = new Tour(places, ports, await readOwnFile(places.tour, SPEC));
    // Set aside, the file is missing at the next start, and the marks would come back.
    if (tour.read.state === 'aside')
      await tour
        .save()
        .catch((error: unknown) => ports.log.error('What was seen of the tour could not be kept', error));
    return tour;
  }

  get seen(): readonly TourMark[] {
    return this.read.value.seen;
  }

  /** Makes the tour where this is the very first start, once. Never rejects: what fails is logged, and the app starts without it. */
  begin(): Promise<void> {
    return (this.beginning ??= this.makeFirst());
  }

  private async makeFirst(): Promise<void> {
    const { isWanted, host, store, log } = this.ports;
    if (!isWanted || this.read.state !== 'missing' || this.read.value.isMade) return;
    try {
      if ((await host.list()).length > 0 || (await store.trashed()).length > 0) return;
      await this.make();
    } catch (error) {
      log.error('The tour could not be made', error);
    }
  }

  /** The tour's session; made anew if there is none any more. Rejects with a sentence for the person. */
  async again(): Promise<SessionSummary> {
    await this.begin();
    const there = (await this.ports.host.list()).find(({ tour }) => tour === true);
    // One at a time: who asks twice gets the same.
    return there ?? (this.making ??= this.make().finally(() => (this.making = null)));
  }

  /** Coach marks that are never shown again. Rejects with a sentence for the person where that can't be kept. */
  async markSeen(marks: readonly TourMark[]): Promise<void> {
    const { value } = this.read;
    value.seen = [...new Set([...value.seen, ...marks])];
    await this.save().catch((error: unknown) => {
      // What the person did to the file is said by itself.
      throw errorCode(error) === '' ? error : toStorageError(error);
    });
  }

  private async make(): Promise<SessionSummary> {
    const { host, sync, log } = this.ports;
    const { session, project } = await import('./tour-texts');
    const workspace = join(this.places.scratch, 'importer');
    await writeProject(workspace, JSON.parse(project) as Record<string, string>);
    const summary = await host.makeFrom({ workspace, title: TITLE, demo: true, tour: true }, () =>
      linesOf(session, workspace),
    );
    sync.noteMade(summary.id);
    this.read.value.isMade = true;
    // Not a second time even where this can't be kept: sessions are there from now on.
    await this.save().catch((error: unknown) => log.error('That the tour was made could not be kept', error));
    return summary;
  }

  private save(): Promise<void> {
    const { read, places } = this;
    const write = async (): Promise<void> => {
      await read.mayReplace();
      await writeOwnFile(places.tour, `${JSON.stringify(read.value, null, 2)}\n`, { givesWay: true });
    };
    this.saving = this.saving.then(write, write);
    return this.saving;
  }
}

/** The records of the session behind its header, their project where it is here. Gives way between batches. */
async function* linesOf(session: string, workspace: string): AsyncGenerator<string[]> {
  const lines = session.split('\n').slice(1);
  const here = JSON.stringify(workspace).slice(1, -1);
  for (let at = 0; at < lines.length; at += BATCH) {
    const batch = lines.slice(at, at + BATCH).filter((line) => line !== '');
    yield batch.map((line) => line.replaceAll(RECORDED_AT, () => here));
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/**
 * The files of the project, all or none. A folder that has the name stays as it is: it is there from before.
 * @throws SessionRefusal where something else has the name, a link too
 */
async function writeProject(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  const there = await lstat(folder).catch(unlessMissing);
  if (there?.isDirectory()) return;
  if (there)
    throw new SessionRefusal(
      `The tour keeps its project in ${folder}, but there is no folder there. Move what is there away and try again.`,
    );
  const aside = `${folder}.${randomBytes(4).toString('hex')}`;
  try {
    await mkdir(aside, { recursive: true, mode: 0o700 });
    const folders = new Set(Object.keys(files).map((name) => dirname(join(aside, name))));
    await Promise.all([...folders].map((name) => mkdir(name, { recursive: true, mode: 0o700 })));
    await Promise.all(
      Object.entries(files).map(([name, text]) => writeFile(join(aside, name), text, { flag: 'wx', mode: 0o600 })),
    );
    await rename(aside, folder);
  } catch (error) {
    await rm(aside, { recursive: true, force: true }).catch(() => undefined);
    throw error;
  }
}
