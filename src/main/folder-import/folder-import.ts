import { basename, isAbsolute, join } from 'node:path';
import type { FileWorkers } from '../files/file-workers';
import type { ListedSession, Log, SessionStore, TakenIn } from '../ports';
import { bySource, groupId, type ImportPlan, type PlannedFile, planImport } from './import-plan';
import {
  IMPORT_OUTCOMES,
  IMPORT_PAGE,
  type ImportItem,
  type ImportOutcome,
  type ImportState,
  type ImportSummary,
} from '@shared/folder-import';

export interface FolderImportPorts {
  files: Pick<FileWorkers, 'run'>;
  store: Pick<SessionStore, 'importedFrom' | 'takeIn'>;
  /** Where pi keeps its sessions. */
  piPlace: string;
  /** A session came into the store, or is a longer one now: the list and the window hear of it. */
  took(listed: ListedSession, isGrown: boolean): void;
  /** Whether nothing would be lost by letting go of a session now. */
  mayLetGo(sessionId: string): Promise<boolean>;
  isMissing(folder: string): Promise<boolean>;
  tell(state: ImportState): void;
  /** The copies of what grew are to be compared. */
  tellGrown(sessionId: string): void;
  /** An error in words for the person. */
  wordsOf(error: unknown): string;
  log: Log;
}

/** Headers that are read in one step of a process, and folders that are looked at together. */
const HEADS = 200;
const LOOKS = 4;
/** Folders that are looked for on this computer, and those that are named. */
const MOST_FOLDERS = 400;
const MOST_NAMED = 20;
const TELL_MS = 100;

const BUSY =
  'Nothing was changed: it continues a session that is busy. Import it again when that session has finished.';
const MIGRATED =
  'An older version of pi wrote it. Its lines were brought into today’s form; “Export original” gives its own bytes.';
const OTHER_ID = 'Another session has its id here, so it was given a new one.';
const SECOND =
  'A session of this id is here and goes on differently. Both are kept; the title of this one says when it ends.';

/** The import of all sessions of a folder (IM1–IM6): a look, what the person leaves of it, the run, its report. One at a time. */
export class FolderImport {
  private state: ImportState = { phase: 'none', problem: '' };
  /** What was found, with its folder: no path of it comes from the window. */
  private found: (ImportPlan & { place: string; isPi: boolean }) | null = null;
  private items: ImportItem[] = [];
  private stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private toldAt = 0;

  constructor(private readonly ports: FolderImportPorts) {}

  current(): ImportState {
    return this.state;
  }

  /** Looks into a folder; null: into pi's own. Nothing is written. A run, or the report of one, stays until it is closed. */
  async look(chosen: string | null): Promise<ImportState> {
    if (this.state.phase === 'running' || this.state.phase === 'done' || this.state.phase === 'looking')
      return this.state;
    const place = chosen ?? this.ports.piPlace;
    this.found = null;
    this.set({ phase: 'looking', place });
    try {
      const plan = await this.plan(place);
      const isPi = chosen === null;
      this.found = { ...plan.plan, place, isPi };
      const { groups, unfit } = plan.plan;
      this.set({
        phase: 'offered',
        offer: { place, isPi, groups, unfit: unfit.length, isWhole: plan.isWhole },
      });
    } catch (error) {
      this.ports.log.warn(`Sessions to import could not be looked for. ${String(error)}`);
      this.set({ phase: 'none', problem: noLook(error) });
    }
    return this.state;
  }

  /** What the person agreed to import: how many files, how large, from where; null if there is nothing. */
  chosen(groups: readonly string[]): { files: number; bytes: number; place: string; isPi: boolean } | null {
    const files = this.filesOf(groups);
    if (!this.found || this.state.phase !== 'offered' || files.length === 0) return null;
    const { place, isPi } = this.found;
    return { files: files.length, bytes: sum(files), place, isPi };
  }

  /** Imports the files of some groups; resolves when it has begun. */
  start(groups: readonly string[]): void {
    const { found } = this;
    const files = this.filesOf(groups);
    if (!found || this.state.phase !== 'offered' || files.length === 0) return;
    this.stopping = new AbortController();
    this.items = found.unfit.map(({ name, problem }) => ({
      name: basename(name),
      outcome: 'skipped',
      notes: [problem],
    }));
    this.running = this.run(found, files).catch((error: unknown) => {
      this.ports.log.error('The import of a folder failed', error);
      this.set({ phase: 'none', problem: this.ports.wordsOf(error) });
    });
  }

  /** Ends the run behind the session that is under way, of which nothing is left. What was imported stays. */
  stop(): void {
    if (this.state.phase !== 'running') return;
    this.stopping.abort();
    this.set({ ...this.state, isStopping: true });
  }

  report(from: number): ImportItem[] {
    return this.items.slice(from, from + IMPORT_PAGE);
  }

  /** The person has read the report, or wants nothing of what was offered. */
  close(): ImportState {
    if (this.state.phase === 'running' || this.state.phase === 'looking') return this.state;
    this.items = [];
    this.found = null;
    this.set({ phase: 'none', problem: '' });
    return this.state;
  }

  /** Resolves when the run that is under way has ended. */
  settled(): Promise<void> {
    return this.running;
  }

  /** At the end of the app. Resolves when nothing is written any more. */
  end(): Promise<void> {
    this.stopping.abort();
    return this.settled();
  }

  private async plan(place: string): Promise<{ plan: ImportPlan; isWhole: boolean }> {
    const { files, store } = this.ports;
    const { files: found, isWhole } = await files.run('sessionFiles', { folder: place }, { lane: 'picked' });
    const heads = [];
    for (let from = 0; from < found.length; from += HEADS) {
      const names = found.slice(from, from + HEADS).map(({ name }) => name);
      heads.push(...(await files.run('sessionHeads', { folder: place, names }, { lane: 'picked' })));
    }
    const known = bySource(await store.importedFrom());
    const folders = new Set(
      heads.flatMap((head) => ('folder' in head && isAbsolute(head.folder) ? [head.folder] : [])),
    );
    return { plan: planImport(found, heads, known, await this.missingOf([...folders])), isWhole };
  }

  private async missingOf(folders: readonly string[]): Promise<Set<string>> {
    const missing = new Set<string>();
    const looked = folders.slice(0, MOST_FOLDERS);
    for (let from = 0; from < looked.length; from += LOOKS)
      await Promise.all(
        looked.slice(from, from + LOOKS).map(async (folder) => {
          if (await this.ports.isMissing(folder)) missing.add(folder);
        }),
      );
    return missing;
  }

  private filesOf(groups: readonly string[]): PlannedFile[] {
    const chosen = new Set(groups);
    return this.found?.files.filter(({ folder }) => chosen.has(groupId(folder))) ?? [];
  }

  private async run(found: NonNullable<FolderImport['found']>, files: readonly PlannedFile[]): Promise<void> {
    const known = bySource(await this.ports.store.importedFrom());
    const total = { ofFiles: files.length, ofBytes: sum(files) };
    const missing = new Set(found.groups.flatMap(({ folder, isMissing }) => (isMissing ? [folder] : [])));
    const named = new Set<string>();
    const grown: string[] = [];
    let bytes = 0;
    let why = '';
    let done = 0;
    this.set({ phase: 'running', progress: { files: 0, bytes: 0, ...total }, isStopping: false });
    for (const file of files) {
      if (this.stopping.signal.aborted) break;
      const tell = (upTo: number): void =>
        this.progress({ files: done, bytes: bytes + Math.min(upTo, file.bytes), ...total });
      try {
        const taken = await this.take(
          found,
          file,
          known.get(file.id)?.map(({ sessionId }) => sessionId) ?? [],
          missing,
          tell,
        );
        if (taken.kind === 'imported' || taken.kind === 'second') {
          const one = { sourceId: file.id, sessionId: taken.sessionId, bytes: file.bytes };
          known.set(file.id, [...(known.get(file.id) ?? []), one]);
          if (missing.has(file.folder)) named.add(file.folder);
        }
        if (taken.kind === 'grown') grown.push(taken.sessionId);
      } catch (error) {
        // Nothing is left of the one that was under way.
        if (this.stopping.signal.aborted) break;
        const words = this.ports.wordsOf(error);
        this.items.push({ name: basename(file.name), outcome: 'skipped', notes: [words] });
        // No other would find a place either.
        if ((error as { problem?: unknown }).problem === 'full') {
          why = words;
          break;
        }
      }
      done += 1;
      bytes += file.bytes;
      tell(0);
    }
    const last = grown.at(-1);
    if (last !== undefined) this.ports.tellGrown(last);
    const order = new Map(IMPORT_OUTCOMES.map((outcome, at) => [outcome, at]));
    const rank = ({ outcome, notes }: ImportItem): number => (order.get(outcome) ?? 0) * 2 - (notes.length > 0 ? 1 : 0);
    this.items.sort((a, b) => rank(a) - rank(b));
    this.set({
      phase: 'done',
      summary: summaryOf(this.items, [...named], files.length - done, why),
      items: this.items.length,
    });
  }

  private async take(
    { place, isPi }: { place: string; isPi: boolean },
    file: PlannedFile,
    among: readonly string[],
    missing: ReadonlySet<string>,
    onBytes: (upTo: number) => void,
  ): Promise<TakenIn> {
    const { store, took, mayLetGo } = this.ports;
    // The folders of pi's own sessions are the person's, and main has told them; those of any other folder may be anybody's (B4).
    const isOwn = isPi && isAbsolute(file.folder) && !missing.has(file.folder);
    const taken = await store.takeIn(join(place, file.name), {
      ...{ among, mayGrow: mayLetGo, signal: this.stopping.signal, onBytes },
      ...(isOwn ? { workspace: file.folder } : {}),
    });
    this.items.push(itemOf(file, taken));
    if ('listed' in taken) took(taken.listed, taken.kind === 'grown');
    return taken;
  }

  private progress(progress: Extract<ImportState, { phase: 'running' }>['progress']): void {
    if (this.state.phase !== 'running') return;
    const now = performance.now();
    const isDue = now - this.toldAt > TELL_MS;
    this.state = { ...this.state, progress };
    if (isDue) this.set(this.state);
  }

  private set(state: ImportState): void {
    this.state = state;
    this.toldAt = performance.now();
    this.ports.tell(state);
  }
}

function itemOf(file: PlannedFile, taken: TakenIn): ImportItem {
  const name = basename(file.name);
  const { kind, sessionId } = taken;
  if (kind === 'busy') return { name, outcome: 'skipped', sessionId, notes: [BUSY] };
  if (!('listed' in taken)) return { name, outcome: 'here', sessionId, notes: [] };
  const { listed, isMigrated } = taken;
  const outcome = taken.kind;
  const notes = [
    ...(kind === 'second' ? [SECOND] : sessionId === file.id ? [] : [OTHER_ID]),
    ...(isMigrated ? [MIGRATED] : []),
    ...listed.damage,
  ];
  const damaged = listed.damage.length > 0 ? { isDamaged: true as const } : {};
  return { name, outcome, sessionId, title: listed.meta.title, ...damaged, notes };
}

function summaryOf(items: readonly ImportItem[], missing: string[], left: number, why: string): ImportSummary {
  const counts = Object.fromEntries(IMPORT_OUTCOMES.map((outcome) => [outcome, 0])) as Record<ImportOutcome, number>;
  for (const { outcome } of items) counts[outcome] += 1;
  const damaged = items.filter(({ isDamaged }) => isDamaged).length;
  return { counts, damaged, missing: missing.slice(0, MOST_NAMED), left, why };
}

const sum = (files: readonly PlannedFile[]): number => files.reduce((total, { bytes }) => total + bytes, 0);

function noLook(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  if (message.includes('ENOENT')) return 'The folder is not there.';
  if (message.includes('ENOTDIR')) return 'It is a file, not a folder.';
  if (/EACCES|EPERM/.test(message)) return 'Espalier may not read this folder.';
  return `The folder could not be read. ${message}`;
}
